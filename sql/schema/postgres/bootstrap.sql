-- What every part of the schema stands on. Run by each `vesperctl db init`: all of it may run again.
--
--   vesper_owner   owns every table and view, and signs in nowhere. It is neither superuser nor BYPASSRLS, and row level
--                  security is forced on it: a view runs with its owner's rights, so what filters the owner filters the view.
--   vesper_read    the warehouse login of the daemon: SELECT on the approved views, nothing else
--   vesper_chat    the store login of the daemon: the chat tables, nothing else
--   vesper_load    the login that loads what users upload: its own tables in the schema uploads, nothing else
--   vesper_uploads the login that reads those tables
--
-- Who may see a row is said by the setting vesper.tenant_id of the session; without it no row is seen.

--# roles
DO $$
DECLARE
	r text;
BEGIN
	FOREACH r IN ARRAY ARRAY['vesper_owner', 'vesper_read', 'vesper_chat', 'vesper_load', 'vesper_uploads'] LOOP
		IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = r) THEN
			EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', r);
		ELSIF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = r AND (rolsuper OR rolbypassrls)) THEN
			RAISE EXCEPTION 'role % exists and passes by row level security', r;
		END IF;
	END LOOP;
END
$$

--# membership of whoever installs
DO $$
BEGIN
	IF NOT pg_catalog.pg_has_role(current_user, 'vesper_owner', 'MEMBER') THEN
		EXECUTE pg_catalog.format('GRANT vesper_owner TO %I', current_user);
	END IF;
END
$$

--# membership in the loader
DO $$
BEGIN
	IF NOT pg_catalog.pg_has_role(current_user, 'vesper_load', 'MEMBER') THEN
		EXECUTE pg_catalog.format('GRANT vesper_load TO %I', current_user);
	END IF;
END
$$

--# schemas
DO $$
DECLARE
	s text;
BEGIN
	FOREACH s IN ARRAY ARRAY['dbo', 'stage', 'base'] LOOP
		IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = s) THEN
			EXECUTE pg_catalog.format('CREATE SCHEMA %I AUTHORIZATION vesper_owner', s);
		END IF;
	END LOOP;
END
$$

-- What any login could do in any database: temporary tables, tables in "public", large objects.
--# rights of everybody
DO $$
DECLARE
	f regprocedure;
BEGIN
	EXECUTE pg_catalog.format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', pg_catalog.current_database());
	IF pg_catalog.to_regnamespace('public') IS NOT NULL
		AND pg_catalog.has_schema_privilege('vesper_read', 'public', 'CREATE') THEN
		REVOKE CREATE ON SCHEMA public FROM PUBLIC;
	END IF;
	IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
		FOR f IN SELECT p.oid::regprocedure FROM pg_catalog.pg_proc p
			WHERE p.pronamespace = 'pg_catalog'::regnamespace
				AND p.proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_open', 'lo_put', 'lowrite', 'lo_unlink',
					'lo_truncate', 'lo_truncate64') LOOP
			EXECUTE pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
		END LOOP;
	END IF;
END
$$

--# settings of the logins
DO $$
BEGIN
	EXECUTE pg_catalog.format('ALTER ROLE vesper_read IN DATABASE %I SET default_transaction_read_only = on',
		pg_catalog.current_database());
	EXECUTE pg_catalog.format('ALTER ROLE vesper_read IN DATABASE %I SET search_path = dbo, stage',
		pg_catalog.current_database());
	EXECUTE pg_catalog.format('ALTER ROLE vesper_chat IN DATABASE %I SET search_path = dbo',
		pg_catalog.current_database());
END
$$

--# ledger
CREATE TABLE IF NOT EXISTS dbo.schema_migrations (
	part varchar(20) NOT NULL,
	version int NOT NULL,
	name varchar(200) NOT NULL,
	checksum varchar(64) NOT NULL,
	applied_at timestamp(0) with time zone NOT NULL DEFAULT current_timestamp,
	PRIMARY KEY (part, version)
)

--# who reads the ledger
GRANT SELECT ON dbo.schema_migrations TO vesper_chat, vesper_read, vesper_owner

--# who enters
GRANT USAGE ON SCHEMA dbo TO vesper_read, vesper_chat

-- A password is a value here, never a piece of a statement that somebody put together.
--# set_login
CREATE OR REPLACE PROCEDURE dbo.set_login(login text, secret text)
LANGUAGE plpgsql
SET search_path = pg_catalog
AS $$
BEGIN
	IF login NOT IN ('vesper_read', 'vesper_chat', 'vesper_load', 'vesper_uploads') THEN
		RAISE EXCEPTION '% is no login of Vesper', login;
	END IF;
	EXECUTE pg_catalog.format('ALTER ROLE %I LOGIN PASSWORD %L', login, secret);
END
$$

--# who may call set_login
REVOKE ALL ON PROCEDURE dbo.set_login(text, text) FROM PUBLIC
