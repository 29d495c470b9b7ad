-- What every part of the schema stands on. Run by each `vesperctl db init`: all of it may run again.
-- Batches end at GO, so that sqlcmd can run these files too.
--
--   vesper_read_role   the warehouse login of the daemon: SELECT on the approved views, nothing else
--   vesper_chat_role   the store login of the daemon: the chat tables, nothing else
--   vesper_load_role   the login that loads what users upload: its own tables in the schema uploads, nothing else
--   vesper_uploads_role the login that reads those tables
--
-- The users vesper_read and vesper_chat are made by sec.set_login, when a password is given. A managed identity is added by
-- hand: CREATE USER [name] FROM EXTERNAL PROVIDER; ALTER ROLE vesper_read_role ADD MEMBER [name].
-- Who may see a row is said by the session context key N'tenant_id'; without it no row is seen.

--# read role
IF DATABASE_PRINCIPAL_ID(N'vesper_read_role') IS NULL
	CREATE ROLE vesper_read_role AUTHORIZATION dbo;
GO

--# chat role
IF DATABASE_PRINCIPAL_ID(N'vesper_chat_role') IS NULL
	CREATE ROLE vesper_chat_role AUTHORIZATION dbo;
GO

--# load role
IF DATABASE_PRINCIPAL_ID(N'vesper_load_role') IS NULL
	CREATE ROLE vesper_load_role AUTHORIZATION dbo;
GO

--# uploads role
IF DATABASE_PRINCIPAL_ID(N'vesper_uploads_role') IS NULL
	CREATE ROLE vesper_uploads_role AUTHORIZATION dbo;
GO

--# schema base
IF SCHEMA_ID(N'base') IS NULL
	EXEC (N'CREATE SCHEMA base AUTHORIZATION dbo');
GO

--# schema Stage
IF SCHEMA_ID(N'Stage') IS NULL
	EXEC (N'CREATE SCHEMA Stage AUTHORIZATION dbo');
GO

--# schema sec
IF SCHEMA_ID(N'sec') IS NULL
	EXEC (N'CREATE SCHEMA sec AUTHORIZATION dbo');
GO

-- Compared byte by byte: under the usual collations "Acme" would be "acme". Policies are bound to it, so that it is made once
-- and never altered.
--# fn_tenant
IF OBJECT_ID(N'sec.fn_tenant', N'IF') IS NULL
	EXEC (N'
CREATE FUNCTION sec.fn_tenant (@tenant_id nvarchar(100))
RETURNS TABLE
WITH SCHEMABINDING
AS
RETURN SELECT 1 AS ok
	WHERE @tenant_id COLLATE Latin1_General_100_BIN2
		= CAST(SESSION_CONTEXT(N''tenant_id'') AS nvarchar(100)) COLLATE Latin1_General_100_BIN2');
GO

--# ledger
IF OBJECT_ID(N'dbo.schema_migrations', N'U') IS NULL
	CREATE TABLE dbo.schema_migrations (
		part nvarchar(20) NOT NULL,
		version int NOT NULL,
		name nvarchar(200) NOT NULL,
		checksum nvarchar(64) NOT NULL,
		applied_at datetime2(0) NOT NULL CONSTRAINT DF_schema_migrations_applied_at DEFAULT SYSUTCDATETIME(),
		CONSTRAINT PK_schema_migrations PRIMARY KEY (part, version)
	);
GO

--# who reads the ledger
GRANT SELECT ON OBJECT::dbo.schema_migrations TO vesper_read_role, vesper_chat_role;
GO

-- A user of this database alone where that is possible (Azure SQL, contained databases), else a login with a user. The
-- password is a value; what is put together from it is quoted by the server.
--# set_login
CREATE OR ALTER PROCEDURE sec.set_login @login sysname, @secret nvarchar(128)
AS
BEGIN
	SET NOCOUNT ON;
	DECLARE @role sysname = CASE @login WHEN N'vesper_read' THEN N'vesper_read_role' WHEN N'vesper_chat' THEN N'vesper_chat_role'
		WHEN N'vesper_load' THEN N'vesper_load_role' WHEN N'vesper_uploads' THEN N'vesper_uploads_role' END;
	DECLARE @password nvarchar(300) = N'N' + QUOTENAME(@secret, N'''');
	DECLARE @statement nvarchar(1000);
	IF @role IS NULL OR @password IS NULL
	BEGIN
		RAISERROR (N'no login of Vesper, or no password of 1 to 128 characters', 16, 1);
		RETURN;
	END;
	IF CAST(SERVERPROPERTY(N'EngineEdition') AS int) = 5
		OR EXISTS (SELECT 1 FROM sys.databases WHERE name = DB_NAME() AND containment = 1)
	BEGIN
		IF DATABASE_PRINCIPAL_ID(@login) IS NULL
			SET @statement = N'CREATE USER ' + QUOTENAME(@login) + N' WITH PASSWORD = ' + @password + N', DEFAULT_SCHEMA = dbo';
		ELSE
			SET @statement = N'ALTER USER ' + QUOTENAME(@login) + N' WITH PASSWORD = ' + @password;
		EXEC (@statement);
	END
	ELSE
	BEGIN
		IF SUSER_ID(@login) IS NULL
			SET @statement = N'CREATE LOGIN ' + QUOTENAME(@login) + N' WITH PASSWORD = ' + @password;
		ELSE
			SET @statement = N'ALTER LOGIN ' + QUOTENAME(@login) + N' WITH PASSWORD = ' + @password;
		EXEC (@statement);
		IF DATABASE_PRINCIPAL_ID(@login) IS NULL
		BEGIN
			SET @statement = N'CREATE USER ' + QUOTENAME(@login) + N' FOR LOGIN ' + QUOTENAME(@login)
				+ N' WITH DEFAULT_SCHEMA = dbo';
			EXEC (@statement);
		END
	END
	SET @statement = N'ALTER ROLE ' + QUOTENAME(@role) + N' ADD MEMBER ' + QUOTENAME(@login);
	EXEC (@statement);
END;
GO
