-- Personal access tokens, for clients that cannot renew a token of the identity provider. A token itself is nowhere.

--# owner
SET LOCAL ROLE vesper_owner

--# chat_tokens
CREATE TABLE dbo.chat_tokens (
	tenant_id varchar(100) NOT NULL,
	token_id varchar(36) NOT NULL,
	user_id varchar(200) NOT NULL,
	name varchar(100) NOT NULL,
	token_hash varchar(64) NOT NULL,
	scopes text NOT NULL,
	permissions text NOT NULL,
	signed_in_at varchar(24) NOT NULL,
	created_at varchar(24) NOT NULL,
	expires_at varchar(24) NOT NULL,
	last_used_at varchar(24),
	PRIMARY KEY (tenant_id, token_id),
	UNIQUE (tenant_id, token_hash)
)

--# chat_tokens_by_user
CREATE INDEX IX_chat_tokens_user ON dbo.chat_tokens (tenant_id, user_id)

--# tenant rows
ALTER TABLE dbo.chat_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY

--# tenant policy
CREATE POLICY own_tenant ON dbo.chat_tokens
	USING (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))
	WITH CHECK (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))

--# rights
GRANT SELECT, INSERT, UPDATE, DELETE ON dbo.chat_tokens TO vesper_chat
