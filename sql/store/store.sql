-- about: Statements of the chat store. Each carries the tenant (on top of one database per tenant) and, where a user acts, the user.

-- The store sets `on_sqlite` or `on_server` by its dialect. SQLite makes a temporary table for an INSERT ... SELECT
-- that reads its own target. Statements of a turn avoid this on SQLite with ON CONFLICT, which T-SQL lacks.

--# query migrations_table
CREATE TABLE IF NOT EXISTS schema_migrations (
	version int NOT NULL PRIMARY KEY,
	name nvarchar(200) NOT NULL,
	applied_at nvarchar(24) NOT NULL
)

--# query migrations_applied
SELECT version FROM schema_migrations ORDER BY version

-- Servers are migrated by an administrator (vesperctl db), with one ledger for all parts of the schema.
--# query schema_applied
SELECT version FROM schema_migrations WHERE part = 'store' ORDER BY version

--# query migration_insert
INSERT INTO schema_migrations (version, name, applied_at) VALUES (:version, :name, :now)

-- A session ID is never reused: if it exists, nothing is inserted.
--# query session_insert
INSERT INTO chat_sessions (session_id, tenant_id, user_id, title, is_active, created_at, updated_at, total_tokens,
	compaction_count, metadata)
SELECT :session_id, :tenant_id, :user_id, :title, 1, :now, :now, 0, 0, :metadata
WHERE 1 = 1
--? on_sqlite: ON CONFLICT (session_id) DO NOTHING
--? on_server: AND NOT EXISTS (SELECT 1 FROM chat_sessions s WHERE s.session_id = :session_id)

--# query user_message_insert
INSERT INTO chat_messages (message_uid, session_id, tenant_id, turn_id, client_msg_id, role, content, status, token_count,
	latency_ms, created_at)
SELECT :message_id, :session_id, :tenant_id, :turn_id, :client_msg_id, :role, :content, :status, :token_count,
	:latency_ms, :now
WHERE EXISTS (SELECT 1 FROM chat_sessions s
		WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id)
--? shared: AND EXISTS (SELECT 1 FROM chat_turns t
--? shared:	WHERE t.tenant_id = :tenant_id AND t.turn_id = :turn_id AND t.fence = :fence AND t.state = 'running')
--? on_sqlite: ON CONFLICT (message_uid) DO NOTHING ON CONFLICT (session_id, client_msg_id) DO NOTHING
--? on_server: AND NOT EXISTS (SELECT 1 FROM chat_messages m
--? on_server:	WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id
--? on_server:		AND (m.message_uid = :message_id OR m.client_msg_id = :client_msg_id))

--# query session_touch
UPDATE chat_sessions
SET updated_at = :now, title = CASE WHEN title = '' THEN :title ELSE title END
WHERE session_id = :session_id AND tenant_id = :tenant_id AND user_id = :user_id
	AND EXISTS (SELECT 1 FROM chat_messages m WHERE m.message_uid = :message_id AND m.session_id = :session_id
		AND m.tenant_id = :tenant_id)

-- The stored message: this one, or the first with the same client_msg_id.
--# query user_message_stored
SELECT m.message_uid, m.turn_id
--? shared: , (SELECT t.fence FROM chat_turns t
--? shared:	WHERE t.tenant_id = m.tenant_id AND t.turn_id = m.turn_id AND t.state = 'running') AS fence
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id
	AND (m.message_uid = :message_id OR m.client_msg_id = :client_msg_id)

-- Runs before the message is inserted, so that a retry does not count an answer twice.
--# query session_answer
UPDATE chat_sessions
SET updated_at = :now, total_tokens = total_tokens + :token_count, pending_ask = :pending_ask
WHERE session_id = :session_id AND tenant_id = :tenant_id AND user_id = :user_id
	AND NOT EXISTS (SELECT 1 FROM chat_messages m WHERE m.message_uid = :message_id AND m.tenant_id = :tenant_id)
--? chained: AND EXISTS (SELECT 1 FROM chat_receipts r WHERE r.tenant_id = :tenant_id AND r.receipt_id = :receipt_id)
--? shared: AND EXISTS (SELECT 1 FROM chat_turns t
--? shared:	WHERE t.tenant_id = :tenant_id AND t.turn_id = :turn_id AND t.fence = :fence)

--# query answer_insert
INSERT INTO chat_messages (message_uid, session_id, tenant_id, turn_id, client_msg_id, role, content, status, intent,
	agents_used, tool_calls, views, pbi_deep_links, standing, checked, needs, provider, model, token_count, latency_ms,
	created_at, receipt_id)
SELECT :message_id, :session_id, :tenant_id, :turn_id, :client_msg_id, :role, :content, :status, :intent,
	:agents_used, :tool_calls, :views, :pbi_deep_links, :standing, :checked, :needs, :provider, :model, :token_count,
	:latency_ms, :now, :receipt_id
WHERE EXISTS (SELECT 1 FROM chat_sessions s
		WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id)
--? chained: AND EXISTS (SELECT 1 FROM chat_receipts r WHERE r.tenant_id = :tenant_id AND r.receipt_id = :receipt_id)
--? shared: AND EXISTS (SELECT 1 FROM chat_turns t
--? shared:	WHERE t.tenant_id = :tenant_id AND t.turn_id = :turn_id AND t.fence = :fence)
--? on_sqlite: ON CONFLICT (message_uid) DO NOTHING
--? on_server: AND NOT EXISTS (SELECT 1 FROM chat_messages m WHERE m.message_uid = :message_id AND m.tenant_id = :tenant_id)

-- With several replicas: true for the replica that stored the answer. Another replica's answer has the same ID.
--# query answer_stored
SELECT m.message_uid
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.message_uid = :message_id AND m.session_id = :session_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id
--? shared: AND EXISTS (SELECT 1 FROM chat_turns t
--? shared:	WHERE t.tenant_id = m.tenant_id AND t.turn_id = :turn_id AND t.fence = :fence)

-- With several replicas: running turns and their fencing tokens. A takeover increases the token of a turn.
--# query turn_take
UPDATE chat_turns
SET replica = :replica, fence = :fence, alive_at = :now
WHERE tenant_id = :tenant_id AND turn_id = :turn_id AND user_id = :user_id AND state = 'running' AND fence < :fence

-- One running turn per session. A message that is already stored starts none.
--# query turn_insert
INSERT INTO chat_turns (tenant_id, turn_id, session_id, user_id, replica, fence, state, alive_at)
SELECT :tenant_id, :turn_id, :session_id, :user_id, :replica, :fence, 'running', :now
WHERE EXISTS (SELECT 1 FROM chat_sessions s
		WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id)
	AND NOT EXISTS (SELECT 1 FROM chat_turns t WHERE t.tenant_id = :tenant_id
		AND (t.turn_id = :turn_id OR (t.session_id = :session_id AND t.state = 'running')))
	AND NOT EXISTS (SELECT 1 FROM chat_messages m
		WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id AND m.client_msg_id = :client_msg_id)

