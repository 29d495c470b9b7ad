-- The source of the pack ferry, as one tenant's SQLite file.
CREATE TABLE vesper_tenant (tenant_id nvarchar(100) NOT NULL PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE trips (ferry nvarchar(50) NOT NULL, trip_year int NOT NULL, trips int NOT NULL, tenant_id nvarchar(100) NOT NULL);
INSERT INTO trips VALUES ('Seagull', 2025, 7311, 'crumb'), ('Seagull', 2024, 7120, 'crumb'), ('Cormorant', 2025, 2290, 'crumb');
