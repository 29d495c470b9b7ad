-- How each answer came about, chained by hashes: content may go, hashes stay.

--# owner
SET LOCAL ROLE vesper_owner

--# chat_messages receipt_id
ALTER TABLE dbo.chat_messages ADD COLUMN receipt_id varchar(36)

--# chat_receipts
CREATE TABLE dbo.chat_receipts (
	tenant_id varchar(100) NOT NULL,
	receipt_no bigint NOT NULL,
	receipt_id varchar(36) NOT NULL,
	message_uid varchar(36),
	session_id varchar(36),
	user_id varchar(200),
	content text,
	leaves text NOT NULL,
	content_hash varchar(64) NOT NULL,
	previous_hash varchar(64) NOT NULL,
	hash varchar(64) NOT NULL,
	created_at varchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, receipt_no),
	UNIQUE (tenant_id, receipt_id)
)

--# chat_receipts_by_session
CREATE INDEX IX_chat_receipts_session ON dbo.chat_receipts (tenant_id, session_id)

--# chat_receipts_by_user
CREATE INDEX IX_chat_receipts_user ON dbo.chat_receipts (tenant_id, user_id)

--# chat_receipts_by_time
CREATE INDEX IX_chat_receipts_time ON dbo.chat_receipts (tenant_id, created_at)

--# tenant rows
DO $$
BEGIN
	ALTER TABLE dbo.chat_receipts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	CREATE POLICY own_tenant ON dbo.chat_receipts
		USING (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))
		WITH CHECK (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true));
END
$$

--# rights
GRANT SELECT, INSERT, UPDATE (content, message_uid, session_id, user_id) ON dbo.chat_receipts TO vesper_chat
