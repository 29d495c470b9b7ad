-- about: Sessions, messages, tool switches and summaries of one tenant.

--# query chat_sessions
CREATE TABLE chat_sessions (
	session_id char(36) NOT NULL PRIMARY KEY,
	tenant_id nvarchar(100) NOT NULL,
	user_id nvarchar(200) NOT NULL,
	title nvarchar(500) NOT NULL,
	is_active bit NOT NULL DEFAULT 1,
	created_at nvarchar(24) NOT NULL,
	updated_at nvarchar(24) NOT NULL,
	total_tokens bigint NOT NULL DEFAULT 0,
	compaction_count int NOT NULL DEFAULT 0,
	metadata text NOT NULL DEFAULT '{}',
	pending_ask text,
	archived_at nvarchar(24)
)

--# query chat_sessions_by_user
CREATE INDEX IX_chat_sessions_tenant_user ON chat_sessions (tenant_id, user_id, updated_at, session_id)

--# query chat_messages
CREATE TABLE chat_messages (
	message_id integer PRIMARY KEY AUTOINCREMENT,
	message_uid char(36) NOT NULL UNIQUE,
	session_id char(36) NOT NULL REFERENCES chat_sessions (session_id),
	tenant_id nvarchar(100) NOT NULL,
	turn_id char(36) NOT NULL,
	client_msg_id nvarchar(200),
	role nvarchar(20) NOT NULL CHECK (role IN ('user', 'assistant')),
	content text NOT NULL,
	status nvarchar(20) NOT NULL,
	intent nvarchar(100),
	agents_used nvarchar(500),
	tool_calls text,
	views text,
	pbi_deep_links text,
	standing text,
	checked text,
	provider nvarchar(100),
	model nvarchar(200),
	token_count int NOT NULL DEFAULT 0,
	latency_ms int NOT NULL DEFAULT 0,
	created_at nvarchar(24) NOT NULL,
	UNIQUE (session_id, client_msg_id)
)

--# query chat_messages_by_session
CREATE INDEX IX_chat_messages_session ON chat_messages (session_id, message_id)

--# query chat_messages_by_turn
CREATE INDEX IX_chat_messages_turn ON chat_messages (turn_id, role)

--# query chat_agent_tools
CREATE TABLE chat_agent_tools (
	id integer PRIMARY KEY AUTOINCREMENT,
	tenant_id nvarchar(100) NOT NULL,
	agent_name nvarchar(100) NOT NULL,
	tool_name nvarchar(200) NOT NULL,
	is_enabled bit NOT NULL DEFAULT 1,
	updated_by nvarchar(200) NOT NULL,
	updated_at nvarchar(24) NOT NULL,
	UNIQUE (tenant_id, agent_name, tool_name)
)

--# query chat_session_summaries
CREATE TABLE chat_session_summaries (
	summary_id integer PRIMARY KEY AUTOINCREMENT,
	session_id char(36) NOT NULL REFERENCES chat_sessions (session_id),
	tenant_id nvarchar(100) NOT NULL,
	summary_text text NOT NULL,
	covers_through bigint NOT NULL,
	created_at nvarchar(24) NOT NULL
)

--# query chat_session_summaries_by_session
CREATE INDEX IX_chat_session_summaries_session ON chat_session_summaries (session_id, covers_through)
