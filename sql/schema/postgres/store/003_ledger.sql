-- What models cost: rows are only ever added, their sums count.

--# owner
SET LOCAL ROLE vesper_owner

--# chat_ledger
CREATE TABLE dbo.chat_ledger (
	entry_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	tenant_id varchar(100) NOT NULL,
	user_id varchar(200) NOT NULL,
	role varchar(100) NOT NULL,
	kind varchar(20) NOT NULL CHECK (kind IN ('hold', 'settle')),
	provider varchar(100) NOT NULL,
	model varchar(200) NOT NULL,
	purpose varchar(20) NOT NULL,
	input_tokens bigint NOT NULL,
	cache_read_tokens bigint NOT NULL,
	cache_write_tokens bigint NOT NULL,
	output_tokens bigint NOT NULL,
	tokens bigint NOT NULL,
	nano_usd bigint NOT NULL,
	day varchar(10) NOT NULL,
	created_at varchar(24) NOT NULL
)

--# chat_ledger_by_day
CREATE INDEX IX_chat_ledger_day ON dbo.chat_ledger (tenant_id, day, user_id, role)

--# tenant rows
DO $$
BEGIN
	ALTER TABLE dbo.chat_ledger ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	CREATE POLICY own_tenant ON dbo.chat_ledger
		USING (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))
		WITH CHECK (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true));
END
$$

--# rights
GRANT SELECT, INSERT ON dbo.chat_ledger TO vesper_chat
