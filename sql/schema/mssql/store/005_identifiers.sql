-- Identifiers are compared byte by byte. Under the usual collations "Ann", "ANN" and full-width letters are ann, and an invisible
-- character is none: each of them would read ann's messages, and deleting one would delete the other. Keys, indexes and what
-- refers to them stand in the way of the columns, so they go first and come back after.

--# what refers to sessions goes
ALTER TABLE dbo.chat_messages DROP CONSTRAINT FK_chat_messages_session;
ALTER TABLE dbo.chat_session_summaries DROP CONSTRAINT FK_chat_session_summaries_session;
GO

--# keys and indexes go
DROP INDEX IX_chat_sessions_tenant_user ON dbo.chat_sessions;
DROP INDEX UX_chat_messages_client ON dbo.chat_messages;
DROP INDEX IX_chat_messages_session ON dbo.chat_messages;
DROP INDEX IX_chat_messages_turn ON dbo.chat_messages;
DROP INDEX IX_chat_session_summaries_session ON dbo.chat_session_summaries;
DROP INDEX IX_chat_feedback_session ON dbo.chat_feedback;
DROP INDEX IX_chat_ledger_day ON dbo.chat_ledger;
DROP INDEX IX_chat_receipts_session ON dbo.chat_receipts;
DROP INDEX IX_chat_receipts_user ON dbo.chat_receipts;
ALTER TABLE dbo.chat_sessions DROP CONSTRAINT PK_chat_sessions;
ALTER TABLE dbo.chat_messages DROP CONSTRAINT UQ_chat_messages_uid;
ALTER TABLE dbo.chat_agent_tools DROP CONSTRAINT UQ_chat_agent_tools;
ALTER TABLE dbo.chat_feedback DROP CONSTRAINT UQ_chat_feedback_message;
ALTER TABLE dbo.chat_idempotency DROP CONSTRAINT PK_chat_idempotency;
ALTER TABLE dbo.chat_receipts DROP CONSTRAINT UQ_chat_receipts_id;
GO

--# chat_sessions
ALTER TABLE dbo.chat_sessions ALTER COLUMN session_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_sessions ALTER COLUMN user_id nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_sessions ALTER COLUMN etag nvarchar(36) COLLATE Latin1_General_100_BIN2 NULL;
GO

--# chat_messages
ALTER TABLE dbo.chat_messages ALTER COLUMN message_uid nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_messages ALTER COLUMN session_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_messages ALTER COLUMN turn_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_messages ALTER COLUMN client_msg_id nvarchar(200) COLLATE Latin1_General_100_BIN2 NULL;
ALTER TABLE dbo.chat_messages ALTER COLUMN receipt_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NULL;
GO

--# chat_agent_tools
ALTER TABLE dbo.chat_agent_tools ALTER COLUMN agent_name nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_agent_tools ALTER COLUMN tool_name nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_agent_tools ALTER COLUMN updated_by nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL;
GO

--# chat_session_summaries
ALTER TABLE dbo.chat_session_summaries ALTER COLUMN session_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL;
GO

--# chat_feedback
ALTER TABLE dbo.chat_feedback ALTER COLUMN message_uid nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_feedback ALTER COLUMN session_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_feedback ALTER COLUMN user_id nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL;
GO

--# chat_audit_log
ALTER TABLE dbo.chat_audit_log ALTER COLUMN user_id nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_audit_log ALTER COLUMN turn_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NULL;
ALTER TABLE dbo.chat_audit_log ALTER COLUMN agent_name nvarchar(100) COLLATE Latin1_General_100_BIN2 NULL;
ALTER TABLE dbo.chat_audit_log ALTER COLUMN tool_name nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL;
GO

--# chat_idempotency
ALTER TABLE dbo.chat_idempotency ALTER COLUMN user_id nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_idempotency ALTER COLUMN key_hash nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_idempotency ALTER COLUMN fingerprint nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_idempotency ALTER COLUMN owner nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL;
GO

--# chat_ledger
ALTER TABLE dbo.chat_ledger ALTER COLUMN user_id nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_ledger ALTER COLUMN role nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL;
GO

--# chat_receipts
ALTER TABLE dbo.chat_receipts ALTER COLUMN receipt_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_receipts ALTER COLUMN message_uid nvarchar(36) COLLATE Latin1_General_100_BIN2 NULL;
ALTER TABLE dbo.chat_receipts ALTER COLUMN session_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NULL;
ALTER TABLE dbo.chat_receipts ALTER COLUMN user_id nvarchar(200) COLLATE Latin1_General_100_BIN2 NULL;
ALTER TABLE dbo.chat_receipts ALTER COLUMN content_hash nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_receipts ALTER COLUMN previous_hash nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL;
ALTER TABLE dbo.chat_receipts ALTER COLUMN hash nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL;
GO

--# keys come back
ALTER TABLE dbo.chat_sessions ADD CONSTRAINT PK_chat_sessions PRIMARY KEY (tenant_id, session_id);
ALTER TABLE dbo.chat_messages ADD CONSTRAINT UQ_chat_messages_uid UNIQUE (tenant_id, message_uid);
ALTER TABLE dbo.chat_agent_tools ADD CONSTRAINT UQ_chat_agent_tools UNIQUE (tenant_id, agent_name, tool_name);
ALTER TABLE dbo.chat_feedback ADD CONSTRAINT UQ_chat_feedback_message UNIQUE (tenant_id, message_uid);
ALTER TABLE dbo.chat_idempotency ADD CONSTRAINT PK_chat_idempotency PRIMARY KEY (tenant_id, user_id, key_hash);
ALTER TABLE dbo.chat_receipts ADD CONSTRAINT UQ_chat_receipts_id UNIQUE (tenant_id, receipt_id);
GO

--# what refers to sessions comes back
ALTER TABLE dbo.chat_messages ADD CONSTRAINT FK_chat_messages_session FOREIGN KEY (tenant_id, session_id)
	REFERENCES dbo.chat_sessions (tenant_id, session_id);
ALTER TABLE dbo.chat_session_summaries ADD CONSTRAINT FK_chat_session_summaries_session FOREIGN KEY (tenant_id, session_id)
	REFERENCES dbo.chat_sessions (tenant_id, session_id);
GO

--# indexes come back
CREATE INDEX IX_chat_sessions_tenant_user ON dbo.chat_sessions (tenant_id, user_id, updated_at, session_id);
CREATE UNIQUE INDEX UX_chat_messages_client ON dbo.chat_messages (tenant_id, session_id, client_msg_id)
	WHERE client_msg_id IS NOT NULL;
CREATE INDEX IX_chat_messages_session ON dbo.chat_messages (tenant_id, session_id, message_id);
CREATE INDEX IX_chat_messages_turn ON dbo.chat_messages (tenant_id, turn_id, role);
CREATE INDEX IX_chat_session_summaries_session ON dbo.chat_session_summaries (tenant_id, session_id, covers_through);
CREATE INDEX IX_chat_feedback_session ON dbo.chat_feedback (tenant_id, session_id);
CREATE INDEX IX_chat_ledger_day ON dbo.chat_ledger (tenant_id, day, user_id, role);
CREATE INDEX IX_chat_receipts_session ON dbo.chat_receipts (tenant_id, session_id);
CREATE INDEX IX_chat_receipts_user ON dbo.chat_receipts (tenant_id, user_id);
GO
