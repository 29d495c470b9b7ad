-- tool:       get_daily_shape
-- about:      Daily shape: the typical day of a hub-zone in a forecast year, each hour as a percentage of the daily average, and what it costs in each season.
-- measures:   hours by price
-- grain:      hour, season
-- words:      day profile, typical day, representative, ordinary, average day, duck curve, belly, dip, hump, ramp, diurnal, intraday, within-day, shaping factors, scalars, multipliers, normalized, index, contour, peakiness, flatness, form, share of the day
-- permission: chat:read_market_data
-- report:     price_curve_hourly_report
-- cache_s:    300
-- window:     Stage.mc_dayahead.YEAR
-- answer:     The typical day of **{HubZone} in {Market} for {ForecastYear}**[[ (months: {months})]] ({Vendor}, as-of {AsOf}, {Reference} case): dearest in hour {fact.highest_hour} at **{fact.highest_price}**[[ ({fact.highest_shape} of the average)]], cheapest in hour {fact.lowest_hour} at **{fact.lowest_price}**[[ ({fact.lowest_shape})]].
-- suggest:    Show the seasonal shape of {hub_zone} in {year}
-- suggest:    What is the peak vs off-peak spread of {hub_zone} in {year}?
-- param hub_zone  text required entity=hub_zone                    Trading hub or load zone
-- param year      int  required min=2000 max=2100                  Forecast year
-- param vendor    text optional entity=vendor                      Vendor of the curves; without it each vendor
-- param market    text optional entity=market                      Market; only needed where the hub-zone alone is not enough
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
-- column "Hour"                label="Hour beginning" priority=high type=int
-- column "AvgPrice_PerMWh"     label="Average price" priority=high type=decimal unit=$/MWh
-- column "Shape"               label="Of the average" priority=high type=decimal unit=% derived
-- column "WinterPrice_PerMWh"  label="Winter" priority=medium type=decimal unit=$/MWh
-- column "SpringPrice_PerMWh"  label="Spring" priority=medium type=decimal unit=$/MWh
-- column "SummerPrice_PerMWh"  label="Summer" priority=medium type=decimal unit=$/MWh
-- column "FallPrice_PerMWh"    label="Fall" priority=medium type=decimal unit=$/MWh
-- column "DataPoints"          label=Hours priority=low type=int unit=hours
-- fact highest_hour  optional            Dearest hour of the day
-- fact highest_price unit=$/MWh optional Its average
-- fact highest_shape unit=% optional     Its percentage of the day's average
-- fact lowest_hour   optional            Cheapest hour of the day
-- fact lowest_price  unit=$/MWh optional Its average
-- fact lowest_shape  unit=% optional     Its percentage of the day's average
SELECT
	vf.vendor AS "Vendor",
	vf.market AS "Market",
	vf.hubzone AS "HubZone",
	da.YEAR AS "ForecastYear",
	vf.asof AS "AsOf",
	vf.asof_date AS "AsOfDate",
	vf.reference AS "Reference",
	da.HOUR AS "Hour",
	ROUND(AVG(da.DAYAHEAD_PRICE), 2) AS "AvgPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.MONTH IN (12, 1, 2) THEN da.DAYAHEAD_PRICE END), 2) AS "WinterPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.MONTH IN (3, 4, 5) THEN da.DAYAHEAD_PRICE END), 2) AS "SpringPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.MONTH IN (6, 7, 8) THEN da.DAYAHEAD_PRICE END), 2) AS "SummerPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.MONTH IN (9, 10, 11) THEN da.DAYAHEAD_PRICE END), 2) AS "FallPrice_PerMWh",
	COUNT(*) AS "DataPoints"
FROM Stage.mc_vendor_files vf
JOIN Stage.mc_dayahead da
	ON da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key AND da.tenant_id = vf.tenant_id
WHERE vf.tenant_id = :tenant_id
	AND vf.hubzone = :hub_zone
	AND vf.reference = :reference
	AND da.YEAR = :year
--? vendor: AND vf.vendor = :vendor
--? market: AND vf.market = :market
--? asof: AND vf.asof = :asof
--? months: AND da.MONTH IN (:months...)
	:{newest_file}
GROUP BY vf.vendor, vf.market, vf.hubzone, da.YEAR, vf.asof, vf.asof_date, vf.reference, da.HOUR
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
		AND vf.hubzone = :hub_zone
		AND vf.reference = :reference
--? vendor: AND vf.vendor = :vendor
--? market: AND vf.market = :market
--? asof: AND vf.asof = :asof
) f
