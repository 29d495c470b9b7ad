-- Data sources: files that users bring, and the versions of each.

--# chat_data_sources
CREATE TABLE dbo.chat_data_sources (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	source_uid nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
	owner nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
	name nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
	description nvarchar(1000) COLLATE Latin1_General_100_BIN2 NOT NULL,
	visibility nvarchar(10) COLLATE Latin1_General_100_BIN2 NOT NULL CONSTRAINT CK_chat_data_sources_visibility CHECK (visibility IN ('private', 'tenant', 'roles')),
	roles nvarchar(1000) COLLATE Latin1_General_100_BIN2 NOT NULL,
	current_version nvarchar(36) COLLATE Latin1_General_100_BIN2 NULL,
	etag bigint NOT NULL,
	deleted_at nvarchar(24) NULL,
	created_at nvarchar(24) NOT NULL,
	updated_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_data_sources PRIMARY KEY (tenant_id, source_uid)
);
GO

--# chat_data_versions
CREATE TABLE dbo.chat_data_versions (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	version_uid nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
	source_uid nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
	number int NOT NULL,
	state nvarchar(12) COLLATE Latin1_General_100_BIN2 NOT NULL CONSTRAINT CK_chat_data_versions_state CHECK (state IN ('receiving', 'reading', 'asking', 'loading', 'ready', 'retiring', 'failed')),
	format nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	table_name nvarchar(40) COLLATE Latin1_General_100_BIN2 NULL,
	byte_count bigint NOT NULL,
	row_count bigint NOT NULL,
	sha256 nvarchar(64) COLLATE Latin1_General_100_BIN2 NULL,
	profile nvarchar(max) COLLATE Latin1_General_100_BIN2 NULL,
	ask nvarchar(max) COLLATE Latin1_General_100_BIN2 NULL,
	answers nvarchar(max) COLLATE Latin1_General_100_BIN2 NULL,
	fault_code nvarchar(40) COLLATE Latin1_General_100_BIN2 NULL,
	fault_text nvarchar(1000) COLLATE Latin1_General_100_BIN2 NULL,
	fault_line bigint NOT NULL,
	updated_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_data_versions PRIMARY KEY (tenant_id, version_uid),
	CONSTRAINT FK_chat_data_versions FOREIGN KEY (tenant_id, source_uid) REFERENCES dbo.chat_data_sources (tenant_id, source_uid)
);
GO

--# tenant rows of chat_data_sources
CREATE SECURITY POLICY sec.chat_data_sources_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_data_sources,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_data_sources AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_data_sources AFTER UPDATE
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# rights on chat_data_sources
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_data_sources TO vesper_chat_role;
GO

--# tenant rows of chat_data_versions
CREATE SECURITY POLICY sec.chat_data_versions_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_data_versions,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_data_versions AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_data_versions AFTER UPDATE
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# rights on chat_data_versions
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_data_versions TO vesper_chat_role;
GO
