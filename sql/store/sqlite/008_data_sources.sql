-- about: Data sources: files that users upload, and their versions.

--# query chat_data_sources
CREATE TABLE chat_data_sources (
	tenant_id nvarchar(100) NOT NULL,
	source_uid char(36) NOT NULL,
	owner nvarchar(200) NOT NULL,
	name nvarchar(200) NOT NULL,
	description nvarchar(1000) NOT NULL,
	visibility nvarchar(10) NOT NULL CHECK (visibility IN ('private', 'tenant', 'roles')),
	roles nvarchar(1000) NOT NULL,
	current_version char(36),
	etag bigint NOT NULL,
	deleted_at nvarchar(24),
	created_at nvarchar(24) NOT NULL,
	updated_at nvarchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, source_uid)
)

--# query chat_data_versions
CREATE TABLE chat_data_versions (
	tenant_id nvarchar(100) NOT NULL,
	version_uid char(36) NOT NULL,
	source_uid char(36) NOT NULL,
	number int NOT NULL,
	state nvarchar(12) NOT NULL CHECK (state IN ('receiving', 'reading', 'asking', 'loading', 'ready', 'retiring', 'failed')),
	format nvarchar(100) NOT NULL,
	table_name nvarchar(40),
	byte_count bigint NOT NULL,
	row_count bigint NOT NULL,
	sha256 char(64),
	profile text,
	ask text,
	answers text,
	fault_code nvarchar(40),
	fault_text nvarchar(1000),
	fault_line bigint NOT NULL,
	updated_at nvarchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, version_uid),
	FOREIGN KEY (tenant_id, source_uid) REFERENCES chat_data_sources (tenant_id, source_uid)
)