--# query session_mine
SELECT s.session_id
FROM chat_sessions s
WHERE s.tenant_id = :tenant_id AND s.session_id = :session_id AND s.user_id = :user_id

--# query turn_done
UPDATE chat_turns
SET state = 'done', alive_at = :now
WHERE tenant_id = :tenant_id AND turn_id = :turn_id AND fence = :fence
	AND EXISTS (SELECT 1 FROM chat_messages m WHERE m.message_uid = :message_id AND m.tenant_id = :tenant_id)

--# query turn_mine
SELECT t.turn_id
FROM chat_turns t
WHERE t.tenant_id = :tenant_id AND t.turn_id = :turn_id AND t.fence = :fence

-- For the whole tenant, without a user.
--# query turns_alive
UPDATE chat_turns
SET alive_at = :now
WHERE tenant_id = :tenant_id AND state = 'running' AND replica = :replica AND turn_id IN (:ids...)

--# query turns_running
SELECT t.turn_id, t.session_id, t.fence, t.alive_at
FROM chat_turns t
WHERE t.tenant_id = :tenant_id AND t.state = 'running'
ORDER BY t.alive_at, t.turn_id
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

-- If the former owner wakes up, its fencing token is outdated.
--# query turn_close
UPDATE chat_turns
SET state = 'done', fence = :fence_after
WHERE tenant_id = :tenant_id AND turn_id = :turn_id AND state = 'running' AND fence = :fence AND alive_at = :alive_at

--# query user_delete_turns
DELETE FROM chat_turns WHERE tenant_id = :tenant_id AND user_id = :of_user

--# query retain_delete_turns
DELETE FROM chat_turns WHERE tenant_id = :tenant_id AND state = 'done' AND alive_at < :before

--# query session_one
SELECT s.session_id, s.title, s.created_at, s.updated_at, s.archived_at, s.etag
FROM chat_sessions s
WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id

--# query sessions_page
SELECT s.session_id, s.title, s.created_at, s.updated_at, s.archived_at, s.etag
FROM chat_sessions s
WHERE s.tenant_id = :tenant_id AND s.user_id = :user_id
--? archived: AND s.archived_at IS NOT NULL
--? active: AND s.archived_at IS NULL
--? dialect: AND s.metadata = :metadata
--? usual: AND s.metadata NOT LIKE '{"dialect":%'
--? title_like: AND LOWER(s.title) LIKE LOWER(:title_like) ESCAPE '\'
--? after_id: AND EXISTS (SELECT 1 FROM chat_sessions a
--? after_id:	WHERE a.session_id = :after_id AND a.tenant_id = :tenant_id AND a.user_id = :user_id
--? after_id:		AND (s.updated_at < a.updated_at OR (s.updated_at = a.updated_at AND s.session_id < a.session_id)))
ORDER BY s.updated_at DESC, s.session_id DESC
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query messages_page
SELECT m.message_uid, m.session_id, m.turn_id, m.client_msg_id, m.role, m.content, m.status, m.intent, m.agents_used,
	m.tool_calls, m.views, m.pbi_deep_links, m.standing, m.checked, m.needs, m.provider, m.model, m.token_count,
	m.latency_ms, m.created_at, m.receipt_id, f.rating, f.comment, f.correction
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
LEFT JOIN chat_feedback f ON f.message_uid = m.message_uid AND f.tenant_id = m.tenant_id
WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id
--? after_id: AND m.message_id > (SELECT a.message_id FROM chat_messages a
--? after_id:	WHERE a.message_uid = :after_id AND a.session_id = :session_id AND a.tenant_id = :tenant_id)
ORDER BY m.message_id
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

-- A data source of the answer was deleted while the answer was written: its content is removed.
--# query answer_forget
UPDATE chat_messages
SET content = :gone, tool_calls = NULL, views = NULL, pbi_deep_links = NULL, checked = NULL, standing = NULL, needs = NULL
WHERE tenant_id = :tenant_id AND message_uid = :message_id AND (SELECT COUNT(*) FROM chat_data_sources s
	WHERE s.tenant_id = :tenant_id AND s.deleted_at IS NULL
		AND REPLACE(chat_messages.needs, s.source_uid, '') <> chat_messages.needs) < :source_count

-- The newest session context stored with an answer.
--# query standing_newest
SELECT m.standing, m.needs
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id AND m.standing IS NOT NULL
ORDER BY m.message_id DESC
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

-- Messages without their views, for prompts.
--# query messages_recent
SELECT m.message_uid, m.session_id, m.turn_id, m.role, m.content, m.status, m.intent, m.needs, m.created_at
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id
ORDER BY m.message_id DESC
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

-- The summary of a long session, and the messages since.
--# query memory_summary
SELECT y.summary_text, y.covers_through
FROM chat_session_summaries y
JOIN chat_sessions s ON s.session_id = y.session_id AND s.tenant_id = y.tenant_id
WHERE y.session_id = :session_id AND y.tenant_id = :tenant_id AND s.user_id = :user_id
ORDER BY y.covers_through DESC
OFFSET 0 ROWS FETCH NEXT :one ROWS ONLY

--# query memory_size
SELECT COUNT(*) AS messages, COALESCE(SUM(m.token_count), 0) AS tokens
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id
	AND m.message_id > COALESCE((SELECT MAX(y.covers_through) FROM chat_session_summaries y
		WHERE y.session_id = :session_id AND y.tenant_id = :tenant_id), 0)

--# query memory_messages
SELECT m.message_id AS place, m.message_uid, m.session_id, m.turn_id, m.role, SUBSTRING(m.content, 1, 2000) AS content, m.status,
	m.intent, m.standing, m.needs, m.created_at
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id
	AND m.message_id > COALESCE((SELECT MAX(y.covers_through) FROM chat_session_summaries y
		WHERE y.session_id = :session_id AND y.tenant_id = :tenant_id), 0)
ORDER BY m.message_id
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

-- A summary must cover more than every other, so two turns cannot store the same one.
--# query session_compacted
UPDATE chat_sessions
SET compaction_count = compaction_count + 1
WHERE session_id = :session_id AND tenant_id = :tenant_id AND user_id = :user_id
	AND NOT EXISTS (SELECT 1 FROM chat_session_summaries y
		WHERE y.session_id = :session_id AND y.tenant_id = :tenant_id AND y.covers_through >= :covers_through)

