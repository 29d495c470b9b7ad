-- tool:       get_hourly_price_distribution
-- about:      Price by hour of day: for hours 0-23 in $/MWh for a hub-zone and forecast year, average, lowest and highest, with peak and off-peak, from each vendor's newest as-of.
-- measures:   hours by price
-- grain:      hour, vendor, peak
-- words:      hour ending, HE, o'clock, noon, midnight, clock, ceiling, floor, extremes, highs, lows, threshold, range, charging, discharging, charge, curtailment, sunset, dispatch
-- shows:      price by price_hour
-- permission: chat:read_market_data
-- report:     dayahead_curve_report
-- cache_s:    300
-- window:     Stage.mc_dayahead.YEAR
-- answer:     Prices by hour of day for **{HubZone} in {Market} for {ForecastYear}**[[ (months: {months})]] ({Vendor}, as-of {AsOf}, {Reference} case)[[, on {fact.day}]][[, only the {fact.hours} {fact.bound}]].[[ Highest in hour {fact.highest_hour} at **{fact.highest_price}**, lowest in hour {fact.lowest_hour} at **{fact.lowest_price}**.]][[ Peak hours average **{fact.peak_price}**, off-peak **{fact.off_peak_price}**: a spread of {fact.peak_spread}.]]
-- suggest:    Compare the vendors for {hub_zone} in {year}
-- suggest:    Which curve files are available for {hub_zone}?
-- param hub_zone  text required entity=hub_zone                    Trading hub or load zone
-- param year      int  required min=2000 max=2100                  Forecast year
-- param vendor    text optional entity=vendor                      Vendor of the curve; without it all vendors
-- param market    text optional entity=market                      Market; only needed where the hub-zone alone is not enough
-- param months    list(int,12) optional min=1 max=12 filter=month  Months of the year; without them the whole year
-- param hours     list(int,24) optional min=0 max=23 filter=hour   Hours of day 0-23 (hour ending 17 is hour 16); without them all
-- param day       date optional slot=day                           Only this day of the year
-- param min_price decimal optional unit=$/MWh slot=above           Only hours of a price above this one
-- param max_price decimal optional unit=$/MWh slot=below           Only hours of a price below this one
-- param asof      text optional entity=asof filter=asof_date       As-of label of the file, such as Jan_2025; without it the newest
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
-- column "MinPrice_PerMWh"  label="Lowest price"  priority=medium type=decimal unit=$/MWh
-- column "MaxPrice_PerMWh"  label="Highest price" priority=medium type=decimal unit=$/MWh
-- column "DataPoints"       label=Hours           priority=low    type=int     unit=hours
-- column "PeakPrice_PerMWh"    label="Peak price"     priority=high type=decimal unit=$/MWh
-- column "OffPeakPrice_PerMWh" label="Off-peak price" priority=high type=decimal unit=$/MWh
-- fact day            optional            The requested day, if any
-- fact bound          optional            Price conditions of the counted hours, if any
-- fact hours          unit=hours optional Hours that satisfy the price conditions
-- fact highest_hour   optional            Hour of the day with the highest average
-- fact highest_price  unit=$/MWh optional Its average
-- fact lowest_hour    optional            Hour of the day with the lowest average
-- fact lowest_price   unit=$/MWh optional Its average
-- fact peak_price     unit=$/MWh optional Average of the peak hours
-- fact off_peak_price unit=$/MWh optional Average of the other hours
-- fact peak_spread    unit=$/MWh optional Peak minus off-peak
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
--? months: AND da.MONTH IN (:months...)
--? hours: AND da.HOUR IN (:hours...)
--? day: AND da.DATE = :day
--? min_price: AND (da.DAYAHEAD_PRICE > :min_price OR (:min_price_incl = 1 AND da.DAYAHEAD_PRICE = :min_price))
--? max_price: AND (da.DAYAHEAD_PRICE < :max_price OR (:max_price_incl = 1 AND da.DAYAHEAD_PRICE = :max_price))
	:{newest_file}
GROUP BY vf.vendor, vf.market, vf.hubzone, da.YEAR, vf.asof, vf.asof_date, vf.reference, da.HOUR
ORDER BY vf.asof_date DESC, vf.vendor, vf.market, vf.asof, da.HOUR

--# query periods
SELECT
	vf.vendor AS "Vendor",
	vf.market AS "Market",
	vf.asof AS "AsOf",
	vf.asof_date AS "AsOfDate",
	ROUND(AVG(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN da.DAYAHEAD_PRICE END), 2) AS "PeakPrice_PerMWh",
	ROUND(AVG(CASE WHEN da.HOUR BETWEEN :peak_first_hour AND :peak_last_hour THEN NULL ELSE da.DAYAHEAD_PRICE END), 2) AS "OffPeakPrice_PerMWh",
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
--? months: AND da.MONTH IN (:months...)
--? hours: AND da.HOUR IN (:hours...)
--? day: AND da.DATE = :day
--? min_price: AND (da.DAYAHEAD_PRICE > :min_price OR (:min_price_incl = 1 AND da.DAYAHEAD_PRICE = :min_price))
--? max_price: AND (da.DAYAHEAD_PRICE < :max_price OR (:max_price_incl = 1 AND da.DAYAHEAD_PRICE = :max_price))
GROUP BY vf.vendor, vf.market, vf.asof, vf.asof_date
ORDER BY vf.asof_date DESC, vf.vendor, vf.market, vf.asof

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
