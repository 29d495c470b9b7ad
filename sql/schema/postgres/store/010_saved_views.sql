-- Saved views: results that users pinned or shared, as the calls that gave them. No rows of data are here.

--# owner
SET LOCAL ROLE vesper_owner

--# chat_saved_views
CREATE TABLE dbo.chat_saved_views (
	tenant_id varchar(100) NOT NULL,
	saved_uid varchar(36) NOT NULL,
	user_id varchar(200) NOT NULL,
	is_shared int NOT NULL,
	title varchar(200) NOT NULL,
	message_uid varchar(36) NOT NULL,
	view_id varchar(100) NOT NULL,
	call_text text NOT NULL,
	needs text,
	created_at varchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, saved_uid)
)

--# chat_saved_views_by_user
CREATE INDEX IX_chat_saved_views_user ON dbo.chat_saved_views (tenant_id, user_id)

--# tenant rows
ALTER TABLE dbo.chat_saved_views ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY

--# tenant policy
CREATE POLICY own_tenant ON dbo.chat_saved_views
	USING (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))
	WITH CHECK (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))

--# rights
GRANT SELECT, INSERT, DELETE ON dbo.chat_saved_views TO vesper_chat
