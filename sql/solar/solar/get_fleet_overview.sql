-- tool:       get_fleet_overview
-- about:      Fleet overview: how the whole site is doing now: power, energy today, how many devices are online, who is offline or silent, and open alerts.
-- permission: chat:read_solar
-- answer:     **{fact.onlineCount}** of **{fact.deviceCount}** devices are online[[ ({fact.percentOnline})]][[, {fact.totalPower} now]][[, {fact.totalEnergy} today]]; alerts: {fact.alertCount}.[[ {fact.note}]]
-- suggest:    primary "Check efficiency" -> Show the performance ratio for the fleet
-- suggest:    secondary "Financial summary" -> Show financial savings for the past month
-- column "logger_id"    label=Logger      priority=high   type=text entity=logger
-- column "name"         label=Name        priority=high   type=text
-- column "status"       label=Status      priority=high   type=text derived
-- column "last_seen"    label="Last seen" priority=medium type=datetime
-- column "power_kw"     label=Power       priority=high   type=decimal unit=kW derived
-- column "energy_today" label="Energy today" priority=high type=decimal unit=kWh derived
-- column "severity"     label=Severity    priority=high   type=text
-- column "title"        label=Alert       priority=high   type=text
-- column "since"        label=Since       priority=medium type=datetime derived
-- fact deviceCount   type=int          Devices in operation
-- fact onlineCount   type=int          Devices that are online
-- fact alertCount    type=int          Open alerts, and those of the last 24 hours
-- fact percentOnline unit=%   optional Share of the devices that is online
-- fact totalPower    unit=kW  optional Power now
-- fact totalEnergy   unit=kWh optional Energy today
-- fact totalCapacity unit=kW  optional Capacity of the devices
-- fact note          type=text optional Why something is not given
SELECT l.logger_id AS "logger_id", l.name AS "name", l.capacity_kw AS "capacity_kw", l.timezone AS "timezone", l.commissioned_on AS "commissioned_on", l.retired_on AS "retired_on",
	v.ts_utc AS "last_seen", v.local_date AS "last_day", v.active_power_w AS "power_w", v.energy_day_kwh AS "energy_kwh"
FROM pv.loggers l
LEFT JOIN pv.v_latest v ON v.tenant_id = l.tenant_id AND v.logger_id = l.logger_id
WHERE l.tenant_id = :tenant_id
ORDER BY l.kind, l.logger_id

--# query offline
SELECT l.logger_id AS "logger_id", l.name AS "name", r.last_ts AS "last_seen"
FROM pv.loggers l
JOIN pv.v_range r ON r.tenant_id = l.tenant_id AND r.logger_id = l.logger_id
WHERE l.tenant_id = :tenant_id
ORDER BY l.logger_id

--# query alerts
SELECT e.logger_id AS "logger_id", e.code AS "code", c.severity AS "severity", c.title AS "title", l.timezone AS "timezone", MAX(v.code) AS "open_code", MAX(e.ts_utc) AS "last_event"
FROM pv.v_error_events e
JOIN pv.loggers l ON l.tenant_id = e.tenant_id AND l.logger_id = e.logger_id
JOIN pv.error_codes c ON c.tenant_id = l.tenant_id AND c.model = l.model AND c.code = e.code
LEFT JOIN pv.v_latest v ON v.tenant_id = l.tenant_id AND v.logger_id = l.logger_id AND v.ts_utc = e.ts_utc
WHERE e.tenant_id = :tenant_id
	AND (l.retired_on IS NULL OR l.retired_on > :today)
GROUP BY e.logger_id, e.code, c.severity, c.title, l.timezone
ORDER BY e.logger_id, e.code
