-- tool:       compare_loggers
-- about:      Compare two to five named inverters side by side, which is better, on one day by power, energy or irradiance, ranked by output per kW of capacity.
-- measures:   comparison of inverters, best inverter, worst inverter
-- grain:      inverter
-- permission: chat:read_solar
-- cache_s:    60
-- window:     pv.measurements.local_date
-- answer:     Compared by {arg.metric} per kW of capacity, on {fact.date}[[: **{fact.best}** is best and **{fact.worst}** is worst]][[, {fact.spreadPct} apart]].[[ {fact.note}]]
-- suggest:    primary "Compare energy" -> Compare the energy of {arg.logger_ids}
-- suggest:    secondary "Health check" -> Check the health of {fact.worst}
-- param logger_ids list(text,2-5) required entity=logger filter=logger_id  Two to five loggers
-- param metric     text optional entity=compared_by filter=metric default=power               What is compared: power, energy or irradiance
-- param date       date optional slot=day                                  Local day; without it the last one that all of them have
-- column "logger_id" label=Logger   priority=high   type=text entity=logger
-- column "name"      label=Name     priority=high   type=text
-- column "value"     label=Value    priority=high   type=decimal derived
-- column "unit"      label=Unit     priority=medium type=text derived
-- column "per_kwp"   label="Per kW of capacity" priority=medium type=decimal derived
-- column "rank"      label=Rank     priority=high   type=int derived
-- column "time"      label=Time     priority=high   type=datetime derived
-- column "power_kw"  label=Power    priority=high   type=decimal unit=kW derived
-- fact date      type=text optional  Day that is compared
-- fact best      type=text optional  Best logger by capacity
-- fact worst     type=text optional  Worst logger by capacity
-- fact spreadPct unit=% optional     The best above the worst
-- fact note      type=text optional  Why something is not given
SELECT l.logger_id AS "logger_id", l.name AS "name", l.capacity_kw AS "capacity_kw", l.timezone AS "timezone", d.local_date AS "date", d.energy_kwh AS "energy_kwh",
	COALESCE(d.insolation_kwh_m2, s.insolation_kwh_m2) AS "insolation", :metric AS "metric"
FROM pv.loggers l
JOIN pv.v_daily d ON d.tenant_id = l.tenant_id AND d.logger_id = l.logger_id
LEFT JOIN pv.v_daily s ON s.tenant_id = l.tenant_id AND s.logger_id = l.meteo_logger_id AND s.local_date = d.local_date
WHERE l.tenant_id = :tenant_id
	AND l.logger_id IN (:logger_ids...)
	AND d.logger_id IN (:logger_ids...)
	AND d.local_date = COALESCE(
--? date: :date,
		(SELECT MIN(r.last_day) FROM pv.v_range r WHERE r.tenant_id = :tenant_id AND r.logger_id IN (:logger_ids...)), NULL)
ORDER BY l.logger_id

--# query series
SELECT m.ts_utc AS "ts", m.logger_id AS "logger_id", l.timezone AS "timezone", m.active_power_w AS "p"
FROM pv.measurements m
JOIN pv.loggers l ON l.tenant_id = m.tenant_id AND l.logger_id = m.logger_id
WHERE m.tenant_id = :tenant_id
	AND m.logger_id IN (:logger_ids...)
	AND m.local_date = COALESCE(
--? date: :date,
		(SELECT MIN(r.last_day) FROM pv.v_range r WHERE r.tenant_id = :tenant_id AND r.logger_id IN (:logger_ids...)), NULL)
ORDER BY m.ts_utc, m.logger_id

--# query window
SELECT MAX(r.first_day) AS "first", MIN(r.last_day) AS "last"
FROM pv.v_range r
WHERE r.tenant_id = :tenant_id
	AND r.logger_id IN (:logger_ids...)