--# query summary_insert
INSERT INTO chat_session_summaries (session_id, tenant_id, summary_text, covers_through, created_at)
SELECT :session_id, :tenant_id, :summary_text, :covers_through, :now
WHERE EXISTS (SELECT 1 FROM chat_sessions s
		WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id)
	AND NOT EXISTS (SELECT 1 FROM chat_session_summaries y
		WHERE y.session_id = :session_id AND y.tenant_id = :tenant_id AND y.covers_through >= :covers_through)

-- For the whole tenant, without a user. If other replicas serve the tenant, recent turns may still be running there.
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
--? silent: AND EXISTS (SELECT 1 FROM chat_turns t
--? silent:	WHERE t.tenant_id = :tenant_id AND t.turn_id = :turn_id AND t.state = 'done' AND t.fence = :fence_after)

--# query message_one
SELECT m.message_uid, m.session_id, m.turn_id, m.client_msg_id, m.role, m.content, m.status, m.intent, m.agents_used,
	m.tool_calls, m.views, m.pbi_deep_links, m.standing, m.checked, m.needs, m.provider, m.model, m.token_count,
	m.latency_ms, m.created_at, m.receipt_id, f.rating, f.comment, f.correction
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
LEFT JOIN chat_feedback f ON f.message_uid = m.message_uid AND f.tenant_id = m.tenant_id
WHERE m.message_uid = :message_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id

-- The question and answer of the user's own turn.
--# query turn_own
SELECT m.message_uid, m.session_id, m.turn_id, m.client_msg_id, m.role, m.content, m.status, m.intent, m.agents_used,
	m.tool_calls, m.views, m.pbi_deep_links, m.standing, m.checked, m.needs, m.provider, m.model, m.token_count,
	m.latency_ms, m.created_at, m.receipt_id, f.rating, f.comment, f.correction
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
LEFT JOIN chat_feedback f ON f.message_uid = m.message_uid AND f.tenant_id = m.tenant_id
WHERE m.tenant_id = :tenant_id AND m.turn_id = :turn_id AND s.user_id = :user_id
ORDER BY m.message_id

-- The question and answer of any user's turn in the tenant.
--# query messages_of_turn
SELECT m.message_uid, m.session_id, m.turn_id, m.client_msg_id, m.role, m.content, m.status, m.intent, m.agents_used,
	m.tool_calls, m.views, m.pbi_deep_links, m.standing, m.checked, m.needs, m.provider, m.model, m.token_count,
	m.latency_ms, m.created_at, m.receipt_id, f.rating, f.comment, f.correction
FROM chat_messages m
LEFT JOIN chat_feedback f ON f.message_uid = m.message_uid AND f.tenant_id = m.tenant_id
WHERE m.tenant_id = :tenant_id AND m.turn_id IN (SELECT a.turn_id FROM chat_messages a
	WHERE a.message_uid = :message_id AND a.tenant_id = :tenant_id AND a.role = 'assistant')
ORDER BY m.message_id

-- With an outdated etag nothing is changed; the etag stored afterwards shows whose edit won.
--# query session_edit
UPDATE chat_sessions
SET etag = :new_etag
--? title: , title = :title
--? archive: , archived_at = :now, is_active = 0
--? unarchive: , archived_at = NULL, is_active = 1
WHERE session_id = :session_id AND tenant_id = :tenant_id AND user_id = :user_id
--? if_etags: AND COALESCE(etag, session_id) IN (:if_etags...)

-- The last receipt of a tenant's chain.
--# query receipt_head
SELECT r.receipt_no, r.hash
FROM chat_receipts r
WHERE r.tenant_id = :tenant_id
ORDER BY r.receipt_no DESC
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

-- Stored before its answer, and only if the last record of the chain is still the one that the receipt was made for.
-- Otherwise neither the receipt nor its answer is stored. On SQLite the trigger chat_receipts_in_order enforces this.
-- If the session or the answer is not as required, the tenant is NULL, and the trigger skips the row.
--# query receipt_insert
INSERT INTO chat_receipts (tenant_id, receipt_no, receipt_id, message_uid, session_id, user_id, content, leaves,
	content_hash, previous_hash, hash, created_at)
--? on_server: SELECT :tenant_id,
--? on_sqlite: VALUES ((SELECT s.tenant_id FROM chat_sessions s
--? on_sqlite:		WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id
--? on_sqlite:			AND NOT EXISTS (SELECT 1 FROM chat_messages m
--? on_sqlite:				WHERE m.message_uid = :message_id AND m.tenant_id = :tenant_id)),
	:receipt_no, :receipt_id, :message_id, :session_id, :user_id, :content_text, :leaves,
	:content_hash, :previous_hash, :hash, :receipt_at
--? on_sqlite: )
--? on_server: WHERE EXISTS (SELECT 1 FROM chat_sessions s
--? on_server:		WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id)
--? on_server:	AND NOT EXISTS (SELECT 1 FROM chat_messages m WHERE m.message_uid = :message_id AND m.tenant_id = :tenant_id)
--? on_server:	AND NOT EXISTS (SELECT 1 FROM chat_receipts n WHERE n.tenant_id = :tenant_id AND n.receipt_no = :receipt_no)
--? on_server:	AND :previous_hash = COALESCE((SELECT p.hash FROM chat_receipts p
--? on_server:		WHERE p.tenant_id = :tenant_id AND p.receipt_no = :previous_no), :genesis)

-- With several replicas, only under the turn's current fencing token.
--? on_server_shared: AND EXISTS (SELECT 1 FROM chat_turns t
--? on_server_shared:	WHERE t.tenant_id = :tenant_id AND t.turn_id = :turn_id AND t.fence = :fence)

-- As receipt_insert, for a call without an answer.
--# query receipt_insert_alone
INSERT
--? on_sqlite: OR IGNORE
INTO chat_receipts (receipt_no, receipt_id, user_id, content, leaves, content_hash, hash, created_at, tenant_id, previous_hash)
--? on_server: SELECT
--? on_sqlite: VALUES (
	:receipt_no, :receipt_id, :user_id, :content_text, :leaves, :content_hash, :hash, :receipt_at, :tenant_id,
--? on_server: :previous_hash
--? on_server: WHERE NOT EXISTS (SELECT 1 FROM chat_receipts n WHERE n.tenant_id = :tenant_id AND n.receipt_no = :receipt_no)
--? on_server:	AND :previous_hash = COALESCE((SELECT p.hash FROM chat_receipts p
--? on_server:		WHERE p.tenant_id = :tenant_id AND p.receipt_no = :previous_no), :genesis)
--? on_sqlite:	(SELECT :previous_hash WHERE :previous_hash = COALESCE((SELECT p.hash FROM chat_receipts p
--? on_sqlite:		WHERE p.tenant_id = :tenant_id AND p.receipt_no = :previous_no), :genesis)))

