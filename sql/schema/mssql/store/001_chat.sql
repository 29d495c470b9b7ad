-- The chat store of all tenants. Keys begin with the tenant, as each tenant has a store of its own in the other layout.

--# chat_sessions
CREATE TABLE dbo.chat_sessions (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	session_id nvarchar(36) NOT NULL,
	user_id nvarchar(200) NOT NULL,
	title nvarchar(500) NOT NULL,
	is_active bit NOT NULL CONSTRAINT DF_chat_sessions_is_active DEFAULT 1,
	created_at nvarchar(24) NOT NULL,
	updated_at nvarchar(24) NOT NULL,
	total_tokens bigint NOT NULL CONSTRAINT DF_chat_sessions_total_tokens DEFAULT 0,
	compaction_count int NOT NULL CONSTRAINT DF_chat_sessions_compaction_count DEFAULT 0,
	metadata nvarchar(max) NOT NULL CONSTRAINT DF_chat_sessions_metadata DEFAULT '{}',
	pending_ask nvarchar(max),
	archived_at nvarchar(24),
	CONSTRAINT PK_chat_sessions PRIMARY KEY (tenant_id, session_id)
);
GO

--# chat_sessions_by_user
CREATE INDEX IX_chat_sessions_tenant_user ON dbo.chat_sessions (tenant_id, user_id, updated_at, session_id);
GO

--# chat_messages
CREATE TABLE dbo.chat_messages (
	message_id bigint IDENTITY(1, 1) NOT NULL,
	message_uid nvarchar(36) NOT NULL,
	session_id nvarchar(36) NOT NULL,
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	turn_id nvarchar(36) NOT NULL,
	client_msg_id nvarchar(200),
	role nvarchar(20) NOT NULL CONSTRAINT CK_chat_messages_role CHECK (role IN ('user', 'assistant')),
	content nvarchar(max) NOT NULL,
	status nvarchar(20) NOT NULL,
	intent nvarchar(100),
	agents_used nvarchar(500),
	tool_calls nvarchar(max),
	views nvarchar(max),
	pbi_deep_links nvarchar(max),
	standing nvarchar(max),
	checked nvarchar(max),
	provider nvarchar(100),
	model nvarchar(200),
	token_count int NOT NULL CONSTRAINT DF_chat_messages_token_count DEFAULT 0,
	latency_ms int NOT NULL CONSTRAINT DF_chat_messages_latency_ms DEFAULT 0,
	created_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_messages PRIMARY KEY (message_id),
	CONSTRAINT UQ_chat_messages_uid UNIQUE (tenant_id, message_uid),
	CONSTRAINT FK_chat_messages_session FOREIGN KEY (tenant_id, session_id)
		REFERENCES dbo.chat_sessions (tenant_id, session_id)
);
GO

-- Filtered, because a unique constraint would take a second NULL for a repetition.
--# chat_messages_by_client
CREATE UNIQUE INDEX UX_chat_messages_client ON dbo.chat_messages (tenant_id, session_id, client_msg_id)
	WHERE client_msg_id IS NOT NULL;
GO

--# chat_messages_by_session
CREATE INDEX IX_chat_messages_session ON dbo.chat_messages (tenant_id, session_id, message_id);
GO

--# chat_messages_by_turn
CREATE INDEX IX_chat_messages_turn ON dbo.chat_messages (tenant_id, turn_id, role);
GO

--# chat_agent_tools
CREATE TABLE dbo.chat_agent_tools (
	id int IDENTITY(1, 1) NOT NULL,
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	agent_name nvarchar(100) NOT NULL,
	tool_name nvarchar(200) NOT NULL,
	is_enabled bit NOT NULL CONSTRAINT DF_chat_agent_tools_is_enabled DEFAULT 1,
	updated_by nvarchar(200) NOT NULL,
	updated_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_agent_tools PRIMARY KEY (id),
	CONSTRAINT UQ_chat_agent_tools UNIQUE (tenant_id, agent_name, tool_name)
);
GO

--# chat_session_summaries
CREATE TABLE dbo.chat_session_summaries (
	summary_id bigint IDENTITY(1, 1) NOT NULL,
	session_id nvarchar(36) NOT NULL,
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	summary_text nvarchar(max) NOT NULL,
	covers_through bigint NOT NULL,
	created_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_session_summaries PRIMARY KEY (summary_id),
	CONSTRAINT FK_chat_session_summaries_session FOREIGN KEY (tenant_id, session_id)
		REFERENCES dbo.chat_sessions (tenant_id, session_id)
);
GO

--# chat_session_summaries_by_session
CREATE INDEX IX_chat_session_summaries_session ON dbo.chat_session_summaries (tenant_id, session_id, covers_through);
GO

--# tenant rows
CREATE SECURITY POLICY sec.chat_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_sessions,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_sessions AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_sessions AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_messages,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_messages AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_messages AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_agent_tools,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_agent_tools AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_agent_tools AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_session_summaries,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_session_summaries AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_session_summaries AFTER UPDATE
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# rights on chat_sessions
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_sessions TO vesper_chat_role;
GO

--# rights on chat_messages
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_messages TO vesper_chat_role;
GO

--# rights on chat_agent_tools
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_agent_tools TO vesper_chat_role;
GO

--# rights on chat_session_summaries
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_session_summaries TO vesper_chat_role;
GO
