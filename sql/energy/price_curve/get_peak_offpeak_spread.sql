-- tool:       get_peak_offpeak_spread
-- about:      Peak and off-peak prices: averages of on-peak hours and of off-peak hours of a hub-zone in $/MWh and how far peak is above off-peak, for a forecast year or each year of the newest as-of.
-- measures:   the spread of peak above off-peak
-- grain:      year, peak
-- words:      on-peak, off-peak, offpeak, peakload, 5x16, 7x16, 7x8, 2x16, HLH, LLH, heavy load, light load, block, wrap, premium, uplift, inverted, superpeak, shifting
-- permission: chat:read_market_data
-- report:     price_curve_hourly_report
-- cache_s:    300
-- window:     Stage.mc_dayahead.YEAR
-- answer:     The peak vs off-peak spread of **{HubZone} in {Market} for {ForecastYear}**[[ (months: {months})]] ({Vendor}, as-of {AsOf}, {Reference} case) is **{fact.peak_spread}**: peak hours {fact.peak_hours} average {PeakPrice_PerMWh}, off-peak hours {OffPeakPrice_PerMWh}[[, so that peak is {fact.peak_spread_percent} above off-peak]].
-- suggest:    Show the hourly price shape for {hub_zone} in {ForecastYear}
-- suggest:    Show the seasonal shape of {hub_zone} in {ForecastYear}
-- param hub_zone  text required entity=hub_zone                    Trading hub or load zone
-- param year      int  optional min=2000 max=2100                  Forecast year; without it each year of the newest file
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
-- column "PeakPrice_PerMWh"    label="Peak price" priority=high type=decimal unit=$/MWh
-- column "OffPeakPrice_PerMWh" label="Off-peak price" priority=high type=decimal unit=$/MWh
-- column "Spread_PerMWh"       label="Spread" priority=high type=decimal unit=$/MWh derived
-- column "AvgPrice_PerMWh"     label="Average price" priority=medium type=decimal unit=$/MWh
-- column "FirstPeakHour"       label="First peak hour" priority=low type=int
-- column "LastPeakHour"        label="Last peak hour" priority=low type=int
-- column "DataPoints"          label=Hours priority=low type=int unit=hours
-- fact peak_spread         unit=$/MWh optional Peak minus off-peak
-- fact peak_spread_percent unit=% optional     Peak above off-peak
-- fact peak_hours          optional            First and last hour of the peak
SELECT
	vf.vendor AS "Vendor",
	vf.market AS "Market",
	vf.hubzone AS "HubZone",
	da.YEAR AS "ForecastYear",
	vf.asof AS "AsOf",
	vf.asof_date AS "AsOfDate",
	vf.reference AS "Reference",
	ROUND(AVG(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN da.DAYAHEAD_PRICE END), 2) AS "PeakPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN NULL ELSE da.DAYAHEAD_PRICE END), 2) AS "OffPeakPrice_PerMWh",
	ROUND(AVG(da.DAYAHEAD_PRICE), 2) AS "AvgPrice_PerMWh",
	MIN(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN da.HOUR END) AS "FirstPeakHour",
	MAX(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN da.HOUR END) AS "LastPeakHour",
	COUNT(*) AS "DataPoints"
FROM Stage.mc_vendor_files vf
JOIN Stage.mc_dayahead da
	ON da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key AND da.tenant_id = vf.tenant_id
WHERE vf.tenant_id = :tenant_id
	AND vf.hubzone = :hub_zone
	AND vf.reference = :reference
--? year: AND da.YEAR = :year
--? vendor: AND vf.vendor = :vendor
--? market: AND vf.market = :market
--? asof: AND vf.asof = :asof
--? months: AND da.MONTH IN (:months...)
	:{newest_file}
GROUP BY vf.vendor, vf.market, vf.hubzone, da.YEAR, vf.asof, vf.asof_date, vf.reference
ORDER BY vf.asof_date DESC, vf.vendor, vf.market, da.YEAR

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
