-- Turns that run, where several replicas share the store: one a session, each under the fence of its owner.

--# chat_turns
CREATE TABLE dbo.chat_turns (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	turn_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
	session_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
	user_id nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
	replica nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
	fence bigint NOT NULL,
	state nvarchar(12) COLLATE Latin1_General_100_BIN2 NOT NULL CONSTRAINT CK_chat_turns_state CHECK (state IN ('running', 'done')),
	alive_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_turns PRIMARY KEY (tenant_id, turn_id)
);
GO

--# chat_turns_running
CREATE UNIQUE INDEX UX_chat_turns_running ON dbo.chat_turns (tenant_id, session_id) WHERE state = 'running';
GO

--# tenant rows of chat_turns
CREATE SECURITY POLICY sec.chat_turns_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_turns,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_turns AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_turns AFTER UPDATE
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# rights on chat_turns
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_turns TO vesper_chat_role;
GO
