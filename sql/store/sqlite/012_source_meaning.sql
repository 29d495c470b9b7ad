-- about: What owners say of their data sources: what columns mean, until when it stays, how two are joined.

--# query meaning
ALTER TABLE chat_data_sources ADD COLUMN meaning text

--# query expires_at
ALTER TABLE chat_data_sources ADD COLUMN expires_at nvarchar(24)

-- The replica that loads a version, and a unique index against two files of one data source at the same time.
--# query holder
ALTER TABLE chat_data_versions ADD COLUMN holder char(36)

--# query chat_data_versions_number
CREATE UNIQUE INDEX IX_chat_data_versions_number ON chat_data_versions (tenant_id, source_uid, number)

--# query chat_data_joins
CREATE TABLE chat_data_joins (
	tenant_id nvarchar(100) NOT NULL,
	source_uid char(36) NOT NULL,
	other_uid char(36) NOT NULL,
	source_column nvarchar(60) NOT NULL,
	other_column nvarchar(60) NOT NULL,
	stated_by nvarchar(200) NOT NULL,
	stated_at nvarchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, source_uid, other_uid)
)
