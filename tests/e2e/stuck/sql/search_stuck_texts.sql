-- tool:       search_stuck_texts
-- about:      The stuck search in long texts of a year: one call that takes minutes.
-- permission: chat:read_market_data
-- param year int required min=2000 max=2100 Forecast year
-- column "Place" label=Place priority=high type=int
SELECT instr(printf('%.*c', 2000000, 'a'), printf('%.*c', 1000000, 'a') || :year) AS "Place"
FROM dbo.per_project
WHERE tenant_id = :tenant_id
ORDER BY name
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY
