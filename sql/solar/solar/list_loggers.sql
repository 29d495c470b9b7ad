-- tool:       list_loggers
-- about:      List of all loggers: inverters and weather stations with capacity, the first and last day of data, and whether they are online, offline, retired or planned.
-- permission: chat:read_solar
-- answer:     There are **{fact.count}** loggers; {fact.online} are online.
-- suggest:    primary "Fleet overview" -> Show the fleet overview
-- column "logger_id"       label=Logger       priority=high   type=text entity=logger
-- column "name"            label=Name         priority=high   type=text
-- column "kind"            label=Kind         priority=medium type=text
-- column "group_name"      label=Group        priority=medium type=text
-- column "model"           label=Model        priority=low    type=text
-- column "capacity_kw"     label=Capacity     priority=high   type=decimal unit=kW
-- column "first_day"       label="First day"  priority=medium type=date
-- column "last_day"        label="Last day"   priority=high   type=date
-- column "status"          label=Status       priority=high   type=text derived
-- column "last_seen"       label="Last seen (UTC)" priority=low type=datetime
-- column "commissioned_on" label=Commissioned priority=low    type=date
-- column "retired_on"      label=Retired      priority=low    type=date
-- column "timezone"        label=Zone         priority=low    type=text
-- fact count  type=int Loggers
-- fact online type=int Loggers that are online
SELECT l.logger_id AS "logger_id", l.name AS "name", l.kind AS "kind", l.group_name AS "group_name", l.model AS "model", l.capacity_kw AS "capacity_kw",
	r.first_day AS "first_day", r.last_day AS "last_day", r.last_ts AS "last_seen", l.commissioned_on AS "commissioned_on", l.retired_on AS "retired_on", l.timezone AS "timezone"
FROM pv.loggers l
JOIN pv.v_range r ON r.tenant_id = l.tenant_id AND r.logger_id = l.logger_id
WHERE l.tenant_id = :tenant_id
ORDER BY l.kind, l.logger_id
