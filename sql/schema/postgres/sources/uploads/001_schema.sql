-- Where data that users bring is kept: a schema whose tables the loader's login makes and drops, and another login reads.

--# schema
CREATE SCHEMA uploads AUTHORIZATION vesper_load

--# who enters
GRANT USAGE ON SCHEMA uploads TO vesper_uploads

--# settings of the reader
DO $$
BEGIN
	EXECUTE pg_catalog.format('ALTER ROLE vesper_uploads IN DATABASE %I SET default_transaction_read_only = on',
		pg_catalog.current_database());
	EXECUTE pg_catalog.format('ALTER ROLE vesper_uploads IN DATABASE %I SET search_path = uploads',
		pg_catalog.current_database());
	EXECUTE pg_catalog.format('ALTER ROLE vesper_load IN DATABASE %I SET search_path = uploads',
		pg_catalog.current_database());
END
$$
