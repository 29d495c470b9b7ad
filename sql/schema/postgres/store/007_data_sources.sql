-- Data sources: files that users bring, and the versions of each.

--# owner
SET LOCAL ROLE vesper_owner

--# chat_data_sources
CREATE TABLE dbo.chat_data_sources (
	tenant_id varchar(100) NOT NULL,
	source_uid varchar(36) NOT NULL,
	owner varchar(200) NOT NULL,
	name varchar(200) NOT NULL,
	description varchar(1000) NOT NULL,
	visibility varchar(10) NOT NULL CHECK (visibility IN ('private', 'tenant', 'roles')),
	roles varchar(1000) NOT NULL,
	current_version varchar(36),
	etag bigint NOT NULL,
	deleted_at varchar(24),
	created_at varchar(24) NOT NULL,
	updated_at varchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, source_uid)
)

--# chat_data_versions
CREATE TABLE dbo.chat_data_versions (
	tenant_id varchar(100) NOT NULL,
	version_uid varchar(36) NOT NULL,
	source_uid varchar(36) NOT NULL,
	number int NOT NULL,
	state varchar(12) NOT NULL CHECK (state IN ('receiving', 'reading', 'asking', 'loading', 'ready', 'retiring', 'failed')),
	format varchar(100) NOT NULL,
	table_name varchar(40),
	byte_count bigint NOT NULL,
	row_count bigint NOT NULL,
	sha256 varchar(64),
	profile text,
	ask text,
	answers text,
	fault_code varchar(40),
	fault_text varchar(1000),
	fault_line bigint NOT NULL,
	updated_at varchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, version_uid),
	FOREIGN KEY (tenant_id, source_uid) REFERENCES dbo.chat_data_sources (tenant_id, source_uid)
)

--# rows of sources
ALTER TABLE dbo.chat_data_sources ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY

--# policy of sources
CREATE POLICY own_tenant ON dbo.chat_data_sources
	USING (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))
	WITH CHECK (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))

--# rights on sources
GRANT SELECT, INSERT, UPDATE, DELETE ON dbo.chat_data_sources TO vesper_chat

--# rows of versions
ALTER TABLE dbo.chat_data_versions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY

--# policy of versions
CREATE POLICY own_tenant ON dbo.chat_data_versions
	USING (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))
	WITH CHECK (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))

--# rights on versions
GRANT SELECT, INSERT, UPDATE, DELETE ON dbo.chat_data_versions TO vesper_chat
