-- The chat store of all tenants. Keys begin with the tenant, as each tenant has a store of its own in the other layout.

--# owner
SET LOCAL ROLE vesper_owner

--# chat_sessions
CREATE TABLE dbo.chat_sessions (
	tenant_id varchar(100) NOT NULL,
	session_id varchar(36) NOT NULL,
	user_id varchar(200) NOT NULL,
	title varchar(500) NOT NULL,
	is_active smallint NOT NULL DEFAULT 1,
	created_at varchar(24) NOT NULL,
	updated_at varchar(24) NOT NULL,
	total_tokens bigint NOT NULL DEFAULT 0,
	compaction_count int NOT NULL DEFAULT 0,
	metadata text NOT NULL DEFAULT '{}',
	pending_ask text,
	archived_at varchar(24),
	PRIMARY KEY (tenant_id, session_id)
)

--# chat_sessions_by_user
CREATE INDEX IX_chat_sessions_tenant_user ON dbo.chat_sessions (tenant_id, user_id, updated_at, session_id)

--# chat_messages
CREATE TABLE dbo.chat_messages (
	message_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	message_uid varchar(36) NOT NULL,
	session_id varchar(36) NOT NULL,
	tenant_id varchar(100) NOT NULL,
	turn_id varchar(36) NOT NULL,
	client_msg_id varchar(200),
	role varchar(20) NOT NULL CHECK (role IN ('user', 'assistant')),
	content text NOT NULL,
	status varchar(20) NOT NULL,
	intent varchar(100),
	agents_used varchar(500),
	tool_calls text,
	views text,
	pbi_deep_links text,
	standing text,
	checked text,
	provider varchar(100),
	model varchar(200),
	token_count int NOT NULL DEFAULT 0,
	latency_ms int NOT NULL DEFAULT 0,
	created_at varchar(24) NOT NULL,
	UNIQUE (tenant_id, message_uid),
	UNIQUE (tenant_id, session_id, client_msg_id),
	FOREIGN KEY (tenant_id, session_id) REFERENCES dbo.chat_sessions (tenant_id, session_id)
)

--# chat_messages_by_session
CREATE INDEX IX_chat_messages_session ON dbo.chat_messages (tenant_id, session_id, message_id)

--# chat_messages_by_turn
CREATE INDEX IX_chat_messages_turn ON dbo.chat_messages (tenant_id, turn_id, role)

--# chat_agent_tools
CREATE TABLE dbo.chat_agent_tools (
	id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	tenant_id varchar(100) NOT NULL,
	agent_name varchar(100) NOT NULL,
	tool_name varchar(200) NOT NULL,
	is_enabled smallint NOT NULL DEFAULT 1,
	updated_by varchar(200) NOT NULL,
	updated_at varchar(24) NOT NULL,
	UNIQUE (tenant_id, agent_name, tool_name)
)

--# chat_session_summaries
CREATE TABLE dbo.chat_session_summaries (
	summary_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	session_id varchar(36) NOT NULL,
	tenant_id varchar(100) NOT NULL,
	summary_text text NOT NULL,
	covers_through bigint NOT NULL,
	created_at varchar(24) NOT NULL,
	FOREIGN KEY (tenant_id, session_id) REFERENCES dbo.chat_sessions (tenant_id, session_id)
)

--# chat_session_summaries_by_session
CREATE INDEX IX_chat_session_summaries_session ON dbo.chat_session_summaries (tenant_id, session_id, covers_through)

--# tenant rows
DO $$
DECLARE
	t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['chat_sessions', 'chat_messages', 'chat_agent_tools', 'chat_session_summaries'] LOOP
		EXECUTE pg_catalog.format('ALTER TABLE dbo.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t);
		EXECUTE pg_catalog.format('CREATE POLICY own_tenant ON dbo.%I
			USING (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))
			WITH CHECK (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))', t);
	END LOOP;
END
$$

--# rights
GRANT SELECT, INSERT, UPDATE, DELETE ON dbo.chat_sessions, dbo.chat_messages, dbo.chat_agent_tools,
	dbo.chat_session_summaries TO vesper_chat
