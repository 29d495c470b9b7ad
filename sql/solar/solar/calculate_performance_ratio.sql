-- tool:       calculate_performance_ratio
-- about:      Performance ratio (PR): efficiency of inverters on a day or in a period, energy delivered relative to the sunlight on the modules, also corrected for temperature.
-- measures:   performance ratio, efficiency, yield
-- grain:      inverter
-- permission: chat:read_solar
-- cache_s:    300
-- window:     pv.measurements.local_date
-- frame:      readings 200000
-- answer:     {fact.period}:[[ performance ratio **{fact.pr}**]][[, {fact.prStc} corrected to 25 °C]][[; final yield {fact.finalYield}, reference yield {fact.referenceYield}]][[; {fact.completeness} of the quarter hours have data, confidence {fact.confidence}]] ({fact.method}).[[ {fact.note}]]
-- suggest:    primary "Financial savings" -> Show financial savings for the past month
-- param logger_id   list(text,1-12) optional entity=logger                 Inverters; without them all in operation
-- param date        date optional slot=day                               One local day
-- param start_date  date optional filter=date_range_start                First local day; without it 30 days ago
-- param end_date    date optional filter=date_range_end                  Last local day; without it yesterday
-- param capacity_kw decimal optional unit=kW                             Capacity to use; without it that of each inverter
-- column "logger_id"       label=Logger priority=high   type=text entity=logger
-- column "name"            label=Name   priority=medium type=text
-- column "pr"              label="Performance ratio" priority=high type=decimal derived
-- column "pr_stc"          label="Temperature-corrected" priority=medium type=decimal derived
-- column "final_yield"     label="Final yield" priority=high type=decimal unit=hours derived
-- column "reference_yield" label="Reference yield" priority=high type=decimal unit=hours derived
-- column "p" type=real
-- column "g" type=real
-- column "t" type=real
-- fact method         type=text               How it is computed
-- fact period         type=text optional      The period
-- fact pr             type=number optional    Performance ratio, of all loggers together
-- fact prStc          type=number optional    Corrected to a module temperature of 25 degrees
-- fact finalYield     unit=hours optional     Energy per kW of capacity
-- fact referenceYield unit=hours optional     Insolation over 1 kW/m2
-- fact completeness   unit=% optional         Quarter hours with power and irradiance
-- fact confidence     type=text optional      normal, or low
-- fact note           type=text optional      Why something is not given or uncertain
SELECT l.logger_id AS "logger_id", l.name AS "name", l.capacity_kw AS "capacity_kw", l.gamma_pct_per_c AS "gamma", l.timezone AS "timezone", COUNT(*) AS "days"
--? capacity_kw: , :capacity_kw AS "asked_kw"
FROM pv.loggers l
JOIN pv.v_daily d ON d.tenant_id = l.tenant_id AND d.logger_id = l.logger_id
WHERE l.tenant_id = :tenant_id
	:{in_operation_or_asked}
--? date: AND d.local_date = :date
--? start_date: AND d.local_date >= :start_date
--? end_date: AND d.local_date <= :end_date
GROUP BY l.logger_id, l.name, l.capacity_kw, l.gamma_pct_per_c, l.timezone
ORDER BY l.logger_id

--# query readings
SELECT m.logger_id AS "logger_id", m.active_power_w AS "p", s.irradiance_w_m2 AS "g", s.module_temp_c AS "t"
FROM pv.loggers l
JOIN pv.measurements m ON m.tenant_id = l.tenant_id AND m.logger_id = l.logger_id
JOIN pv.measurements s ON s.tenant_id = l.tenant_id AND s.logger_id = l.meteo_logger_id AND s.ts_utc = m.ts_utc
WHERE l.tenant_id = :tenant_id
	:{in_operation_or_asked}
--? start_date: AND m.local_date >= :start_date
--? end_date: AND m.local_date <= :end_date
ORDER BY m.logger_id, m.ts_utc

--# query window
SELECT MIN(r.first_day) AS "first", MAX(r.last_day) AS "last"
FROM pv.v_range r
WHERE r.tenant_id = :tenant_id
--? logger_id: AND r.logger_id IN (:logger_id...)

--# query others
SELECT l.logger_id AS "value", l.name AS "label"
FROM pv.loggers l
JOIN pv.v_range r ON r.tenant_id = l.tenant_id AND r.logger_id = l.logger_id
JOIN pv.loggers n ON n.tenant_id = l.tenant_id AND n.kind = l.kind
WHERE l.tenant_id = :tenant_id
	AND n.logger_id = (SELECT MIN(x.logger_id) FROM pv.loggers x WHERE x.tenant_id = :tenant_id
--? logger_id: AND x.logger_id IN (:logger_id...)
	)
	AND r.first_day IS NOT NULL
	AND (l.retired_on IS NULL OR l.retired_on > :today)
ORDER BY CASE WHEN l.group_name = n.group_name THEN 0 ELSE 1 END, CASE WHEN l.model = n.model THEN 0 ELSE 1 END, l.logger_id
