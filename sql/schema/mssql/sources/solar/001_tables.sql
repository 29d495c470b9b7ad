-- Made by vesperctl db ddl --pack solar --source solar --dialect mssql from sql/solar/tables.json.

--# schema pv
IF SCHEMA_ID(N'pv') IS NULL
	EXEC (N'CREATE SCHEMA pv AUTHORIZATION dbo');
GO

-- Loggers of photovoltaic plants: inverters, weather stations and meters
--# loggers
CREATE TABLE base.loggers (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	logger_id nvarchar(40) NOT NULL,
	name nvarchar(200) NOT NULL,
	kind nvarchar(20) NOT NULL CONSTRAINT CK_loggers_kind CHECK (kind IN ('inverter', 'meteo', 'meter')),
	group_name nvarchar(100) NOT NULL,
	model nvarchar(100) NOT NULL,
	capacity_kw decimal(10, 3),
	ac_rating_kw decimal(10, 3),
	gamma_pct_per_c decimal(6, 4),
	timezone nvarchar(60) NOT NULL,
	latitude decimal(9, 6) NOT NULL,
	longitude decimal(9, 6) NOT NULL,
	tilt_deg decimal(5, 1),
	azimuth_deg decimal(5, 1),
	meteo_logger_id nvarchar(40),
	tariff_per_kwh decimal(10, 5),
	currency nvarchar(3),
	commissioned_on date NOT NULL,
	retired_on date,
	CONSTRAINT PK_loggers PRIMARY KEY (tenant_id, logger_id)
);
GO

-- Readings of the loggers, one row a logger and quarter hour, by the time at which it begins
--# measurements
CREATE TABLE base.measurements (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	logger_id nvarchar(40) NOT NULL,
	ts_utc datetime2(0) NOT NULL,
	local_date date NOT NULL,
	active_power_w decimal(12, 1),
	energy_day_kwh decimal(12, 3),
	irradiance_w_m2 decimal(7, 2),
	module_temp_c decimal(6, 2),
	metadata nvarchar(1000),
	CONSTRAINT PK_measurements PRIMARY KEY (tenant_id, logger_id, ts_utc)
);
GO

--# measurements_day
CREATE INDEX measurements_day ON base.measurements (tenant_id, logger_id, local_date);
GO

-- What the codes of a model mean
--# error_codes
CREATE TABLE base.error_codes (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	model nvarchar(100) NOT NULL,
	code nvarchar(20) NOT NULL,
	title nvarchar(200) NOT NULL,
	severity nvarchar(20) NOT NULL CONSTRAINT CK_error_codes_severity CHECK (severity IN ('info', 'warning', 'critical')),
	meaning nvarchar(500) NOT NULL,
	action nvarchar(500) NOT NULL,
	CONSTRAINT PK_error_codes PRIMARY KEY (tenant_id, model, code)
);
GO

--# tenant rows
CREATE SECURITY POLICY sec.solar_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.loggers,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.loggers AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.loggers AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.measurements,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.measurements AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.measurements AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.error_codes,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.error_codes AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.error_codes AFTER UPDATE
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# view loggers
CREATE OR ALTER VIEW pv.loggers AS
SELECT tenant_id, logger_id, name, kind, group_name, model, capacity_kw, ac_rating_kw, gamma_pct_per_c, timezone,
	latitude, longitude, tilt_deg, azimuth_deg, meteo_logger_id, tariff_per_kwh, currency, commissioned_on, retired_on
FROM base.loggers;
GO

--# view measurements
CREATE OR ALTER VIEW pv.measurements AS
SELECT tenant_id, logger_id, ts_utc, local_date, active_power_w, energy_day_kwh, irradiance_w_m2, module_temp_c,
	metadata
FROM base.measurements;
GO

--# view error_codes
CREATE OR ALTER VIEW pv.error_codes AS
SELECT tenant_id, model, code, title, severity, meaning, action
FROM base.error_codes;
GO

-- The first and the last reading of each logger; none of a logger without readings
--# view v_range
CREATE OR ALTER VIEW pv.v_range AS
SELECT l.tenant_id, l.logger_id, (SELECT MIN(m.local_date) FROM base.measurements m WHERE m.tenant_id = l.tenant_id AND m.logger_id = l.logger_id) AS first_day, (SELECT MAX(m.local_date) FROM base.measurements m WHERE m.tenant_id = l.tenant_id AND m.logger_id = l.logger_id) AS last_day, (SELECT MAX(m.ts_utc) FROM base.measurements m WHERE m.tenant_id = l.tenant_id AND m.logger_id = l.logger_id) AS last_ts FROM base.loggers l;
GO

-- Energy, peak and insolation of each logger and day of its zone; without a counter, energy is that of the quarter hours
--# view v_daily
CREATE OR ALTER VIEW pv.v_daily AS
SELECT m.tenant_id, m.logger_id, m.local_date, COALESCE(MAX(m.energy_day_kwh), ROUND(SUM(CASE WHEN m.active_power_w > 0 THEN m.active_power_w WHEN m.active_power_w IS NOT NULL THEN 0 END) * 0.00025, 3)) AS energy_kwh, MAX(m.active_power_w) AS peak_w, ROUND(SUM(CASE WHEN m.irradiance_w_m2 > 0 THEN m.irradiance_w_m2 WHEN m.irradiance_w_m2 IS NOT NULL THEN 0 END) * 0.00025, 3) AS insolation_kwh_m2, COUNT(*) AS intervals FROM base.measurements m GROUP BY m.tenant_id, m.logger_id, m.local_date;
GO

-- The newest reading of each logger, with its error code
--# view v_latest
CREATE OR ALTER VIEW pv.v_latest AS
SELECT m.tenant_id, m.logger_id, m.ts_utc, m.local_date, m.active_power_w, m.energy_day_kwh, CASE WHEN ISJSON(m.metadata) = 1 THEN NULLIF(JSON_VALUE(m.metadata, '$.code'), '0') END AS code FROM base.loggers l JOIN base.measurements m ON m.tenant_id = l.tenant_id AND m.logger_id = l.logger_id AND m.ts_utc = (SELECT MAX(n.ts_utc) FROM base.measurements n WHERE n.tenant_id = l.tenant_id AND n.logger_id = l.logger_id);
GO

-- Readings with an error code; metadata that is no JSON has none
--# view v_error_events
CREATE OR ALTER VIEW pv.v_error_events AS
SELECT m.tenant_id, m.logger_id, m.ts_utc, m.local_date, JSON_VALUE(m.metadata, '$.code') AS code FROM base.measurements m WHERE ISJSON(m.metadata) = 1 AND JSON_VALUE(m.metadata, '$.code') <> '0';
GO

--# right on pv.loggers
GRANT SELECT ON OBJECT::pv.loggers TO vesper_read_role;
GO

--# right on pv.measurements
GRANT SELECT ON OBJECT::pv.measurements TO vesper_read_role;
GO

--# right on pv.error_codes
GRANT SELECT ON OBJECT::pv.error_codes TO vesper_read_role;
GO

--# right on pv.v_range
GRANT SELECT ON OBJECT::pv.v_range TO vesper_read_role;
GO

--# right on pv.v_daily
GRANT SELECT ON OBJECT::pv.v_daily TO vesper_read_role;
GO

--# right on pv.v_latest
GRANT SELECT ON OBJECT::pv.v_latest TO vesper_read_role;
GO

--# right on pv.v_error_events
GRANT SELECT ON OBJECT::pv.v_error_events TO vesper_read_role;
GO
