-- tool:       compare_markets
-- about:      Cross-market comparison: average prices in $/MWh of whole markets side by side (all hub-zones of each) for one forecast year, with the gap between the dearest and the cheapest market and the hours where it is widest.
-- measures:   markets by price, hours by gap
-- grain:      market, hour
-- words:      ISO, RTO, grid operators, region, regional, inter-ISO, cross-market, territory, footprint, geographic, wide, spread, gap
-- permission: chat:read_market_data
-- report:     price_curve_comparison_report
-- cache_s:    300
-- window:     Stage.mc_dayahead.YEAR
-- answer:     In {ForecastYear}[[ (months: {months})]][[ (hours: {hours})]] **{fact.higher_market}** averages **{fact.higher_price}** and **{fact.lower_market}** **{fact.lower_price}** over all their hub-zones ({Vendor}, as-of {AsOf}, {Reference} case): {fact.higher_market} is {fact.gap}[[ ({fact.gap_percent})]] higher.[[ The gap is widest in {fact.widest_hours}, {fact.widest_gap} on average.]]
-- suggest:    Which curve files are available for {fact.higher_market}?
-- refer:      market facts.higher_market the higher, that is higher, whichever is higher, of higher, the highest, the dearest, the most expensive, the worst
-- refer:      market facts.lower_market the lower, that is lower, whichever is lower, of lower, the lowest, the cheapest, the better
-- param markets   list(text,2-8) required entity=market filter=market  Two or more markets to compare
-- param year      int  required min=2000 max=2100                  Forecast year
-- param vendor    text optional entity=vendor                      Vendor of the curves; without it each vendor
-- param months    list(int,12) optional min=1 max=12 filter=month  Months of the year; without them the whole year
-- param hours     list(int,24) optional min=0 max=23 filter=hour   Hours of day 0-23 (hour ending 17 is hour 16); without them all
-- param asof      text optional entity=asof filter=asof_date       As-of label of the file, such as Jan_2025; without it the newest
-- param reference text optional entity=reference default=Base      Case of the forecast
-- column "Vendor"              label=Vendor           priority=high   type=text
-- column "Market"              label=Market           priority=high   type=text
-- column "ForecastYear"        label=Year             priority=high   type=int
-- column "AsOf"                label=As-of            priority=high   type=text
-- column "AsOfDate"            label="As-of date"     priority=low    type=date asof
-- column "Reference"           label=Case             priority=medium type=text
-- column "AvgPrice_PerMWh"     label="Average price" priority=high type=decimal unit=$/MWh
-- column "PeakPrice_PerMWh"    label="Peak price" priority=medium type=decimal unit=$/MWh
-- column "OffPeakPrice_PerMWh" label="Off-peak price" priority=medium type=decimal unit=$/MWh
-- column "HubZones"            label=Hub-zones priority=medium type=int
-- column "DataPoints"          label=Hours priority=low type=int unit=hours
-- column "Hour"                label="Hour beginning" priority=high type=int
-- fact higher_market optional            Dearest market
-- fact higher_price  unit=$/MWh optional Its average
-- fact lower_market  optional            Cheapest market
-- fact lower_price   unit=$/MWh optional Its average
-- fact gap           unit=$/MWh optional The higher minus the lower average
-- fact gap_percent   unit=% optional     How far the higher average is above the lower
-- fact widest_hours  optional            Hours where the gap is widest
-- fact widest_gap    unit=$/MWh optional Average gap in these hours
SELECT
	vf.vendor AS "Vendor",
	vf.market AS "Market",
	da.YEAR AS "ForecastYear",
	vf.asof AS "AsOf",
	vf.asof_date AS "AsOfDate",
	vf.reference AS "Reference",
	ROUND(AVG(da.DAYAHEAD_PRICE), 2) AS "AvgPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN da.DAYAHEAD_PRICE END), 2) AS "PeakPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN NULL ELSE da.DAYAHEAD_PRICE END), 2) AS "OffPeakPrice_PerMWh",
	COUNT(DISTINCT vf.hubzone) AS "HubZones",
	COUNT(*) AS "DataPoints"
FROM Stage.mc_vendor_files vf
JOIN Stage.mc_dayahead da
	ON da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key AND da.tenant_id = vf.tenant_id
WHERE vf.tenant_id = :tenant_id
	AND vf.market IN (:markets...)
	AND vf.reference = :reference
	AND da.YEAR = :year
--? vendor: AND vf.vendor = :vendor
--? asof: AND vf.asof = :asof
--? months: AND da.MONTH IN (:months...)
--? hours: AND da.HOUR IN (:hours...)
	:{newest_file}
GROUP BY vf.vendor, vf.market, da.YEAR, vf.asof, vf.asof_date, vf.reference
ORDER BY vf.asof_date DESC, vf.vendor, vf.market

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
	AND vf.market IN (:markets...)
	AND vf.reference = :reference
	AND da.YEAR = :year
--? vendor: AND vf.vendor = :vendor
--? asof: AND vf.asof = :asof
--? months: AND da.MONTH IN (:months...)
--? hours: AND da.HOUR IN (:hours...)
	:{newest_file}
GROUP BY vf.vendor, vf.market, vf.asof, vf.asof_date, da.HOUR
ORDER BY vf.asof_date DESC, vf.vendor, vf.market, da.HOUR

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
	--? markets: AND vf.market IN (:markets...)
		AND vf.reference = :reference
--? vendor: AND vf.vendor = :vendor
--? asof: AND vf.asof = :asof
) f
