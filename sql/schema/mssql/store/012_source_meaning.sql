-- What owners say of their data sources: what columns mean, until when it stays, how two are joined.

--# meaning
ALTER TABLE dbo.chat_data_sources ADD meaning nvarchar(max) COLLATE Latin1_General_100_BIN2 NULL;
GO

--# expires_at
ALTER TABLE dbo.chat_data_sources ADD expires_at nvarchar(24) NULL;
GO

-- Who loads it, and that no two files of one source come at once.
--# holder
ALTER TABLE dbo.chat_data_versions ADD holder nvarchar(36) COLLATE Latin1_General_100_BIN2 NULL;
GO

--# chat_data_versions_number
CREATE UNIQUE INDEX IX_chat_data_versions_number ON dbo.chat_data_versions (tenant_id, source_uid, number);
GO

--# chat_data_joins
CREATE TABLE dbo.chat_data_joins (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	source_uid nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
	other_uid nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
	source_column nvarchar(60) COLLATE Latin1_General_100_BIN2 NOT NULL,
	other_column nvarchar(60) COLLATE Latin1_General_100_BIN2 NOT NULL,
	stated_by nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
	stated_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_data_joins PRIMARY KEY (tenant_id, source_uid, other_uid)
);
GO

--# tenant rows of chat_data_joins
CREATE SECURITY POLICY sec.chat_data_joins_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_data_joins,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_data_joins AFTER INSERT
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# rights on chat_data_joins
GRANT SELECT, INSERT, DELETE ON OBJECT::dbo.chat_data_joins TO vesper_chat_role;
GO
