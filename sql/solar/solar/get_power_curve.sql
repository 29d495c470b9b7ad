-- tool:       get_power_curve
-- about:      Power curve: power of one inverter over a day, or irradiance of a sensor, with peak, average, energy and the trend compared with the day before.
-- measures:   power, peak, output, curve
-- grain:      time, quarter hour
-- permission: chat:read_solar
-- cache_s:    60
-- window:     pv.measurements.local_date
-- answer:     **{arg.logger_id}** on {fact.date}:[[ peak **{fact.peakValue}** at {fact.peakTime},]][[ average {fact.avgValue},]][[ energy {fact.totalEnergy} ({fact.energyMethod});]][[ {fact.trend} compared with the day before.]][[ {fact.note}]]
-- suggest:    primary "Check health" -> Check the health of {arg.logger_id}
-- suggest:    secondary "Forecast" -> Forecast the production of {arg.logger_id} for the next 7 days
-- param logger_id text required entity=logger  Inverter or sensor
-- param date      date optional slot=day       Local day of the site; without it the last one with data
-- column "time"       label=Time       priority=high   type=datetime derived
-- column "power_kw"   label=Power      priority=high   type=decimal unit=kW derived
-- column "irradiance" label=Irradiance priority=medium type=decimal unit=W/m2 derived
-- fact date         type=text optional   Day of the curve
-- fact peakValue    unit=kW  optional    Highest power
-- fact peakTime     type=text optional   When it was reached
-- fact avgValue     unit=kW  optional    Average over the readings of the day
-- fact totalEnergy  unit=kWh optional    Energy of the day
-- fact energyMethod type=text optional   Where the energy comes from
-- fact trend        type=text optional   increasing, decreasing or stable compared with the day before
-- fact note         type=text optional   Why something is not given
SELECT m.ts_utc AS "ts", l.timezone AS "timezone", m.active_power_w AS "p", COALESCE(m.irradiance_w_m2, s.irradiance_w_m2) AS "g", m.energy_day_kwh AS "e"
FROM pv.measurements m
JOIN pv.loggers l ON l.tenant_id = m.tenant_id AND l.logger_id = m.logger_id
LEFT JOIN pv.measurements s ON s.tenant_id = l.tenant_id AND s.logger_id = l.meteo_logger_id AND s.ts_utc = m.ts_utc
WHERE m.tenant_id = :tenant_id
	AND m.logger_id = :logger_id
	AND m.local_date = (SELECT MAX(x.local_date) FROM pv.measurements x WHERE x.tenant_id = :tenant_id AND x.logger_id = :logger_id
--? date: AND x.local_date = :date
	)
ORDER BY m.ts_utc

--# query before
SELECT m.ts_utc AS "ts", l.timezone AS "timezone", m.active_power_w AS "p", NULL AS "g", NULL AS "e"
FROM pv.measurements m
JOIN pv.loggers l ON l.tenant_id = m.tenant_id AND l.logger_id = m.logger_id
WHERE m.tenant_id = :tenant_id
	AND m.logger_id = :logger_id
	AND m.local_date = (SELECT MAX(x.local_date) FROM pv.measurements x WHERE x.tenant_id = :tenant_id AND x.logger_id = :logger_id
		AND x.local_date < (SELECT MAX(y.local_date) FROM pv.measurements y WHERE y.tenant_id = :tenant_id AND y.logger_id = :logger_id
--? date: AND y.local_date = :date
		))
ORDER BY m.ts_utc

--# query window
SELECT MIN(r.first_day) AS "first", MAX(r.last_day) AS "last"
FROM pv.v_range r
WHERE r.tenant_id = :tenant_id
	AND r.logger_id = :logger_id

--# query others
SELECT l.logger_id AS "value", l.name AS "label"
FROM pv.loggers l
JOIN pv.v_range r ON r.tenant_id = l.tenant_id AND r.logger_id = l.logger_id
JOIN pv.loggers n ON n.tenant_id = l.tenant_id AND n.kind = l.kind
WHERE l.tenant_id = :tenant_id
	AND n.logger_id = :logger_id
	AND r.first_day IS NOT NULL
	AND (l.retired_on IS NULL OR l.retired_on > :today)
ORDER BY CASE WHEN l.group_name = n.group_name THEN 0 ELSE 1 END, CASE WHEN l.model = n.model THEN 0 ELSE 1 END, l.logger_id
