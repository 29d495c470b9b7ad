-- Where data that users bring is kept: a schema whose tables the loader's login makes and drops, and another login reads.

--# schema
CREATE SCHEMA uploads AUTHORIZATION vesper_load_role;
GO

--# who reads
GRANT SELECT ON SCHEMA::uploads TO vesper_uploads_role;
GO

--# who makes tables
GRANT CREATE TABLE TO vesper_load_role;
GRANT ALTER ANY SECURITY POLICY TO vesper_load_role;
GRANT ALTER ON SCHEMA::sec TO vesper_load_role;
GRANT REFERENCES ON OBJECT::sec.fn_tenant TO vesper_load_role;
GO
