-- tool:       get_line_congestion
-- about:      Line congestion: congested hours and congestion cost of one transmission line, by year, newest first.
-- permission: chat:read_market_data
-- answer:     **{LineName}** was congested for **{CongestedHours}** in {CongestionYear}, at a cost of **{CongestionCost}**.
-- suggest:    Which transmission lines were most congested in {CongestionYear}?
-- param line text required entity=line        Transmission line
-- param year int  optional min=2000 max=2100  Year
-- column "LineName"       label=Line   priority=high type=text
-- column "CongestionYear" label=Year   priority=high type=int
-- column "CongestedHours" label=Hours  priority=high type=int     unit=hours
-- column "CongestionCost" label=Cost   priority=high type=decimal unit=$
SELECT
	c.line_name AS "LineName",
	c.congestion_year AS "CongestionYear",
	c.congested_hours AS "CongestedHours",
	c.congestion_cost AS "CongestionCost"
FROM dbo.tx_congestion c
WHERE c.tenant_id = :tenant_id
	AND c.line_name = :line
--? year: AND c.congestion_year = :year
ORDER BY c.congestion_year DESC
