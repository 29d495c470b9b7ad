-- about: How each answer came about, chained by hashes: content may go, hashes stay.

--# query chat_messages_receipt
ALTER TABLE chat_messages ADD COLUMN receipt_id char(36)

--# query chat_receipts
CREATE TABLE chat_receipts (
	tenant_id nvarchar(100) NOT NULL,
	receipt_no bigint NOT NULL,
	receipt_id char(36) NOT NULL,
	message_uid char(36),
	session_id char(36),
	user_id nvarchar(200),
	content text,
	leaves text NOT NULL,
	content_hash char(64) NOT NULL,
	previous_hash char(64) NOT NULL,
	hash char(64) NOT NULL,
	created_at nvarchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, receipt_no),
	UNIQUE (tenant_id, receipt_id)
)

--# query chat_receipts_by_session
CREATE INDEX IX_chat_receipts_session ON chat_receipts (tenant_id, session_id)

--# query chat_receipts_by_user
CREATE INDEX IX_chat_receipts_user ON chat_receipts (tenant_id, user_id)

--# query chat_receipts_by_time
CREATE INDEX IX_chat_receipts_time ON chat_receipts (tenant_id, created_at)

--# query chat_receipts_no_update
CREATE TRIGGER chat_receipts_no_update
BEFORE UPDATE OF tenant_id, receipt_no, receipt_id, leaves, content_hash, previous_hash, hash, created_at ON chat_receipts
BEGIN
	SELECT RAISE(ABORT, 'receipts are never changed');
END

--# query chat_receipts_no_delete
CREATE TRIGGER chat_receipts_no_delete BEFORE DELETE ON chat_receipts
BEGIN
	SELECT RAISE(ABORT, 'receipts are never deleted');
END