--# query receipt_stored
SELECT r.receipt_id
FROM chat_receipts r
WHERE r.tenant_id = :tenant_id AND r.receipt_id = :receipt_id

-- For the tenant's operators, or a user's own receipts, with the answers as stored now.
--# query receipts_page
SELECT r.receipt_no, r.receipt_id, r.message_uid, r.session_id, r.user_id, r.content, r.leaves, r.content_hash,
	r.previous_hash, r.hash, r.created_at, m.content AS answer
FROM chat_receipts r
LEFT JOIN chat_messages m ON m.message_uid = r.message_uid AND m.tenant_id = r.tenant_id
WHERE r.tenant_id = :tenant_id
--? receipt_id: AND r.receipt_id = :receipt_id
--? of_user: AND r.user_id = :of_user
--? after_no: AND r.receipt_no > :after_no
ORDER BY r.receipt_no
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

-- Answers whose receipt is missing.
--# query receipts_missing
SELECT m.message_uid, m.receipt_id
FROM chat_messages m
WHERE m.tenant_id = :tenant_id AND m.receipt_id IS NOT NULL
	AND NOT EXISTS (SELECT 1 FROM chat_receipts r WHERE r.tenant_id = :tenant_id AND r.receipt_id = m.receipt_id)
ORDER BY m.message_id
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

-- Deletes a session, in this order.
--# query session_delete_receipts
UPDATE chat_receipts
SET content = NULL, message_uid = NULL, session_id = NULL, user_id = NULL
WHERE session_id = :session_id AND tenant_id = :tenant_id AND user_id = :user_id

--# query session_delete_feedback
DELETE FROM chat_feedback
WHERE session_id = :session_id AND tenant_id = :tenant_id AND user_id = :user_id

--# query session_delete_summaries
DELETE FROM chat_session_summaries
WHERE session_id = :session_id AND tenant_id = :tenant_id AND EXISTS (SELECT 1 FROM chat_sessions s
	WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id)

-- Responses stored for idempotent retries contain the session's content.
--# query session_delete_repeats
DELETE FROM chat_idempotency
WHERE tenant_id = :tenant_id AND user_id = :user_id AND body LIKE :body_like ESCAPE '\'

--# query session_delete_saved
DELETE FROM chat_saved_views
WHERE tenant_id = :tenant_id AND user_id = :user_id AND message_uid IN (SELECT m.message_uid FROM chat_messages m
	WHERE m.session_id = :session_id AND m.tenant_id = :tenant_id)

--# query session_delete_messages
DELETE FROM chat_messages
WHERE session_id = :session_id AND tenant_id = :tenant_id AND EXISTS (SELECT 1 FROM chat_sessions s
	WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND s.user_id = :user_id)

--# query session_delete
DELETE FROM chat_sessions
WHERE session_id = :session_id AND tenant_id = :tenant_id AND user_id = :user_id

--# query feedback_update
UPDATE chat_feedback
SET rating = :rating, comment = :comment, correction = :correction, updated_at = :now
WHERE message_uid = :message_id AND tenant_id = :tenant_id AND user_id = :user_id

--# query feedback_insert
INSERT INTO chat_feedback (message_uid, session_id, tenant_id, user_id, rating, comment, correction, created_at, updated_at)
SELECT m.message_uid, m.session_id, m.tenant_id, s.user_id, :rating, :comment, :correction, :now, :now
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.message_uid = :message_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id AND m.role = 'assistant'
	AND NOT EXISTS (SELECT 1 FROM chat_feedback f WHERE f.message_uid = :message_id AND f.tenant_id = :tenant_id)

--# query feedback_one
SELECT f.feedback_id, f.message_uid, f.session_id, f.user_id, f.rating, f.comment, f.correction, f.updated_at
FROM chat_feedback f
WHERE f.message_uid = :message_id AND f.tenant_id = :tenant_id AND f.user_id = :user_id

-- For the tenant's administrators: feedback without the answers.
--# query feedback_page
SELECT f.feedback_id, f.message_uid, f.session_id, f.user_id, f.rating, f.comment, f.correction, f.updated_at
FROM chat_feedback f
WHERE f.tenant_id = :tenant_id
--? rating: AND f.rating = :rating
--? after_id: AND f.feedback_id < (SELECT a.feedback_id FROM chat_feedback a
--? after_id:	WHERE a.message_uid = :after_id AND a.tenant_id = :tenant_id)
ORDER BY f.feedback_id DESC
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query audit_insert
INSERT INTO chat_audit_log (tenant_id, user_id, turn_id, agent_name, tool_name, outcome, row_count, duration_ms, created_at)
VALUES (:tenant_id, :user_id, :turn_id, :agent, :tool, :outcome, :row_count, :duration_ms, :now)

--# query switches
SELECT t.agent_name, t.tool_name, t.is_enabled, t.updated_by, t.updated_at
FROM chat_agent_tools t
WHERE t.tenant_id = :tenant_id
ORDER BY t.agent_name, t.tool_name

--# query switch_update
UPDATE chat_agent_tools
SET is_enabled = :enabled, updated_by = :user_id, updated_at = :now
WHERE tenant_id = :tenant_id AND agent_name = :agent AND tool_name = :tool

--# query switch_insert
INSERT INTO chat_agent_tools (tenant_id, agent_name, tool_name, is_enabled, updated_by, updated_at)
SELECT :tenant_id, :agent, :tool, :enabled, :user_id, :now
WHERE NOT EXISTS (SELECT 1 FROM chat_agent_tools t
	WHERE t.tenant_id = :tenant_id AND t.agent_name = :agent AND t.tool_name = :tool)

-- Removes an expired key, or one whose request died without an answer, so that it can be retried.
--# query idempotent_expire
DELETE FROM chat_idempotency
WHERE tenant_id = :tenant_id AND user_id = :user_id AND key_hash = :key_hash
	AND (created_at < :expired_before OR (status = 0 AND created_at < :stale_before))

--# query idempotent_insert
INSERT INTO chat_idempotency (tenant_id, user_id, key_hash, fingerprint, owner, status, created_at)
SELECT :tenant_id, :user_id, :key_hash, :fingerprint, :owner, 0, :now
WHERE 1 = 1
--? on_sqlite: ON CONFLICT (tenant_id, user_id, key_hash) DO NOTHING
--? on_server: AND NOT EXISTS (SELECT 1 FROM chat_idempotency i
--? on_server:	WHERE i.tenant_id = :tenant_id AND i.user_id = :user_id AND i.key_hash = :key_hash)

