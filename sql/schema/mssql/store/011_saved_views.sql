-- Saved views: results that users pinned or shared, as the calls that gave them. No rows of data are here.

--# chat_saved_views
CREATE TABLE dbo.chat_saved_views (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	saved_uid nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
	user_id nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
	is_shared int NOT NULL,
	title nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
	message_uid nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
	view_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	call_text nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
	needs nvarchar(max) COLLATE Latin1_General_100_BIN2 NULL,
	created_at nvarchar(24) NOT NULL,
	CONSTRAINT PK_chat_saved_views PRIMARY KEY (tenant_id, saved_uid)
);
GO

--# chat_saved_views_by_user
CREATE INDEX IX_chat_saved_views_user ON dbo.chat_saved_views (tenant_id, user_id);
GO

--# tenant rows
CREATE SECURITY POLICY sec.chat_saved_views_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_saved_views,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_saved_views AFTER INSERT
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# rights on chat_saved_views
GRANT SELECT, INSERT, DELETE ON OBJECT::dbo.chat_saved_views TO vesper_chat_role;
GO
