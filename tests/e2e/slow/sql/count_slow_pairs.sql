-- tool:       count_slow_pairs
-- about:      The slow count of pairs of hourly quotes of a year, each with every other.
-- permission: chat:read_market_data
-- param year int required min=2000 max=2100 Forecast year
-- column "Pairs" label=Pairs priority=high type=int
SELECT COUNT(*) AS "Pairs"
FROM Stage.mc_dayahead a
JOIN Stage.mc_dayahead b ON b.tenant_id = a.tenant_id AND b.DAYAHEAD_PRICE < a.DAYAHEAD_PRICE
WHERE a.tenant_id = :tenant_id AND a.YEAR = :year
