-- tool:       analyze_inverter_health
-- about:      Inverter health: anomalies and problems of one inverter in the last days (outage, gap, frozen or interpolated values, spikes, impossible values, underperformance), lost energy, availability and a score.
-- measures:   health, anomalies, problems
-- grain:      anomaly
-- permission: chat:read_solar
-- cache_s:    60
-- lookback:   28
-- window:     pv.measurements.local_date
-- frame:      readings 20000
-- frame:      sensor 20000
-- frame:      peers 20000
-- answer:     **{arg.logger_id}**[[ scores **{fact.healthScore}** of 100]][[ over {fact.period}]][[: {fact.anomalyCount} anomalies]][[, {fact.lostKwh} lost]][[; availability {fact.availability}]][[, {fact.completeness} of the readings were received]].[[ {fact.note}]]
-- suggest:    primary "Show power curve" -> Show the power curve of {arg.logger_id} on {day} if row_count > 0
-- suggest:    secondary "Diagnose errors" -> Diagnose the error codes of {arg.logger_id} in the last {arg.days} days
-- param logger_id text required entity=logger                    Inverter
-- param days      int  optional slot=days default=7 min=1 max=90 Number of days to check before the last one, which is checked too
-- param last_day  date optional                                  Last local day to check; without it today so far
-- column "kind"     label=Kind     priority=high   type=text derived
-- column "day"      label=Day      priority=high   type=date
-- column "start"    label=From     priority=high   type=datetime derived
-- column "end"      label=Until    priority=high   type=datetime derived
-- column "severity" label=Severity priority=high   type=text derived
-- column "lost_kwh" label=Lost     priority=high   type=decimal unit=kWh derived
-- column "evidence" label=Evidence priority=medium type=text derived
-- column "ts"    type=datetime
-- column "p"     type=real
-- column "e"     type=real
-- column "g"     type=real
-- column "share" type=real
-- fact loggerId     type=text optional   The inverter
-- fact period       type=text optional   The days that were checked
-- fact anomalyCount type=int optional    Anomalies
-- fact healthScore  type=number optional 0 to 100, weighted by the pack's settings; none without daylight
-- fact availability unit=% optional      Daylight without an outage or a gap
-- fact lostKwh      unit=kWh optional    Energy lost compared with the reference days
-- fact energyIndex  type=number optional Energy relative to the reference days
-- fact completeness unit=% optional      Readings received
-- fact note         type=text optional   Why something is not given
SELECT d.local_date AS "day", l.logger_id AS "id", l.timezone AS "timezone", l.ac_rating_kw AS "rating_kw", l.capacity_kw AS "capacity_kw"
FROM pv.loggers l
JOIN pv.v_daily d ON d.tenant_id = l.tenant_id AND d.logger_id = l.logger_id
WHERE l.tenant_id = :tenant_id
	AND l.logger_id = :logger_id
	AND d.logger_id = :logger_id
	AND d.local_date >= :first_day
--? last_day: AND d.local_date <= :last_day
ORDER BY d.local_date

--# query readings
SELECT m.ts_utc AS "ts", m.active_power_w AS "p", m.energy_day_kwh AS "e"
FROM pv.measurements m
WHERE m.tenant_id = :tenant_id
	AND m.logger_id = :logger_id
	AND m.local_date >= :first_day
--? last_day: AND m.local_date <= :last_day
ORDER BY m.ts_utc

--# query sensor
SELECT m.ts_utc AS "ts", m.irradiance_w_m2 AS "g"
FROM pv.measurements m
JOIN pv.loggers l ON l.tenant_id = m.tenant_id AND l.meteo_logger_id = m.logger_id
WHERE m.tenant_id = :tenant_id
	AND l.logger_id = :logger_id
	AND m.local_date >= :first_day
--? last_day: AND m.local_date <= :last_day
ORDER BY m.ts_utc

--# query peers
SELECT m.ts_utc AS "ts", AVG(m.active_power_w / (n.ac_rating_kw * 1000)) AS "share"
FROM pv.loggers l
JOIN pv.loggers n ON n.tenant_id = l.tenant_id AND n.group_name = l.group_name AND n.kind = 'inverter' AND n.logger_id <> l.logger_id AND n.ac_rating_kw > 0
JOIN pv.measurements m ON m.tenant_id = n.tenant_id AND m.logger_id = n.logger_id
WHERE l.tenant_id = :tenant_id
	AND l.logger_id = :logger_id
	AND l.meteo_logger_id IS NULL
	AND m.local_date >= :first_day
--? last_day: AND m.local_date <= :last_day
GROUP BY m.ts_utc
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
