-- about: What a session needs beside its messages: edits, feedback, the audit log, answers to repeated requests.

--# query chat_sessions_etag
ALTER TABLE chat_sessions ADD COLUMN etag char(36)

--# query chat_messages_needs
ALTER TABLE chat_messages ADD COLUMN needs nvarchar(1000)

--# query chat_feedback
CREATE TABLE chat_feedback (
	feedback_id integer PRIMARY KEY AUTOINCREMENT,
	message_uid char(36) NOT NULL,
	session_id char(36) NOT NULL,
	tenant_id nvarchar(100) NOT NULL,
	user_id nvarchar(200) NOT NULL,
	rating nvarchar(10) NOT NULL CHECK (rating IN ('up', 'down')),
	comment text,
	correction text,
	created_at nvarchar(24) NOT NULL,
	updated_at nvarchar(24) NOT NULL,
	UNIQUE (tenant_id, message_uid)
)

--# query chat_feedback_by_session
CREATE INDEX IX_chat_feedback_session ON chat_feedback (session_id)

--# query chat_audit_log
CREATE TABLE chat_audit_log (
	audit_id integer PRIMARY KEY AUTOINCREMENT,
	tenant_id nvarchar(100) NOT NULL,
	user_id nvarchar(200) NOT NULL,
	turn_id char(36),
	agent_name nvarchar(100),
	tool_name nvarchar(200) NOT NULL,
	outcome nvarchar(40) NOT NULL,
	row_count bigint NOT NULL,
	duration_ms bigint NOT NULL,
	created_at nvarchar(24) NOT NULL
)

--# query chat_audit_log_by_time
CREATE INDEX IX_chat_audit_log_time ON chat_audit_log (tenant_id, created_at)

--# query chat_idempotency
CREATE TABLE chat_idempotency (
	tenant_id nvarchar(100) NOT NULL,
	user_id nvarchar(200) NOT NULL,
	key_hash char(64) NOT NULL,
	fingerprint char(64) NOT NULL,
	owner char(36) NOT NULL,
	status int NOT NULL,
	content_type nvarchar(100),
	body text,
	created_at nvarchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, user_id, key_hash)
)

--# query chat_idempotency_by_time
CREATE INDEX IX_chat_idempotency_time ON chat_idempotency (tenant_id, created_at)
