-- about: Saved views: results that users pinned or shared, as the calls that gave them. No rows of data are here.

--# query chat_saved_views
CREATE TABLE chat_saved_views (
	tenant_id nvarchar(100) NOT NULL,
	saved_uid char(36) NOT NULL,
	user_id nvarchar(200) NOT NULL,
	is_shared int NOT NULL,
	title nvarchar(200) NOT NULL,
	message_uid char(36) NOT NULL,
	view_id nvarchar(100) NOT NULL,
	call_text text NOT NULL,
	needs text,
	created_at nvarchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, saved_uid)
)

--# query chat_saved_views_by_user
CREATE INDEX IX_chat_saved_views_user ON chat_saved_views (tenant_id, user_id)
