-- about: Personal access tokens, for clients that cannot renew a token of the identity provider. A token itself is nowhere.

--# query chat_tokens
CREATE TABLE chat_tokens (
	tenant_id nvarchar(100) NOT NULL,
	token_id char(36) NOT NULL,
	user_id nvarchar(200) NOT NULL,
	name nvarchar(100) NOT NULL,
	token_hash char(64) NOT NULL,
	scopes text NOT NULL,
	permissions text NOT NULL,
	signed_in_at nvarchar(24) NOT NULL,
	created_at nvarchar(24) NOT NULL,
	expires_at nvarchar(24) NOT NULL,
	last_used_at nvarchar(24),
	PRIMARY KEY (tenant_id, token_id),
	UNIQUE (tenant_id, token_hash)
)

--# query chat_tokens_by_user
CREATE INDEX IX_chat_tokens_user ON chat_tokens (tenant_id, user_id)
