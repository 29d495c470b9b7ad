-- Made by vesperctl db ddl --pack hospital --source clinic --dialect mssql from sql/hospital/tables.json.

--# schema clinic
IF SCHEMA_ID(N'clinic') IS NULL
	EXEC (N'CREATE SCHEMA clinic AUTHORIZATION dbo');
GO

-- Stays of patients; kind is planned or emergency
--# stays
CREATE TABLE base.stays (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	stay_id int NOT NULL,
	ward nvarchar(50) NOT NULL,
	kind nvarchar(20) NOT NULL CONSTRAINT CK_stays_kind CHECK (kind IN ('planned', 'emergency')),
	admitted_on date NOT NULL,
	days int NOT NULL CONSTRAINT CK_stays_days CHECK (days > 0),
	CONSTRAINT PK_stays PRIMARY KEY (tenant_id, stay_id)
);
GO

--# stays_day
CREATE INDEX stays_day ON base.stays (tenant_id, admitted_on);
GO

-- Costs of the wards in euros, booked on the first day of the month
--# costs
CREATE TABLE base.costs (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	ward nvarchar(50) NOT NULL,
	cost_kind nvarchar(20) NOT NULL,
	month_start date NOT NULL,
	amount decimal(12, 2) NOT NULL,
	CONSTRAINT PK_costs PRIMARY KEY (tenant_id, ward, cost_kind, month_start)
);
GO

--# tenant rows
CREATE SECURITY POLICY sec.clinic_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.stays,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.stays AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.stays AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.costs,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.costs AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.costs AFTER UPDATE
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# view stays
CREATE OR ALTER VIEW clinic.stays AS
SELECT tenant_id, stay_id, ward, kind, admitted_on, days
FROM base.stays;
GO

--# view costs
CREATE OR ALTER VIEW clinic.costs AS
SELECT tenant_id, ward, cost_kind, month_start, amount
FROM base.costs;
GO

-- Stays by the month of their admission
--# view v_months
CREATE OR ALTER VIEW clinic.v_months AS
SELECT s.tenant_id, s.ward, s.kind, DATEFROMPARTS(YEAR(s.admitted_on), MONTH(s.admitted_on), 1) AS month_start, COUNT(*) AS stays, SUM(s.days) AS bed_days FROM base.stays s GROUP BY s.tenant_id, s.ward, s.kind, DATEFROMPARTS(YEAR(s.admitted_on), MONTH(s.admitted_on), 1);
GO

--# right on clinic.stays
GRANT SELECT ON OBJECT::clinic.stays TO vesper_read_role;
GO

--# right on clinic.costs
GRANT SELECT ON OBJECT::clinic.costs TO vesper_read_role;
GO

--# right on clinic.v_months
GRANT SELECT ON OBJECT::clinic.v_months TO vesper_read_role;
GO
