-- What owners say of their data sources: what columns mean, until when it stays, how two are joined.

--# owner
SET LOCAL ROLE vesper_owner

--# meaning
ALTER TABLE dbo.chat_data_sources ADD COLUMN meaning text

--# expires_at
ALTER TABLE dbo.chat_data_sources ADD COLUMN expires_at varchar(24)

-- Who loads it, and that no two files of one source come at once.
--# holder
ALTER TABLE dbo.chat_data_versions ADD COLUMN holder varchar(36)

--# chat_data_versions_number
CREATE UNIQUE INDEX IX_chat_data_versions_number ON dbo.chat_data_versions (tenant_id, source_uid, number)

--# chat_data_joins
CREATE TABLE dbo.chat_data_joins (
	tenant_id varchar(100) NOT NULL,
	source_uid varchar(36) NOT NULL,
	other_uid varchar(36) NOT NULL,
	source_column varchar(60) NOT NULL,
	other_column varchar(60) NOT NULL,
	stated_by varchar(200) NOT NULL,
	stated_at varchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, source_uid, other_uid)
)

--# rows of joins
ALTER TABLE dbo.chat_data_joins ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY

--# policy of joins
CREATE POLICY own_tenant ON dbo.chat_data_joins
	USING (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))
	WITH CHECK (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))

--# rights on joins
GRANT SELECT, INSERT, DELETE ON dbo.chat_data_joins TO vesper_chat
