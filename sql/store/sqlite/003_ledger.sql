-- about: What models cost: rows are only ever added, their sums count.

--# query chat_ledger
CREATE TABLE chat_ledger (
	entry_id integer PRIMARY KEY AUTOINCREMENT,
	tenant_id nvarchar(100) NOT NULL,
	user_id nvarchar(200) NOT NULL,
	role nvarchar(100) NOT NULL,
	kind nvarchar(20) NOT NULL CHECK (kind IN ('hold', 'settle')),
	provider nvarchar(100) NOT NULL,
	model nvarchar(200) NOT NULL,
	purpose nvarchar(20) NOT NULL,
	input_tokens bigint NOT NULL,
	cache_read_tokens bigint NOT NULL,
	cache_write_tokens bigint NOT NULL,
	output_tokens bigint NOT NULL,
	tokens bigint NOT NULL,
	nano_usd bigint NOT NULL,
	day nvarchar(10) NOT NULL,
	created_at nvarchar(24) NOT NULL
)

--# query chat_ledger_by_day
CREATE INDEX IX_chat_ledger_day ON chat_ledger (tenant_id, day, user_id, role)
