-- tool:       get_seasonal_shape
-- about:      Seasonal shape: seasonality, average price in $/MWh month by month and season by season (winter, spring, summer, autumn) of a hub-zone in a forecast year, with the dearest and the cheapest month.
-- measures:   months and seasons by price
-- grain:      month, season
-- words:      seasonality, seasonal, season, month by month, summer, winter, spring, autumn, shoulder, time of year, swing, trough, dear, cheap
-- permission: chat:read_market_data
-- report:     price_curve_hourly_report
-- cache_s:    300
-- window:     Stage.mc_dayahead.YEAR
-- answer:     Over **{ForecastYear}**, **{HubZone} in {Market}** ({Vendor}, as-of {AsOf}, {Reference} case) is dearest in **{fact.highest_month}** at **{fact.highest_price}** and cheapest in **{fact.lowest_month}** at **{fact.lowest_price}**, {fact.month_range} apart.[[ By season: {fact.seasons}.]]
-- suggest:    Show the daily shape of {hub_zone} in {year} by season
-- suggest:    Compare the vendors for {hub_zone} in {year}
-- param hub_zone  text required entity=hub_zone                    Trading hub or load zone
-- param year      int  required min=2000 max=2100                  Forecast year
-- param vendor    text optional entity=vendor                      Vendor of the curves; without it each vendor
-- param market    text optional entity=market                      Market; only needed where the hub-zone alone is not enough
-- param asof      text optional entity=asof filter=asof_date       As-of label of the file, such as Jan_2025; without it the newest
-- param reference text optional entity=reference default=Base      Case of the forecast
-- column "Vendor"              label=Vendor           priority=high   type=text
-- column "Market"              label=Market           priority=high   type=text
-- column "HubZone"             label=Hub-zone         priority=high   type=text
-- column "ForecastYear"        label=Year             priority=high   type=int
-- column "AsOf"                label=As-of            priority=high   type=text
-- column "AsOfDate"            label="As-of date"     priority=low    type=date asof
-- column "Reference"           label=Case             priority=medium type=text
-- column "Month"               label=Month priority=high type=int
-- column "AvgPrice_PerMWh"     label="Average price" priority=high type=decimal unit=$/MWh
-- column "PeakPrice_PerMWh"    label="Peak price" priority=medium type=decimal unit=$/MWh
-- column "OffPeakPrice_PerMWh" label="Off-peak price" priority=medium type=decimal unit=$/MWh
-- column "MinPrice_PerMWh"     label="Lowest price" priority=low type=decimal unit=$/MWh
-- column "MaxPrice_PerMWh"     label="Highest price" priority=low type=decimal unit=$/MWh
-- column "DataPoints"          label=Hours priority=low type=int unit=hours
-- column "Season"              label=Season priority=high type=text
-- fact highest_month optional            Dearest month
-- fact highest_price unit=$/MWh optional Its average
-- fact lowest_month  optional            Cheapest month
-- fact lowest_price  unit=$/MWh optional Its average
-- fact month_range   unit=$/MWh optional Highest minus lowest month
-- fact seasons       optional            Average by season in words
SELECT
	vf.vendor AS "Vendor",
	vf.market AS "Market",
	vf.hubzone AS "HubZone",
	da.YEAR AS "ForecastYear",
	vf.asof AS "AsOf",
	vf.asof_date AS "AsOfDate",
	vf.reference AS "Reference",
	da.MONTH AS "Month",
	ROUND(AVG(da.DAYAHEAD_PRICE), 2) AS "AvgPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN da.DAYAHEAD_PRICE END), 2) AS "PeakPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN NULL ELSE da.DAYAHEAD_PRICE END), 2) AS "OffPeakPrice_PerMWh",
	ROUND(MIN(da.DAYAHEAD_PRICE), 2) AS "MinPrice_PerMWh",
	ROUND(MAX(da.DAYAHEAD_PRICE), 2) AS "MaxPrice_PerMWh",
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
	:{newest_file}
GROUP BY vf.vendor, vf.market, vf.hubzone, da.YEAR, vf.asof, vf.asof_date, vf.reference, da.MONTH
ORDER BY vf.asof_date DESC, vf.vendor, vf.market, da.MONTH

--# query seasons
SELECT
	vf.vendor AS "Vendor",
	vf.market AS "Market",
	vf.asof AS "AsOf",
	vf.asof_date AS "AsOfDate",
	CASE WHEN da.MONTH IN (12, 1, 2) THEN 'Winter' WHEN da.MONTH IN (3, 4, 5) THEN 'Spring' WHEN da.MONTH IN (6, 7, 8) THEN 'Summer' ELSE 'Fall' END AS "Season",
	ROUND(AVG(da.DAYAHEAD_PRICE), 2) AS "AvgPrice_PerMWh",
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
	:{newest_file}
GROUP BY vf.vendor, vf.market, vf.asof, vf.asof_date, CASE WHEN da.MONTH IN (12, 1, 2) THEN 'Winter' WHEN da.MONTH IN (3, 4, 5) THEN 'Spring' WHEN da.MONTH IN (6, 7, 8) THEN 'Summer' ELSE 'Fall' END
ORDER BY vf.asof_date DESC, vf.vendor, vf.market, MAX(da.MONTH)

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
