-- Personal access tokens, for clients that cannot renew a token of the identity provider. A token itself is nowhere.

--# chat_tokens
CREATE TABLE dbo.chat_tokens (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	token_id nvarchar(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
	user_id nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
	name nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	token_hash nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
	scopes nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
	permissions nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
	signed_in_at nvarchar(24) NOT NULL,
	created_at nvarchar(24) NOT NULL,
	expires_at nvarchar(24) NOT NULL,
	last_used_at nvarchar(24) NULL,
	CONSTRAINT PK_chat_tokens PRIMARY KEY (tenant_id, token_id),
	CONSTRAINT UQ_chat_tokens_hash UNIQUE (tenant_id, token_hash)
);
GO

--# chat_tokens_by_user
CREATE INDEX IX_chat_tokens_user ON dbo.chat_tokens (tenant_id, user_id);
GO

--# tenant rows
CREATE SECURITY POLICY sec.chat_tokens_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_tokens,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_tokens AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON dbo.chat_tokens AFTER UPDATE
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# rights on chat_tokens
GRANT SELECT, INSERT, UPDATE, DELETE ON OBJECT::dbo.chat_tokens TO vesper_chat_role;
GO
