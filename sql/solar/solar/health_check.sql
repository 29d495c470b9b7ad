-- tool:       health_check
-- about:      Health check of the service itself: whether the database of the plants answers, how many loggers it knows and how new its data is.
-- permission: chat:read_solar
-- answer:     The database answers: {loggers} loggers[[, the newest reading is from {fact.newest}]].
-- column "loggers"   label=Loggers priority=high type=int
-- column "newest_ts" label="Newest reading (UTC)" priority=high type=datetime
-- fact status type=text          Whether the database answers
-- fact newest type=text optional Time of the newest reading
SELECT COUNT(*) AS "loggers", MAX(r.last_ts) AS "newest_ts"
FROM pv.v_range r
WHERE r.tenant_id = :tenant_id
