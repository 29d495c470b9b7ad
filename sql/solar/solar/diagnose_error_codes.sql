-- tool:       diagnose_error_codes
-- about:      Error codes of inverters in the last days: what they mean, how long they lasted, which are still open, what to do, and which loggers are silent.
-- permission: chat:read_solar
-- lookback:   0
-- frame:      events 20000
-- answer:     Open: **{fact.openCritical}** critical, **{fact.openWarning}** warnings, of {fact.loggers} loggers; {fact.events} readings had an error code in the last {arg.days} days.
-- suggest:    primary "Fleet overview" -> Show the fleet overview
-- param logger_id list(text,1-20) optional entity=logger              Loggers; without them all inverters in operation
-- param days      int  optional slot=days default=7 min=1 max=90    Number of days to check, up to now
-- column "logger_id" label=Logger   priority=high   type=text entity=logger
-- column "code"      label=Code     priority=high   type=text
-- column "title"     label=Title    priority=high   type=text
-- column "severity"  label=Severity priority=high   type=text
-- column "first"     label=First    priority=medium type=datetime derived
-- column "last"      label=Last     priority=high   type=datetime derived
-- column "events"    label=Readings priority=medium type=int      derived
-- column "hours"     label=Hours    priority=medium type=decimal  unit=hours derived
-- column "open"      label=Open     priority=high   type=text     derived
-- column "meaning"   label=Meaning  priority=medium type=text
-- column "action"    label=Action   priority=medium type=text
-- column "ts"        type=datetime
-- fact loggers      type=int           Loggers that were checked
-- fact openCritical type=int           Open critical errors
-- fact openWarning  type=int           Open warnings, silent loggers among them
-- fact events       type=int           Readings with an error code
SELECT l.logger_id AS "logger_id", l.timezone AS "timezone", r.last_ts AS "last_seen"
FROM pv.loggers l
JOIN pv.v_range r ON r.tenant_id = l.tenant_id AND r.logger_id = l.logger_id
WHERE l.tenant_id = :tenant_id
	:{in_operation_or_asked}
ORDER BY l.logger_id

--# query events
SELECT e.logger_id AS "logger_id", e.code AS "code", e.ts_utc AS "ts", c.title AS "title", c.severity AS "severity", c.meaning AS "meaning", c.action AS "action"
FROM pv.v_error_events e
JOIN pv.loggers l ON l.tenant_id = e.tenant_id AND l.logger_id = e.logger_id
LEFT JOIN pv.error_codes c ON c.tenant_id = l.tenant_id AND c.model = l.model AND c.code = e.code
WHERE e.tenant_id = :tenant_id
	AND e.local_date >= :first_day
--? logger_id: AND e.logger_id IN (:logger_id...)
ORDER BY e.logger_id, e.code, e.ts_utc
