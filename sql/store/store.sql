-- about: Statements of the chat store. Each carries the tenant (on top of one database per tenant) and, where a user acts, the user.

--# query migrations_table
CREATE TABLE IF NOT EXISTS schema_migrations (
	version int NOT NULL PRIMARY KEY,
	name nvarchar(200) NOT NULL,
	applied_at nvarchar(24) NOT NULL
)

--# query migrations_applied
SELECT version FROM schema_migrations ORDER BY version

-- A server is migrated by its administrator (vesperctl db), with one ledger for all parts of the schema.
--# query schema_applied
SELECT version FROM schema_migrations WHERE part = 'store' ORDER BY version

--# query migration_insert
INSERT INTO schema_migrations (version, name, applied_at) VALUES (:version, :name, :now)

-- A session id is taken once and for all: whoever else sends it gets nothing.
--# query session_insert
INSERT INTO chat_sessions (session_id, tenant_id, user_id, title, is_active, created_at, updated_at, total_tokens,
	compaction_count, metadata)
SELECT :session_id, :tenant_id, :user_id, :title, 1, :now, :now, 0, 0, '{}'
WHERE NOT EXISTS (SELECT 1 FROM chat_sessions s WHERE s.session_id = :session_id)

--# query user_message_insert
INSERT INTO chat_messages (message_uid, session_id, tenant_id, turn_id, client_msg_id, role, content, status, token_count,
	latency_ms, created_at)
SELECT :message_id, :session_id, :tenant_id, :turn_id, :client_msg_id, :role, :content, :status, :token_count,
	:latency_ms, :now
WHERE EXISTS (SELECT 1 FROM chat_sessions s
		WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id)
	AND NOT EXISTS (SELECT 1 FROM chat_messages m
		WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id
			AND (m.message_uid = :message_id OR m.client_msg_id = :client_msg_id))

--# query session_touch
UPDATE chat_sessions
SET updated_at = :now, title = CASE WHEN title = '' THEN :title ELSE title END
WHERE session_id = :session_id AND tenant_id = :tenant_id AND user_id = :user_id
	AND EXISTS (SELECT 1 FROM chat_messages m WHERE m.message_uid = :message_id AND m.session_id = :session_id
		AND m.tenant_id = :tenant_id)

-- What stands there now: this message, or the one that came first with the same client_msg_id.
--# query user_message_stored
SELECT m.message_uid, m.turn_id
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id
	AND (m.message_uid = :message_id OR m.client_msg_id = :client_msg_id)

-- Before the message, so that storing the same answer again counts nothing twice.
--# query session_answer
UPDATE chat_sessions
SET updated_at = :now, total_tokens = total_tokens + :token_count, pending_ask = :pending_ask
WHERE session_id = :session_id AND tenant_id = :tenant_id AND user_id = :user_id
	AND NOT EXISTS (SELECT 1 FROM chat_messages m WHERE m.message_uid = :message_id AND m.tenant_id = :tenant_id)

--# query answer_insert
INSERT INTO chat_messages (message_uid, session_id, tenant_id, turn_id, client_msg_id, role, content, status, intent,
	agents_used, tool_calls, views, pbi_deep_links, standing, checked, provider, model, token_count, latency_ms, created_at)
SELECT :message_id, :session_id, :tenant_id, :turn_id, :client_msg_id, :role, :content, :status, :intent,
	:agents_used, :tool_calls, :views, :pbi_deep_links, :standing, :checked, :provider, :model, :token_count, :latency_ms, :now
WHERE EXISTS (SELECT 1 FROM chat_sessions s
		WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id)
	AND NOT EXISTS (SELECT 1 FROM chat_messages m WHERE m.message_uid = :message_id AND m.tenant_id = :tenant_id)

--# query answer_stored
SELECT m.message_uid
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.message_uid = :message_id AND m.session_id = :session_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id

--# query session_one
SELECT s.session_id, s.title, s.created_at, s.updated_at
FROM chat_sessions s
WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id

--# query sessions_page
SELECT s.session_id, s.title, s.created_at, s.updated_at
FROM chat_sessions s
WHERE s.tenant_id = :tenant_id AND s.user_id = :user_id
--? after_id: AND EXISTS (SELECT 1 FROM chat_sessions a
--? after_id:	WHERE a.session_id = :after_id AND a.tenant_id = :tenant_id AND a.user_id = :user_id
--? after_id:		AND (s.updated_at < a.updated_at OR (s.updated_at = a.updated_at AND s.session_id < a.session_id)))
ORDER BY s.updated_at DESC, s.session_id DESC
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query messages_page
SELECT m.message_uid, m.session_id, m.turn_id, m.client_msg_id, m.role, m.content, m.status, m.intent, m.agents_used,
	m.tool_calls, m.views, m.pbi_deep_links, m.standing, m.checked, m.provider, m.model, m.token_count, m.latency_ms,
	m.created_at
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id
--? after_id: AND m.message_id > (SELECT a.message_id FROM chat_messages a
--? after_id:	WHERE a.message_uid = :after_id AND a.session_id = :session_id AND a.tenant_id = :tenant_id)
ORDER BY m.message_id
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

-- For the next turn of the session: what was said and what it left standing, without what was shown beside it. The views
-- alone would be most of what a turn reads.
--# query messages_recent
SELECT m.message_uid, m.session_id, m.turn_id, m.role, m.content, m.status, m.intent, m.standing, m.created_at
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id
ORDER BY m.message_id DESC
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

-- For the whole tenant; nobody acts. Where others serve the same tenant, what began lately may still run there.
--# query orphans
SELECT m.session_id, m.turn_id
FROM chat_messages m
WHERE m.tenant_id = :tenant_id AND m.role = 'user'
--? before: AND m.created_at < :before
	AND NOT EXISTS (SELECT 1 FROM chat_messages a WHERE a.turn_id = m.turn_id AND a.tenant_id = m.tenant_id
		AND a.role = 'assistant')
ORDER BY m.message_id
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query orphan_close
INSERT INTO chat_messages (message_uid, session_id, tenant_id, turn_id, role, content, status, token_count, latency_ms,
	created_at)
SELECT :message_id, m.session_id, m.tenant_id, m.turn_id, 'assistant', '', :status, 0, 0, :now
FROM chat_messages m
WHERE m.turn_id = :turn_id AND m.session_id = :session_id AND m.tenant_id = :tenant_id AND m.role = 'user'
	AND NOT EXISTS (SELECT 1 FROM chat_messages a WHERE a.turn_id = m.turn_id AND a.tenant_id = m.tenant_id
		AND a.role = 'assistant')
