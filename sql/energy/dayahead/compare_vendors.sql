-- tool:       compare_vendors
-- about:      Vendor comparison: average day-ahead price in $/MWh of several vendors side by side for one hub-zone and forecast year, with the gap, its percentage and the hours where it is widest.
-- measures:   vendors by price
-- grain:      vendor, hour
-- words:      forecasters, providers, consultants, suppliers, advisers, rival, second opinion, bullish, bearish, optimistic, pessimistic, conservative, disagree, agree, diverge, divergence, discrepancy, cross-check, consensus, reconcile, apart, outlook, side by side, next to each other, gap, spread
-- permission: chat:read_market_data
-- report:     dayahead_curve_report
-- cache_s:    300
-- window:     Stage.mc_dayahead.YEAR
-- answer:     Day-ahead prices for **{HubZone} in {Market} for {ForecastYear}** ({Reference} case).[[ {fact.higher_vendor} (as-of {fact.higher_asof}) averages **{fact.higher_price}**, **{fact.gap}** ({fact.gap_percent}) more than {fact.lower_vendor} (as-of {fact.lower_asof}) at **{fact.lower_price}**.]][[ The gap is widest in {fact.widest_hours}, where it averages {fact.widest_gap}.]]
-- suggest:    Show the hourly price shape for {hub_zone} in {year}
-- suggest:    Which curve files are available for {hub_zone}?
-- refer:      vendor facts.higher_vendor the higher, that is higher, whichever is higher, of higher, the highest, the dearer, the more expensive, the worse, the pricier
-- refer:      vendor facts.lower_vendor the lower, that is lower, whichever is lower, of lower, the lowest, the cheaper, the cheapest, the better
-- param hub_zone  text required entity=hub_zone                    Trading hub or load zone
-- param year      int  required min=2000 max=2100                  Forecast year
-- param vendors   list(text,8) optional entity=vendor filter=vendor  Vendors to compare; without them all
-- param market    text optional entity=market                      Market; only needed where the hub-zone alone is not enough
-- param asof      text optional entity=asof filter=asof_date       As-of label of the files, such as Jan_2025; without it all files
-- param reference text optional entity=reference default=Base      Case of the forecast
-- column "Vendor"           label=Vendor          priority=high   type=text
-- column "Market"           label=Market          priority=high   type=text
-- column "HubZone"          label=Hub-zone        priority=high   type=text
-- column "ForecastYear"     label=Year            priority=high   type=int
-- column "AsOf"             label=As-of           priority=high   type=text
-- column "AsOfDate"         label="As-of date"    priority=low    type=date asof
-- column "Reference"        label=Case            priority=medium type=text
-- column "Hour"             label="Hour beginning" priority=high   type=int
-- column "AvgPrice_PerMWh"  label="Average price" priority=high   type=decimal unit=$/MWh
-- column "DataPoints"       label=Hours           priority=medium type=int     unit=hours
-- fact average       unit=$/MWh optional Average of a vendor's newest file, one fact each
-- fact higher_vendor optional            Dearest vendor
-- fact higher_asof   optional            As-of of its newest file
-- fact higher_price  unit=$/MWh optional Its average
-- fact lower_vendor  optional            Cheapest vendor
-- fact lower_asof    optional            As-of of its newest file
-- fact lower_price   unit=$/MWh optional Its average
-- fact gap           unit=$/MWh optional The higher minus the lower average
-- fact gap_percent   unit=% optional     How far the higher average is above the lower
-- fact widest_hours  optional            Hours where the gap is widest
-- fact widest_gap    unit=$/MWh optional Average gap in these hours
SELECT
	vf.vendor AS "Vendor",
	vf.market AS "Market",
	vf.hubzone AS "HubZone",
	da.YEAR AS "ForecastYear",
	vf.asof AS "AsOf",
	vf.asof_date AS "AsOfDate",
	vf.reference AS "Reference",
	ROUND(AVG(da.DAYAHEAD_PRICE), 2) AS "AvgPrice_PerMWh",
	COUNT(*) AS "DataPoints"
FROM Stage.mc_vendor_files vf
JOIN Stage.mc_dayahead da
	ON da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key AND da.tenant_id = vf.tenant_id
WHERE vf.tenant_id = :tenant_id
	AND vf.hubzone = :hub_zone
	AND vf.reference = :reference
	AND da.YEAR = :year
--? vendors: AND vf.vendor IN (:vendors...)
--? market: AND vf.market = :market
--? asof: AND vf.asof = :asof
GROUP BY vf.vendor, vf.market, vf.hubzone, da.YEAR, vf.asof, vf.asof_date, vf.reference
ORDER BY vf.vendor, vf.market, vf.asof_date DESC, vf.asof

--# query hourly
SELECT
	vf.vendor AS "Vendor",
	vf.market AS "Market",
	vf.asof AS "AsOf",
	vf.asof_date AS "AsOfDate",
	da.HOUR AS "Hour",
	ROUND(AVG(da.DAYAHEAD_PRICE), 2) AS "AvgPrice_PerMWh"
FROM Stage.mc_vendor_files vf
JOIN Stage.mc_dayahead da
	ON da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key AND da.tenant_id = vf.tenant_id
WHERE vf.tenant_id = :tenant_id
	AND vf.hubzone = :hub_zone
	AND vf.reference = :reference
	AND da.YEAR = :year
--? vendors: AND vf.vendor IN (:vendors...)
--? market: AND vf.market = :market
--? asof: AND vf.asof = :asof
	:{newest_file}
GROUP BY vf.vendor, vf.market, vf.asof, vf.asof_date, da.HOUR
ORDER BY vf.vendor, vf.market, vf.asof, da.HOUR

--# query window
SELECT MIN(f.first_year) AS "first", MAX(f.last_year) AS "last"
FROM (
	SELECT
		(SELECT MIN(c.YEAR) FROM Stage.mc_dayahead c
			WHERE c.FILE_INFO_KEY = vf.file_info_key AND c.HUBZONE_KEY = vf.hubzone_key AND c.tenant_id = vf.tenant_id) AS first_year,
		(SELECT MAX(c.YEAR) FROM Stage.mc_dayahead c
			WHERE c.FILE_INFO_KEY = vf.file_info_key AND c.HUBZONE_KEY = vf.hubzone_key AND c.tenant_id = vf.tenant_id) AS last_year
	FROM Stage.mc_vendor_files vf
	WHERE vf.tenant_id = :tenant_id
		AND vf.hubzone = :hub_zone
		AND vf.reference = :reference
--? vendors: AND vf.vendor IN (:vendors...)
--? market: AND vf.market = :market
--? asof: AND vf.asof = :asof
) f
