-- What models cost: rows are only ever added, their sums count.

--# chat_ledger
CREATE TABLE dbo.chat_ledger (
	entry_id bigint IDENTITY(1, 1) NOT NULL,
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	user_id nvarchar(200) NOT NULL,
	role nvarchar(100) NOT NULL,
	kind nvarchar(20) NOT NULL CONSTRAINT CK_chat_ledger_kind CHECK (kind IN ('hold', 'settle')),
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
	created_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_ledger PRIMARY KEY (entry_id)
);
GO

--# chat_ledger_by_day
CREATE INDEX IX_chat_ledger_day ON dbo.chat_ledger (tenant_id, day, user_id, role);
GO

--# tenant rows
CREATE SECURITY POLICY sec.chat_ledger_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_ledger,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_ledger AFTER INSERT
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# rights on chat_ledger
GRANT SELECT, INSERT ON OBJECT::dbo.chat_ledger TO vesper_chat_role;
GO
