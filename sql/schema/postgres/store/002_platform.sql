-- What a session needs beside its messages: edits, feedback, the audit log, answers to repeated requests.

--# owner
SET LOCAL ROLE vesper_owner

--# chat_sessions etag
ALTER TABLE dbo.chat_sessions ADD COLUMN etag varchar(36)

--# chat_messages needs
ALTER TABLE dbo.chat_messages ADD COLUMN needs varchar(1000)

--# chat_feedback
CREATE TABLE dbo.chat_feedback (
	feedback_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	message_uid varchar(36) NOT NULL,
	session_id varchar(36) NOT NULL,
	tenant_id varchar(100) NOT NULL,
	user_id varchar(200) NOT NULL,
	rating varchar(10) NOT NULL CHECK (rating IN ('up', 'down')),
	comment text,
	correction text,
	created_at varchar(24) NOT NULL,
	updated_at varchar(24) NOT NULL,
	UNIQUE (tenant_id, message_uid)
)

--# chat_feedback_by_session
CREATE INDEX IX_chat_feedback_session ON dbo.chat_feedback (tenant_id, session_id)

--# chat_audit_log
CREATE TABLE dbo.chat_audit_log (
	audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	tenant_id varchar(100) NOT NULL,
	user_id varchar(200) NOT NULL,
	turn_id varchar(36),
	agent_name varchar(100),
	tool_name varchar(200) NOT NULL,
	outcome varchar(40) NOT NULL,
	row_count bigint NOT NULL,
	duration_ms bigint NOT NULL,
	created_at varchar(24) NOT NULL
)

--# chat_audit_log_by_time
CREATE INDEX IX_chat_audit_log_time ON dbo.chat_audit_log (tenant_id, created_at)

--# chat_idempotency
CREATE TABLE dbo.chat_idempotency (
	tenant_id varchar(100) NOT NULL,
	user_id varchar(200) NOT NULL,
	key_hash varchar(64) NOT NULL,
	fingerprint varchar(64) NOT NULL,
	owner varchar(36) NOT NULL,
	status int NOT NULL,
	content_type varchar(100),
	body text,
	created_at varchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, user_id, key_hash)
)

--# chat_idempotency_by_time
CREATE INDEX IX_chat_idempotency_time ON dbo.chat_idempotency (tenant_id, created_at)

--# tenant rows
DO $$
DECLARE
	t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['chat_feedback', 'chat_audit_log', 'chat_idempotency'] LOOP
		EXECUTE pg_catalog.format('ALTER TABLE dbo.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t);
		EXECUTE pg_catalog.format('CREATE POLICY own_tenant ON dbo.%I
			USING (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))
			WITH CHECK (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))', t);
	END LOOP;
END
$$

--# rights
GRANT SELECT, INSERT, UPDATE, DELETE ON dbo.chat_feedback, dbo.chat_audit_log, dbo.chat_idempotency TO vesper_chat