--# query idempotent_one
SELECT i.fingerprint, i.owner, i.status, i.content_type, i.body
FROM chat_idempotency i
WHERE i.tenant_id = :tenant_id AND i.user_id = :user_id AND i.key_hash = :key_hash

--# query idempotent_finish
UPDATE chat_idempotency
SET status = :status, content_type = :content_type, body = :body
WHERE tenant_id = :tenant_id AND user_id = :user_id AND owner = :owner

--# query idempotent_drop
DELETE FROM chat_idempotency
WHERE tenant_id = :tenant_id AND user_id = :user_id AND owner = :owner

-- Deletes all data of a user, in this order. The audit log records who did what without content, and has its own
-- retention.
--# query user_delete_feedback
DELETE FROM chat_feedback WHERE tenant_id = :tenant_id AND user_id = :of_user

--# query user_delete_receipts
UPDATE chat_receipts
SET content = NULL, message_uid = NULL, session_id = NULL, user_id = NULL
WHERE tenant_id = :tenant_id AND user_id = :of_user

--# query user_delete_summaries
DELETE FROM chat_session_summaries
WHERE tenant_id = :tenant_id AND session_id IN (SELECT s.session_id FROM chat_sessions s
	WHERE s.tenant_id = :tenant_id AND s.user_id = :of_user)

--# query user_delete_messages
DELETE FROM chat_messages
WHERE tenant_id = :tenant_id AND session_id IN (SELECT s.session_id FROM chat_sessions s
	WHERE s.tenant_id = :tenant_id AND s.user_id = :of_user)

--# query user_delete_idempotency
DELETE FROM chat_idempotency WHERE tenant_id = :tenant_id AND user_id = :of_user

--# query user_delete_saved
DELETE FROM chat_saved_views WHERE tenant_id = :tenant_id AND user_id = :of_user

--# query user_delete_tokens
DELETE FROM chat_tokens WHERE tenant_id = :tenant_id AND user_id = :of_user

-- A user's private data sources are deleted; shared ones stay with the tenant.
--# query user_delete_sources
UPDATE chat_data_sources
SET deleted_at = :now, etag = etag + 1, updated_at = :now
WHERE tenant_id = :tenant_id AND owner = :of_user AND visibility = 'private' AND deleted_at IS NULL

--# query user_leave_sources
UPDATE chat_data_sources
SET owner = '', etag = etag + 1, updated_at = :now
WHERE tenant_id = :tenant_id AND owner = :of_user AND visibility <> 'private'

--# query user_delete_sessions
DELETE FROM chat_sessions WHERE tenant_id = :tenant_id AND user_id = :of_user

-- Retention, in batches: the rows to delete, then everything that depends on them.
--# query retain_messages
SELECT m.message_uid
FROM chat_messages m
WHERE m.tenant_id = :tenant_id AND m.created_at < :before
ORDER BY m.message_id
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query retain_delete_feedback
DELETE FROM chat_feedback WHERE tenant_id = :tenant_id AND message_uid IN (:ids...)

--# query retain_delete_messages
DELETE FROM chat_messages WHERE tenant_id = :tenant_id AND message_uid IN (:ids...)

-- A summary contains the content of messages, so it expires with them.
--# query retain_delete_summaries
DELETE FROM chat_session_summaries WHERE tenant_id = :tenant_id AND created_at < :before

--# query retain_delete_sessions
DELETE FROM chat_sessions
WHERE tenant_id = :tenant_id AND updated_at < :before
	AND NOT EXISTS (SELECT 1 FROM chat_messages m WHERE m.session_id = chat_sessions.session_id)
	AND NOT EXISTS (SELECT 1 FROM chat_session_summaries x WHERE x.session_id = chat_sessions.session_id)

--# query retain_delete_audit
DELETE FROM chat_audit_log WHERE audit_id IN (SELECT a.audit_id FROM chat_audit_log a
	WHERE a.tenant_id = :tenant_id AND a.created_at < :before
	ORDER BY a.audit_id OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY)

--# query retain_audit_left
SELECT a.audit_id
FROM chat_audit_log a
WHERE a.tenant_id = :tenant_id AND a.created_at < :before
ORDER BY a.audit_id
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

-- Only the content of receipts is removed.
--# query retain_receipts
UPDATE chat_receipts
SET content = NULL, message_uid = NULL, session_id = NULL, user_id = NULL
WHERE tenant_id = :tenant_id AND receipt_no IN (SELECT r.receipt_no FROM chat_receipts r
	WHERE r.tenant_id = :tenant_id AND r.content IS NOT NULL AND r.created_at < :before
	ORDER BY r.receipt_no OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY)

--# query retain_receipts_left
SELECT r.receipt_no
FROM chat_receipts r
WHERE r.tenant_id = :tenant_id AND r.content IS NOT NULL AND r.created_at < :before
ORDER BY r.receipt_no
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY

--# query retain_delete_idempotency
DELETE FROM chat_idempotency WHERE tenant_id = :tenant_id AND created_at < :before

--# query ledger_insert
INSERT INTO chat_ledger (tenant_id, user_id, role, kind, provider, model, purpose, input_tokens, cache_read_tokens,
	cache_write_tokens, output_tokens, tokens, nano_usd, day, created_at)
VALUES (:tenant_id, :user_id, :role, :kind, :provider, :model, :purpose, :input_tokens, :cache_read_tokens,
	:cache_write_tokens, :output_tokens, :tokens, :nano_usd, :day, :now)

-- For the whole tenant, without a user. A page of users by name: the spending of each since the start of the month, and
-- today.
--# query ledger_sums
SELECT l.user_id, l.role, SUM(l.tokens) AS month_tokens, SUM(l.nano_usd) AS month_nano_usd,
	SUM(CASE WHEN l.day = :today THEN l.tokens ELSE 0 END) AS day_tokens,
	SUM(CASE WHEN l.day = :today THEN l.nano_usd ELSE 0 END) AS day_nano_usd
FROM chat_ledger l
WHERE l.tenant_id = :tenant_id AND l.day >= :month_start
	AND (l.user_id > :after_user OR (l.user_id = :after_user AND l.role > :after_role))
GROUP BY l.user_id, l.role
ORDER BY l.user_id, l.role
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

-- Approved answers.
--# query flows
SELECT f.name, f.version, f.text, f.fingerprint, f.status, f.why, f.message_uid, f.approved_by, f.approved_at, f.checked_at
FROM chat_flows f
WHERE f.tenant_id = :tenant_id
ORDER BY f.name

