-- Approved answers: flows that a tenant's administrators made of answers.

--# chat_flows
CREATE TABLE dbo.chat_flows (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	name nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	version int NOT NULL,
	text nvarchar(max) NOT NULL,
	fingerprint nvarchar(64) COLLATE Latin1_General_100_BIN2 NULL,
	status nvarchar(20) NOT NULL CONSTRAINT CK_chat_flows_status CHECK (status IN ('active', 'stale', 'withdrawn')),
	why nvarchar(1000) NULL,
	message_uid nvarchar(36) COLLATE Latin1_General_100_BIN2 NULL,
	approved_by nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
	approved_at nvarchar(24) NOT NULL,
	checked_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_flows PRIMARY KEY (tenant_id, name)
);
GO

--# tenant rows
CREATE SECURITY POLICY sec.chat_flows_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_flows,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_flows AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_flows AFTER UPDATE
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# rights on chat_flows
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_flows TO vesper_chat_role;
GO
