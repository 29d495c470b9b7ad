-- Made by vesperctl db ddl --pack solar --source solar --dialect postgres from sql/solar/tables.json.

--# schemas
DO $$
DECLARE
	s text;
BEGIN
	FOREACH s IN ARRAY ARRAY['pv'] LOOP
		IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = s) THEN
			EXECUTE pg_catalog.format('CREATE SCHEMA %I AUTHORIZATION vesper_owner', s);
		END IF;
	END LOOP;
END
$$

--# owner
SET LOCAL ROLE vesper_owner

-- Loggers of photovoltaic plants: inverters, weather stations and meters
--# loggers
CREATE TABLE base.loggers (
	tenant_id varchar(100) NOT NULL,
	logger_id varchar(40) NOT NULL,
	name varchar(200) NOT NULL,
	kind varchar(20) NOT NULL CHECK (kind IN ('inverter', 'meteo', 'meter')),
	group_name varchar(100) NOT NULL,
	model varchar(100) NOT NULL,
	capacity_kw decimal(10, 3),
	ac_rating_kw decimal(10, 3),
	gamma_pct_per_c decimal(6, 4),
	timezone varchar(60) NOT NULL,
	latitude decimal(9, 6) NOT NULL,
	longitude decimal(9, 6) NOT NULL,
	tilt_deg decimal(5, 1),
	azimuth_deg decimal(5, 1),
	meteo_logger_id varchar(40),
	tariff_per_kwh decimal(10, 5),
	currency varchar(3),
	commissioned_on date NOT NULL,
	retired_on date,
	PRIMARY KEY (tenant_id, logger_id)
)

-- Readings of the loggers, one row a logger and quarter hour, by the time at which it begins
--# measurements
CREATE TABLE base.measurements (
	tenant_id varchar(100) NOT NULL,
	logger_id varchar(40) NOT NULL,
	ts_utc timestamp(0) NOT NULL,
	local_date date NOT NULL,
	active_power_w decimal(12, 1),
	energy_day_kwh decimal(12, 3),
	irradiance_w_m2 decimal(7, 2),
	module_temp_c decimal(6, 2),
	metadata varchar(1000),
	PRIMARY KEY (tenant_id, logger_id, ts_utc)
)

--# measurements_day
CREATE INDEX measurements_day ON base.measurements (tenant_id, logger_id, local_date)

-- What the codes of a model mean
--# error_codes
CREATE TABLE base.error_codes (
	tenant_id varchar(100) NOT NULL,
	model varchar(100) NOT NULL,
	code varchar(20) NOT NULL,
	title varchar(200) NOT NULL,
	severity varchar(20) NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
	meaning varchar(500) NOT NULL,
	action varchar(500) NOT NULL,
	PRIMARY KEY (tenant_id, model, code)
)

--# tenant rows
DO $$
DECLARE
	t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['loggers', 'measurements', 'error_codes'] LOOP
		EXECUTE pg_catalog.format('ALTER TABLE base.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t);
		EXECUTE pg_catalog.format('CREATE POLICY own_tenant ON base.%I
			USING (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))
			WITH CHECK (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))', t);
	END LOOP;
END
$$

--# view loggers
CREATE VIEW pv.loggers AS
SELECT tenant_id, logger_id, name, kind, group_name, model, capacity_kw, ac_rating_kw, gamma_pct_per_c, timezone,
	latitude, longitude, tilt_deg, azimuth_deg, meteo_logger_id, tariff_per_kwh, currency, commissioned_on, retired_on
FROM base.loggers

--# view measurements
CREATE VIEW pv.measurements AS
SELECT tenant_id, logger_id, ts_utc, local_date, active_power_w, energy_day_kwh, irradiance_w_m2, module_temp_c,
	metadata
FROM base.measurements

--# view error_codes
CREATE VIEW pv.error_codes AS
SELECT tenant_id, model, code, title, severity, meaning, action
FROM base.error_codes

-- The first and the last reading of each logger; none of a logger without readings
--# view v_range
CREATE VIEW pv.v_range AS
SELECT l.tenant_id, l.logger_id, (SELECT MIN(m.local_date) FROM base.measurements m WHERE m.tenant_id = l.tenant_id AND m.logger_id = l.logger_id) AS first_day, (SELECT MAX(m.local_date) FROM base.measurements m WHERE m.tenant_id = l.tenant_id AND m.logger_id = l.logger_id) AS last_day, (SELECT MAX(m.ts_utc) FROM base.measurements m WHERE m.tenant_id = l.tenant_id AND m.logger_id = l.logger_id) AS last_ts FROM base.loggers l

-- Energy, peak and insolation of each logger and day of its zone; without a counter, energy is that of the quarter hours
--# view v_daily
CREATE VIEW pv.v_daily AS
SELECT m.tenant_id, m.logger_id, m.local_date, COALESCE(MAX(m.energy_day_kwh), ROUND(SUM(CASE WHEN m.active_power_w > 0 THEN m.active_power_w WHEN m.active_power_w IS NOT NULL THEN 0 END) * 0.00025, 3)) AS energy_kwh, MAX(m.active_power_w) AS peak_w, ROUND(SUM(CASE WHEN m.irradiance_w_m2 > 0 THEN m.irradiance_w_m2 WHEN m.irradiance_w_m2 IS NOT NULL THEN 0 END) * 0.00025, 3) AS insolation_kwh_m2, COUNT(*) AS intervals FROM base.measurements m GROUP BY m.tenant_id, m.logger_id, m.local_date

-- The newest reading of each logger, with its error code
--# view v_latest
CREATE VIEW pv.v_latest AS
SELECT m.tenant_id, m.logger_id, m.ts_utc, m.local_date, m.active_power_w, m.energy_day_kwh, NULLIF(substring(m.metadata from '"code"\s*:\s*"([^"]*)"'), '0') AS code FROM base.loggers l JOIN base.measurements m ON m.tenant_id = l.tenant_id AND m.logger_id = l.logger_id AND m.ts_utc = (SELECT MAX(n.ts_utc) FROM base.measurements n WHERE n.tenant_id = l.tenant_id AND n.logger_id = l.logger_id)

-- Readings with an error code; metadata that is no JSON has none
--# view v_error_events
CREATE VIEW pv.v_error_events AS
SELECT m.tenant_id, m.logger_id, m.ts_utc, m.local_date, substring(m.metadata from '"code"\s*:\s*"([^"]*)"') AS code FROM base.measurements m WHERE m.metadata IS NOT NULL AND substring(m.metadata from '"code"\s*:\s*"([^"]*)"') <> '0'

--# schema right
GRANT USAGE ON SCHEMA pv TO vesper_read

--# view rights
GRANT SELECT ON pv.loggers, pv.measurements, pv.error_codes, pv.v_range, pv.v_daily, pv.v_latest, pv.v_error_events TO vesper_read