--# query flow_one
SELECT f.name, f.version, f.text, f.fingerprint, f.status, f.why, f.message_uid, f.approved_by, f.approved_at, f.checked_at
FROM chat_flows f
WHERE f.tenant_id = :tenant_id AND f.name = :name

-- The stamp differs after each change by any replica.
--# query flows_stamp
SELECT COUNT(*) AS flows, MAX(f.checked_at) AS newest, SUM(f.version) AS versions
FROM chat_flows f
WHERE f.tenant_id = :tenant_id

--# query flow_insert
INSERT INTO chat_flows (tenant_id, name, version, text, fingerprint, status, message_uid, approved_by, approved_at, checked_at)
SELECT :tenant_id, :name, 1, :text, :fingerprint, 'active', :message_id, :user_id, :now, :now
WHERE (SELECT COUNT(*) FROM chat_flows f WHERE f.tenant_id = :tenant_id) < :most
	AND NOT EXISTS (SELECT 1 FROM chat_flows f WHERE f.tenant_id = :tenant_id AND f.name = :name)

--# query flow_update
UPDATE chat_flows
SET version = version + 1, checked_at = :now, why = NULL
--? text: , text = :text
--? fingerprint: , fingerprint = :fingerprint
--? status: , status = :status
WHERE tenant_id = :tenant_id AND name = :name AND version = :if_version

-- Stores the result of checking a flow with the current packs. If the text was replaced meanwhile, it is checked again.
--# query flow_checked
UPDATE chat_flows
SET status = :status, why = :why, checked_at = :now
--? fingerprint: , fingerprint = :fingerprint
WHERE tenant_id = :tenant_id AND name = :name AND version = :if_version AND status <> 'withdrawn'

--# query flow_delete
DELETE FROM chat_flows WHERE tenant_id = :tenant_id AND name = :name

-- Personal access tokens, by the hash of what a client sends. Revoked tokens are deleted; the audit log records them.
--# query token_by_hash
SELECT t.token_id, t.user_id, t.name, t.scopes, t.permissions, t.created_at, t.expires_at, t.last_used_at
FROM chat_tokens t
WHERE t.tenant_id = :tenant_id AND t.token_hash = :hash

--# query tokens
SELECT t.token_id, t.user_id, t.name, t.scopes, t.permissions, t.created_at, t.expires_at, t.last_used_at
FROM chat_tokens t
WHERE t.tenant_id = :tenant_id
--? token_id: AND t.token_id = :token_id
--? of_user: AND t.user_id = :of_user
ORDER BY t.created_at DESC, t.token_id
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query tokens_expire
DELETE FROM chat_tokens WHERE tenant_id = :tenant_id AND user_id = :user_id AND expires_at <= :now

--# query token_insert
INSERT INTO chat_tokens (tenant_id, token_id, user_id, name, token_hash, scopes, permissions, signed_in_at, created_at, expires_at)
SELECT :tenant_id, :token_id, :user_id, :name, :hash, :scopes, :permissions, :signed_in_at, :now, :expires_at
WHERE (SELECT COUNT(*) FROM chat_tokens t WHERE t.tenant_id = :tenant_id AND t.user_id = :user_id) < :most

-- Logs an action with an existing token. `day`: at most once a day.
--# query token_audit
INSERT INTO chat_audit_log (tenant_id, user_id, agent_name, tool_name, outcome, row_count, duration_ms, created_at)
SELECT :tenant_id, :user_id, t.token_id, :what, 'ok', 0, 0, :now
FROM chat_tokens t
WHERE t.tenant_id = :tenant_id AND t.token_id = :token_id
--? of_user: AND t.user_id = :of_user
--? day: AND (t.last_used_at IS NULL OR t.last_used_at < :day)

--# query token_touch
UPDATE chat_tokens SET last_used_at = :now WHERE tenant_id = :tenant_id AND token_id = :token_id

--# query token_delete
DELETE FROM chat_tokens WHERE tenant_id = :tenant_id AND token_id = :token_id
--? of_user: AND user_id = :of_user

-- Only the newest sign-in determines the user's permissions.
--# query tokens_signed_in
UPDATE chat_tokens
SET permissions = :permissions, signed_in_at = :signed_in_at
WHERE tenant_id = :tenant_id AND user_id = :user_id
	AND (signed_in_at < :signed_in_at OR (signed_in_at = :signed_in_at AND permissions <> :permissions))

-- Data sources. The stamp differs after each change by any replica, even if the time of a row was set back.
--# query sources_stamp
SELECT COUNT(*) AS sources, SUM(s.etag) AS etags,
	(SELECT MIN(o.updated_at) FROM chat_data_sources o WHERE o.tenant_id = :tenant_id) AS oldest,
	(SELECT MAX(o.updated_at) FROM chat_data_sources o WHERE o.tenant_id = :tenant_id) AS newest,
	(SELECT COUNT(*) FROM chat_data_versions v WHERE v.tenant_id = :tenant_id) AS versions,
	(SELECT MIN(v.updated_at) FROM chat_data_versions v WHERE v.tenant_id = :tenant_id) AS oldest_version,
	(SELECT MAX(v.updated_at) FROM chat_data_versions v WHERE v.tenant_id = :tenant_id) AS newest_version
FROM chat_data_sources s
WHERE s.tenant_id = :tenant_id

--# query sources
SELECT s.source_uid, s.kind, s.owner, s.name, s.description, s.visibility, s.roles, s.current_version, s.meaning, s.expires_at, s.etag, s.deleted_at, s.created_at, s.updated_at
FROM chat_data_sources s
WHERE s.tenant_id = :tenant_id
--? since:	AND s.updated_at >= :since
ORDER BY s.source_uid

--# query source_versions
SELECT v.version_uid, v.source_uid, v.number, v.state, v.format, v.table_name, v.byte_count, v.row_count, v.sha256, v.profile, v.ask, v.answers,
	v.fault_code, v.fault_text, v.fault_line, v.updated_at
FROM chat_data_versions v
WHERE v.tenant_id = :tenant_id
--? since:	AND v.updated_at >= :since
ORDER BY v.source_uid, v.number

--# query source_joins
SELECT j.source_uid, j.other_uid, j.source_column, j.other_column, j.stated_by
FROM chat_data_joins j
WHERE j.tenant_id = :tenant_id
ORDER BY j.source_uid, j.other_uid

--# query source_insert
INSERT INTO chat_data_sources (tenant_id, source_uid, kind, owner, name, description, visibility, roles, etag, created_at, updated_at)
SELECT :tenant_id, :source, :kind, :owner, :name, :description, 'private', '', 1, :now, :now
WHERE (SELECT COUNT(*) FROM chat_data_sources s WHERE s.tenant_id = :tenant_id AND s.kind = :kind) < :most
	AND NOT EXISTS (SELECT 1 FROM chat_data_sources s WHERE s.tenant_id = :tenant_id AND s.source_uid = :source)

