-- tool:       get_most_congested_lines
-- about:      Most congested transmission lines of a year by congested hours, with their congestion cost.
-- permission: chat:read_market_data
-- answer:     The most congested transmission line of {CongestionYear} is **{LineName}** with **{CongestedHours}**.
-- suggest:    How was {LineName} congested?
-- refer:      line rows[0].LineName the first, that line, it, its
-- param year  int required min=2000 max=2100             Year
-- param top_n int optional default=10 min=1 max=100      How many lines
-- column "LineName"       label=Line   priority=high type=text
-- column "Region"         label=Region priority=medium type=text
-- column "CongestionYear" label=Year   priority=low  type=int
-- column "CongestedHours" label=Hours  priority=high type=int     unit=hours
-- column "CongestionCost" label=Cost   priority=high type=decimal unit=$
SELECT
	c.line_name AS "LineName",
	c.region AS "Region",
	c.congestion_year AS "CongestionYear",
	c.congested_hours AS "CongestedHours",
	c.congestion_cost AS "CongestionCost"
FROM dbo.tx_congestion c
WHERE c.tenant_id = :tenant_id
	AND c.congestion_year = :year
ORDER BY c.congested_hours DESC, c.line_name
OFFSET 0 ROWS FETCH NEXT :top_n ROWS ONLY
