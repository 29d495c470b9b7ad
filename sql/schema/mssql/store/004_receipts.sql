-- How each answer came about, chained by hashes: content may go, hashes stay.

--# chat_messages receipt_id
ALTER TABLE dbo.chat_messages ADD receipt_id nvarchar(36);
GO

--# chat_receipts
CREATE TABLE dbo.chat_receipts (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	receipt_no bigint NOT NULL,
	receipt_id nvarchar(36) NOT NULL,
	message_uid nvarchar(36),
	session_id nvarchar(36),
	user_id nvarchar(200),
	content nvarchar(max),
	leaves nvarchar(max) NOT NULL,
	content_hash nvarchar(64) NOT NULL,
	previous_hash nvarchar(64) NOT NULL,
	hash nvarchar(64) NOT NULL,
	created_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_receipts PRIMARY KEY (tenant_id, receipt_no),
	CONSTRAINT UQ_chat_receipts_id UNIQUE (tenant_id, receipt_id)
);
GO

--# chat_receipts_by_session
CREATE INDEX IX_chat_receipts_session ON dbo.chat_receipts (tenant_id, session_id);
GO

--# chat_receipts_by_user
CREATE INDEX IX_chat_receipts_user ON dbo.chat_receipts (tenant_id, user_id);
GO

--# chat_receipts_by_time
CREATE INDEX IX_chat_receipts_time ON dbo.chat_receipts (tenant_id, created_at);
GO

--# tenant rows
CREATE SECURITY POLICY sec.chat_receipts_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_receipts,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_receipts AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_receipts AFTER UPDATE
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# rights on chat_receipts
GRANT SELECT, INSERT ON OBJECT::dbo.chat_receipts TO vesper_chat_role;
GRANT UPDATE ON OBJECT::dbo.chat_receipts (content, message_uid, session_id, user_id) TO vesper_chat_role;
GO