--# query source_one
SELECT s.source_uid, s.kind, s.owner, s.name, s.description, s.visibility, s.roles, s.current_version, s.meaning, s.expires_at, s.etag, s.deleted_at, s.created_at, s.updated_at
FROM chat_data_sources s
WHERE s.tenant_id = :tenant_id AND s.source_uid = :source

--# query version_insert
INSERT INTO chat_data_versions (tenant_id, version_uid, source_uid, number, state, format, byte_count, row_count, fault_line, updated_at)
SELECT :tenant_id, :version, :source, COALESCE((SELECT MAX(v.number) FROM chat_data_versions v
	WHERE v.tenant_id = :tenant_id AND v.source_uid = :source), 0) + 1, 'receiving', :format, 0, 0, 0, :now
WHERE EXISTS (SELECT 1 FROM chat_data_sources s WHERE s.tenant_id = :tenant_id AND s.source_uid = :source AND s.deleted_at IS NULL)
	AND NOT EXISTS (SELECT 1 FROM chat_data_versions v WHERE v.tenant_id = :tenant_id AND v.source_uid = :source
		AND v.state IN ('receiving', 'reading', 'loading'))

--# query version_one
SELECT v.state, v.holder
FROM chat_data_versions v
WHERE v.tenant_id = :tenant_id AND v.version_uid = :version

-- The first replica that claims a version loads it.
--# query version_claim
UPDATE chat_data_versions
SET state = 'loading', table_name = :table, holder = :holder, updated_at = :now
WHERE tenant_id = :tenant_id AND version_uid = :version AND state = 'reading'

-- Heartbeat: the version is still being received or loaded.
--# query version_beat
UPDATE chat_data_versions
SET updated_at = :now
WHERE tenant_id = :tenant_id AND version_uid = :version AND state IN ('receiving', 'reading', 'loading')

--# query version_update
UPDATE chat_data_versions
SET state = :state, updated_at = :now
--? table: , table_name = :table
--? bytes: , byte_count = :bytes
--? rows: , row_count = :rows
--? sha256: , sha256 = :sha256
--? profile: , profile = :profile
--? ask: , ask = :ask
--? answers: , answers = :answers
--? code: , fault_code = :code, fault_text = :text, fault_line = :line
WHERE tenant_id = :tenant_id AND version_uid = :version
--? holder: AND state = 'loading' AND holder = :holder

--# query version_fail
UPDATE chat_data_versions
SET state = 'failed', updated_at = :now, fault_code = :code
WHERE tenant_id = :tenant_id AND version_uid = :version AND state = :state AND updated_at = :updated_at

--# query version_clear
UPDATE chat_data_versions
SET table_name = NULL, updated_at = :now
WHERE tenant_id = :tenant_id AND version_uid = :version

--# query version_retire
UPDATE chat_data_versions
SET state = 'retiring', updated_at = :now
WHERE tenant_id = :tenant_id AND source_uid = :source AND state = 'ready' AND version_uid <> :version
	AND EXISTS (SELECT 1 FROM chat_data_versions v WHERE v.tenant_id = :tenant_id AND v.version_uid = :version AND v.state = 'ready')

--# query version_use
UPDATE chat_data_sources
SET current_version = :version, etag = etag + 1, updated_at = :now
WHERE tenant_id = :tenant_id AND source_uid = :source
	AND EXISTS (SELECT 1 FROM chat_data_versions v WHERE v.tenant_id = :tenant_id AND v.version_uid = :version AND v.state = 'ready')

--# query version_delete
DELETE FROM chat_data_versions WHERE tenant_id = :tenant_id AND version_uid = :version

--# query source_update
UPDATE chat_data_sources
SET etag = etag + 1, updated_at = :now
--? name: , name = :name
--? description: , description = :description
--? visibility: , visibility = :visibility
--? roles: , roles = :roles
--? meaning: , meaning = NULLIF(:meaning, '')
--? expires_at: , expires_at = NULLIF(:expires_at, '')
WHERE tenant_id = :tenant_id AND source_uid = :source AND etag = :if_etag AND deleted_at IS NULL

-- The joins of a data source are replaced as a whole, before its etag changes.
--# query source_joins_clear
DELETE FROM chat_data_joins
WHERE tenant_id = :tenant_id AND source_uid = :source
	AND EXISTS (SELECT 1 FROM chat_data_sources s WHERE s.tenant_id = :tenant_id AND s.source_uid = :source AND s.etag = :if_etag AND s.deleted_at IS NULL)

--# query source_join_insert
INSERT INTO chat_data_joins (tenant_id, source_uid, other_uid, source_column, other_column, stated_by, stated_at)
SELECT :tenant_id, :source, :other, :source_column, :other_column, :stated_by, :now
WHERE EXISTS (SELECT 1 FROM chat_data_sources s WHERE s.tenant_id = :tenant_id AND s.source_uid = :source AND s.etag = :if_etag AND s.deleted_at IS NULL)
	AND EXISTS (SELECT 1 FROM chat_data_sources s WHERE s.tenant_id = :tenant_id AND s.source_uid = :other AND s.deleted_at IS NULL)

--# query source_mark
UPDATE chat_data_sources
SET deleted_at = :now, etag = etag + 1, updated_at = :now
WHERE tenant_id = :tenant_id AND source_uid = :source AND deleted_at IS NULL

