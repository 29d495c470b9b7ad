-- about: Turns that run, where several replicas share the store: one a session, each under the fence of its owner.

--# query chat_turns
CREATE TABLE chat_turns (
	tenant_id nvarchar(100) NOT NULL,
	turn_id char(36) NOT NULL,
	session_id char(36) NOT NULL,
	user_id nvarchar(200) NOT NULL,
	replica nvarchar(64) NOT NULL,
	fence bigint NOT NULL,
	state nvarchar(12) NOT NULL CHECK (state IN ('running', 'done')),
	alive_at nvarchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, turn_id)
)

--# query chat_turns_running
CREATE UNIQUE INDEX UX_chat_turns_running ON chat_turns (tenant_id, session_id) WHERE state = 'running'
