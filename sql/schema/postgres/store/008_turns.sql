-- Turns that run, where several replicas share the store: one a session, each under the fence of its owner.

--# owner
SET LOCAL ROLE vesper_owner

--# chat_turns
CREATE TABLE dbo.chat_turns (
	tenant_id varchar(100) NOT NULL,
	turn_id varchar(36) NOT NULL,
	session_id varchar(36) NOT NULL,
	user_id varchar(200) NOT NULL,
	replica varchar(64) NOT NULL,
	fence bigint NOT NULL,
	state varchar(12) NOT NULL CHECK (state IN ('running', 'done')),
	alive_at varchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, turn_id)
)

--# chat_turns_running
CREATE UNIQUE INDEX UX_chat_turns_running ON dbo.chat_turns (tenant_id, session_id) WHERE state = 'running'

--# rows of turns
ALTER TABLE dbo.chat_turns ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY

--# policy of turns
CREATE POLICY own_tenant ON dbo.chat_turns
	USING (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))
	WITH CHECK (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))

--# rights on turns
GRANT SELECT, INSERT, UPDATE, DELETE ON dbo.chat_turns TO vesper_chat
