-- tool:       compare_hub_zones
-- about:      Hub-zone comparison: exactly two hub-zones side by side for one forecast year, with both averages in $/MWh, the price difference, its percentage and the spread by hour.
-- measures:   hub-zones by price
-- grain:      hub-zone, hour
-- words:      basis, basis risk, differential, locational, zonal, nodal, wedge, congestion, CRR, FTR, node, delivery point, settlement point, premium, discount, sink, source, location, spread, gap, dearer, cheaper
-- permission: chat:read_market_data
-- report:     price_curve_comparison_report
-- cache_s:    300
-- window:     Stage.mc_dayahead.YEAR
-- answer:     In {ForecastYear}[[ (months: {months})]] **{fact.higher_zone}** is **{fact.gap}**[[ ({fact.gap_percent})]] above **{fact.lower_zone}**: {fact.higher_price} against {fact.lower_price} ({fact.markets}, {Vendor}, as-of {AsOf}, {Reference} case).[[ The gap is widest in {fact.widest_hours}, {fact.widest_gap} on average.]]
-- suggest:    Show the seasonal shape of {HubZone} in {year}
-- suggest:    What is the peak vs off-peak spread of {HubZone} in {year}?
-- refer:      hub_zone facts.higher_zone the higher, that is higher, whichever is higher, of higher, the highest, the dearer, the more expensive, the worse, the pricier
-- refer:      hub_zone facts.lower_zone the lower, that is lower, whichever is lower, of lower, the lowest, the cheaper, the cheapest, the better
-- param hub_zones list(text,2-2) required entity=hub_zone filter=hub_zone  The two hub-zones or load zones
-- param year      int  required min=2000 max=2100                  Forecast year
-- param vendor    text optional entity=vendor                      Vendor of the curves; without it each vendor
-- param market    text optional entity=market                      Market that both are in; not needed where the hub-zones are enough
-- param months    list(int,12) optional min=1 max=12 filter=month  Months of the year; without them the whole year
-- param asof      text optional entity=asof filter=asof_date       As-of label of the file, such as Jan_2025; without it the newest
-- param reference text optional entity=reference default=Base      Case of the forecast
-- column "Vendor"              label=Vendor           priority=high   type=text
-- column "Market"              label=Market           priority=high   type=text
-- column "HubZone"             label=Hub-zone         priority=high   type=text
-- column "ForecastYear"        label=Year             priority=high   type=int
-- column "AsOf"                label=As-of            priority=high   type=text
-- column "AsOfDate"            label="As-of date"     priority=low    type=date asof
-- column "Reference"           label=Case             priority=medium type=text
-- column "AvgPrice_PerMWh"     label="Average price" priority=high type=decimal unit=$/MWh
-- column "PeakPrice_PerMWh"    label="Peak price" priority=medium type=decimal unit=$/MWh
-- column "OffPeakPrice_PerMWh" label="Off-peak price" priority=medium type=decimal unit=$/MWh
-- column "DataPoints"          label=Hours priority=low type=int unit=hours
-- column "Hour"                label="Hour beginning" priority=high type=int
-- column "FirstHubZone"        label="First hub-zone" priority=high type=text
-- column "FirstPrice_PerMWh"   label="First price" priority=high type=decimal unit=$/MWh
-- column "SecondHubZone"       label="Second hub-zone" priority=high type=text
-- column "SecondPrice_PerMWh"  label="Second price" priority=high type=decimal unit=$/MWh
-- column "Spread_PerMWh"       label="First minus second" priority=high type=decimal unit=$/MWh derived
-- fact markets      optional            Market or markets of the hub-zones
-- fact higher_zone  optional            Dearest hub-zone
-- fact higher_price unit=$/MWh optional Its average
-- fact lower_zone   optional            Cheapest hub-zone
-- fact lower_price  unit=$/MWh optional Its average
-- fact gap          unit=$/MWh optional The higher minus the lower average
-- fact gap_percent  unit=% optional     How far the higher average is above the lower
-- fact widest_hours optional            Hours where the gap is widest
-- fact widest_gap   unit=$/MWh optional Average gap in these hours
SELECT
	vf.vendor AS "Vendor",
	vf.market AS "Market",
	vf.hubzone AS "HubZone",
	da.YEAR AS "ForecastYear",
	vf.asof AS "AsOf",
	vf.asof_date AS "AsOfDate",
	vf.reference AS "Reference",
	ROUND(AVG(da.DAYAHEAD_PRICE), 2) AS "AvgPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN da.DAYAHEAD_PRICE END), 2) AS "PeakPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN NULL ELSE da.DAYAHEAD_PRICE END), 2) AS "OffPeakPrice_PerMWh",
	COUNT(*) AS "DataPoints"
FROM Stage.mc_vendor_files vf
JOIN Stage.mc_dayahead da
	ON da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key AND da.tenant_id = vf.tenant_id
WHERE vf.tenant_id = :tenant_id
	AND vf.hubzone IN (:hub_zones...)
	AND vf.reference = :reference
	AND da.YEAR = :year
--? vendor: AND vf.vendor = :vendor
--? market: AND vf.market = :market
--? asof: AND vf.asof = :asof
--? months: AND da.MONTH IN (:months...)
	:{newest_file}
GROUP BY vf.vendor, vf.market, vf.hubzone, da.YEAR, vf.asof, vf.asof_date, vf.reference
ORDER BY vf.asof_date DESC, vf.vendor, vf.market, vf.hubzone

--# query hourly
WITH h AS (
	SELECT
		vf.vendor, vf.hubzone, da.HOUR AS hour_of_day, vf.asof,
		ROUND(AVG(da.DAYAHEAD_PRICE), 2) AS price
	FROM Stage.mc_vendor_files vf
	JOIN Stage.mc_dayahead da
		ON da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key AND da.tenant_id = vf.tenant_id
	WHERE vf.tenant_id = :tenant_id
		AND vf.hubzone IN (:hub_zones...)
		AND vf.reference = :reference
		AND da.YEAR = :year
--? vendor: AND vf.vendor = :vendor
--? market: AND vf.market = :market
--? asof: AND vf.asof = :asof
--? months: AND da.MONTH IN (:months...)
		:{newest_file}
	GROUP BY vf.vendor, vf.hubzone, da.HOUR, vf.asof
)
SELECT
	a.vendor AS "Vendor",
	a.hour_of_day AS "Hour",
	a.hubzone AS "FirstHubZone",
	a.price AS "FirstPrice_PerMWh",
	b.hubzone AS "SecondHubZone",
	b.price AS "SecondPrice_PerMWh"
FROM h a
JOIN h b ON b.vendor = a.vendor AND b.hour_of_day = a.hour_of_day AND b.hubzone > a.hubzone
ORDER BY a.vendor, a.hour_of_day

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
		AND vf.hubzone IN (:hub_zones...)
		AND vf.reference = :reference
--? vendor: AND vf.vendor = :vendor
--? market: AND vf.market = :market
--? asof: AND vf.asof = :asof
) f