-- Removes a data source's content from answers. The user's question remains.
--# query source_delete_receipts
UPDATE chat_receipts
SET content = NULL
WHERE tenant_id = :tenant_id AND message_uid IN (SELECT m.message_uid FROM chat_messages m
	WHERE m.tenant_id = :tenant_id AND m.needs LIKE :needed ESCAPE '\')

--# query source_delete_idempotency
DELETE FROM chat_idempotency
WHERE tenant_id = :tenant_id AND EXISTS (SELECT 1 FROM chat_messages m
	WHERE m.tenant_id = :tenant_id AND m.needs LIKE :needed ESCAPE '\' AND REPLACE(chat_idempotency.body, m.message_uid, '') <> chat_idempotency.body)

--# query source_delete_summaries
DELETE FROM chat_session_summaries
WHERE tenant_id = :tenant_id AND session_id IN (SELECT m.session_id FROM chat_messages m
	WHERE m.tenant_id = :tenant_id AND m.needs LIKE :needed ESCAPE '\')

--# query source_delete_saved
DELETE FROM chat_saved_views WHERE tenant_id = :tenant_id AND needs LIKE :needed ESCAPE '\'

--# query source_delete_answers
UPDATE chat_messages
SET content = :sentence, tool_calls = NULL, views = NULL, pbi_deep_links = NULL, checked = NULL, standing = NULL, needs = NULL
WHERE tenant_id = :tenant_id AND needs LIKE :needed ESCAPE '\'

--# query source_delete_joins
DELETE FROM chat_data_joins WHERE tenant_id = :tenant_id AND (source_uid = :source OR other_uid = :source)

--# query source_delete_versions
DELETE FROM chat_data_versions WHERE tenant_id = :tenant_id AND source_uid = :source

--# query source_delete
DELETE FROM chat_data_sources WHERE tenant_id = :tenant_id AND source_uid = :source

-- Saved views, stored as the calls that produce them.
--# query saved_views
SELECT v.saved_uid, v.user_id, v.is_shared, v.title, v.message_uid, v.view_id, v.call_text, v.needs, v.created_at
FROM chat_saved_views v
WHERE v.tenant_id = :tenant_id AND v.user_id = :user_id
ORDER BY v.created_at DESC, v.saved_uid
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query saved_view_one
SELECT v.saved_uid, v.user_id, v.is_shared, v.title, v.message_uid, v.view_id, v.call_text, v.needs, v.created_at
FROM chat_saved_views v
WHERE v.tenant_id = :tenant_id AND v.saved_uid = :saved_id AND (v.user_id = :user_id
--? anybody: OR v.is_shared = 1
	)

--# query saved_view_insert
INSERT INTO chat_saved_views (tenant_id, saved_uid, user_id, is_shared, title, message_uid, view_id, call_text, needs, created_at)
SELECT :tenant_id, :saved_id, :user_id, :is_shared, :title, m.message_uid, :view_id, :call_text, m.needs, :now
FROM chat_messages m
JOIN chat_sessions s ON s.session_id = m.session_id AND s.tenant_id = m.tenant_id
WHERE m.message_uid = :message_id AND m.tenant_id = :tenant_id AND s.user_id = :user_id
	AND (SELECT COUNT(*) FROM chat_saved_views v WHERE v.tenant_id = :tenant_id AND v.user_id = :user_id) < :most

--# query saved_view_delete
DELETE FROM chat_saved_views WHERE tenant_id = :tenant_id AND saved_uid = :saved_id AND user_id = :user_id

-- For administrators: sums over the whole tenant.
--# query report_users
SELECT l.user_id AS "user", SUM(CASE WHEN l.kind = 'settle' THEN 1 ELSE 0 END) AS calls,
	SUM(l.input_tokens + l.cache_read_tokens + l.cache_write_tokens) AS input_tokens, SUM(l.output_tokens) AS output_tokens,
	SUM(l.tokens) AS tokens, SUM(l.nano_usd) AS nano_usd
FROM chat_ledger l
WHERE l.tenant_id = :tenant_id AND l.day >= :first_day
GROUP BY l.user_id
ORDER BY nano_usd DESC, tokens DESC, "user"
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query report_models
SELECT l.provider, l.model, SUM(CASE WHEN l.kind = 'settle' THEN 1 ELSE 0 END) AS calls,
	SUM(l.input_tokens + l.cache_read_tokens + l.cache_write_tokens) AS input_tokens, SUM(l.output_tokens) AS output_tokens,
	SUM(l.tokens) AS tokens, SUM(l.nano_usd) AS nano_usd
FROM chat_ledger l
WHERE l.tenant_id = :tenant_id AND l.day >= :first_day
GROUP BY l.provider, l.model
ORDER BY nano_usd DESC, tokens DESC, l.provider, l.model
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query report_days
SELECT l.day, SUM(CASE WHEN l.kind = 'settle' THEN 1 ELSE 0 END) AS calls,
	SUM(l.input_tokens + l.cache_read_tokens + l.cache_write_tokens) AS input_tokens, SUM(l.output_tokens) AS output_tokens,
	SUM(l.tokens) AS tokens, SUM(l.nano_usd) AS nano_usd
FROM chat_ledger l
WHERE l.tenant_id = :tenant_id AND l.day >= :first_day
GROUP BY l.day
ORDER BY l.day DESC
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query report_statuses
SELECT m.status, COUNT(*) AS answers
FROM chat_messages m
WHERE m.tenant_id = :tenant_id AND m.role = 'assistant' AND m.created_at >= :since
GROUP BY m.status
ORDER BY answers DESC, m.status
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query report_providers
SELECT COALESCE(m.provider, '') AS provider, COUNT(*) AS answers
FROM chat_messages m
WHERE m.tenant_id = :tenant_id AND m.role = 'assistant' AND m.created_at >= :since
GROUP BY COALESCE(m.provider, '')
ORDER BY answers DESC, provider
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

-- Complete answers without a call are small talk, or questions that were not understood.
--# query report_numbers
SELECT COUNT(*) AS answers,
	COALESCE(SUM(CASE WHEN m.checked LIKE '%"unbound":%' AND m.checked NOT LIKE '%"unbound":0,%' THEN 1 ELSE 0 END), 0) AS unverified,
	COALESCE(SUM(CASE WHEN m.status = 'complete' AND COALESCE(m.agents_used, '') = '' THEN 1 ELSE 0 END), 0) AS without_data,
	COALESCE(SUM(CASE WHEN r.content LIKE '%"failed_over":true%' THEN 1 ELSE 0 END), 0) AS failed_over
FROM chat_messages m
LEFT JOIN chat_receipts r ON r.tenant_id = m.tenant_id AND r.receipt_id = m.receipt_id
WHERE m.tenant_id = :tenant_id AND m.role = 'assistant' AND m.created_at >= :since

--# query report_ratings
SELECT f.rating, COUNT(*) AS answers
FROM chat_feedback f
WHERE f.tenant_id = :tenant_id AND f.updated_at >= :since
GROUP BY f.rating
ORDER BY f.rating
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY

--# query report_unanswered
SELECT LOWER(q.content) AS question, m.status, COUNT(*) AS times, MAX(m.created_at) AS last_at
FROM chat_messages m
JOIN chat_messages q ON q.turn_id = m.turn_id AND q.tenant_id = m.tenant_id AND q.role = 'user'
WHERE m.tenant_id = :tenant_id AND m.role = 'assistant' AND m.created_at >= :since
	AND (m.status IN ('failed', 'refused') OR (m.status = 'complete' AND COALESCE(m.agents_used, '') = ''))
GROUP BY LOWER(q.content), m.status
ORDER BY times DESC, last_at DESC
OFFSET 0 ROWS FETCH NEXT :limit ROWS ONLY
