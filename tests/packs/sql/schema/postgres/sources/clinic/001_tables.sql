-- Made by vesperctl db ddl --pack hospital --source clinic --dialect postgres from sql/hospital/tables.json.

--# schemas
DO $$
DECLARE
	s text;
BEGIN
	FOREACH s IN ARRAY ARRAY['clinic'] LOOP
		IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = s) THEN
			EXECUTE pg_catalog.format('CREATE SCHEMA %I AUTHORIZATION vesper_owner', s);
		END IF;
	END LOOP;
END
$$

--# owner
SET LOCAL ROLE vesper_owner

-- Stays of patients; kind is planned or emergency
--# stays
CREATE TABLE base.stays (
	tenant_id varchar(100) NOT NULL,
	stay_id int NOT NULL,
	ward varchar(50) NOT NULL,
	kind varchar(20) NOT NULL CHECK (kind IN ('planned', 'emergency')),
	admitted_on date NOT NULL,
	days int NOT NULL CHECK (days > 0),
	PRIMARY KEY (tenant_id, stay_id)
)

--# stays_day
CREATE INDEX stays_day ON base.stays (tenant_id, admitted_on)

-- Costs of the wards in euros, booked on the first day of the month
--# costs
CREATE TABLE base.costs (
	tenant_id varchar(100) NOT NULL,
	ward varchar(50) NOT NULL,
	cost_kind varchar(20) NOT NULL,
	month_start date NOT NULL,
	amount decimal(12, 2) NOT NULL,
	PRIMARY KEY (tenant_id, ward, cost_kind, month_start)
)

--# tenant rows
DO $$
DECLARE
	t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['stays', 'costs'] LOOP
		EXECUTE pg_catalog.format('ALTER TABLE base.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t);
		EXECUTE pg_catalog.format('CREATE POLICY own_tenant ON base.%I
			USING (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))
			WITH CHECK (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))', t);
	END LOOP;
END
$$

--# view stays
CREATE VIEW clinic.stays AS
SELECT tenant_id, stay_id, ward, kind, admitted_on, days
FROM base.stays

--# view costs
CREATE VIEW clinic.costs AS
SELECT tenant_id, ward, cost_kind, month_start, amount
FROM base.costs

-- Stays by the month of their admission
--# view v_months
CREATE VIEW clinic.v_months AS
SELECT s.tenant_id, s.ward, s.kind, CAST(date_trunc('month', s.admitted_on) AS date) AS month_start, COUNT(*) AS stays, SUM(s.days) AS bed_days FROM base.stays s GROUP BY s.tenant_id, s.ward, s.kind, CAST(date_trunc('month', s.admitted_on) AS date)

--# schema right
GRANT USAGE ON SCHEMA clinic TO vesper_read

--# view rights
GRANT SELECT ON clinic.stays, clinic.costs, clinic.v_months TO vesper_read
