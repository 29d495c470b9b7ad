-- What a session needs beside its messages: edits, feedback, the audit log, answers to repeated requests.

--# chat_sessions etag
ALTER TABLE dbo.chat_sessions ADD etag nvarchar(36);
GO

--# chat_messages needs
ALTER TABLE dbo.chat_messages ADD needs nvarchar(1000);
GO

--# chat_feedback
CREATE TABLE dbo.chat_feedback (
	feedback_id bigint IDENTITY(1, 1) NOT NULL,
	message_uid nvarchar(36) NOT NULL,
	session_id nvarchar(36) NOT NULL,
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	user_id nvarchar(200) NOT NULL,
	rating nvarchar(10) NOT NULL CONSTRAINT CK_chat_feedback_rating CHECK (rating IN ('up', 'down')),
	comment nvarchar(max),
	correction nvarchar(max),
	created_at nvarchar(24) NOT NULL,
	updated_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_feedback PRIMARY KEY (feedback_id),
	CONSTRAINT UQ_chat_feedback_message UNIQUE (tenant_id, message_uid)
);
GO

--# chat_feedback_by_session
CREATE INDEX IX_chat_feedback_session ON dbo.chat_feedback (tenant_id, session_id);
GO

--# chat_audit_log
CREATE TABLE dbo.chat_audit_log (
	audit_id bigint IDENTITY(1, 1) NOT NULL,
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	user_id nvarchar(200) NOT NULL,
	turn_id nvarchar(36),
	agent_name nvarchar(100),
	tool_name nvarchar(200) NOT NULL,
	outcome nvarchar(40) NOT NULL,
	row_count bigint NOT NULL,
	duration_ms bigint NOT NULL,
	created_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_audit_log PRIMARY KEY (audit_id)
);
GO

--# chat_audit_log_by_time
CREATE INDEX IX_chat_audit_log_time ON dbo.chat_audit_log (tenant_id, created_at);
GO

--# chat_idempotency
CREATE TABLE dbo.chat_idempotency (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	user_id nvarchar(200) NOT NULL,
	key_hash nvarchar(64) NOT NULL,
	fingerprint nvarchar(64) NOT NULL,
	owner nvarchar(36) NOT NULL,
	status int NOT NULL,
	content_type nvarchar(100),
	body nvarchar(max),
	created_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_idempotency PRIMARY KEY (tenant_id, user_id, key_hash)
);
GO

--# chat_idempotency_by_time
CREATE INDEX IX_chat_idempotency_time ON dbo.chat_idempotency (tenant_id, created_at);
GO

--# tenant rows
ALTER SECURITY POLICY sec.chat_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_feedback,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_feedback AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_feedback AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_audit_log,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_audit_log AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_audit_log AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_idempotency,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_idempotency AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_idempotency AFTER UPDATE;
GO

--# rights on chat_feedback
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_feedback TO vesper_chat_role;
GO

--# rights on chat_audit_log
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_audit_log TO vesper_chat_role;
GO

--# rights on chat_idempotency
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_idempotency TO vesper_chat_role;
GO
