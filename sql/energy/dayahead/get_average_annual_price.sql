-- tool:       get_average_annual_price
-- about:      Average annual day-ahead price: in $/MWh of one vendor, hub-zone and forecast year, one row an as-of, newest first.
-- grain:      as-of, year, file
-- words:      flat price, baseload, around the clock, round the clock, ATC, 7x24, Cal strip, calendar, annualized, per annum, twelve, wholesale, clearing, quote, planning, single, arithmetic, middle
-- permission: chat:read_market_data
-- report:     dayahead_curve_report
-- cache_s:    300
-- window:     Stage.mc_dayahead.YEAR
-- answer:     The average day-ahead price for **{HubZone} in {Market} for {ForecastYear}** ({Vendor}, as-of {AsOf}, {Reference} case) is **{AvgPrice_PerMWh}** over {DataPoints}.
-- suggest:    Compare the vendors for {hub_zone} in {year}
-- suggest:    Show the hourly price shape for {hub_zone} in {year} from {vendor}
-- param vendor    text required entity=vendor                      Vendor of the curve
-- param hub_zone  text required entity=hub_zone                    Trading hub or load zone
-- param year      int  required min=2000 max=2100                  Forecast year
-- param market    text optional entity=market                      Market; only needed where the hub-zone alone is not enough
-- param asof      text optional entity=asof filter=asof_date       As-of label of the file, such as Jan_2025; without it all files
-- param reference text optional entity=reference default=Base      Case of the forecast
-- column "Vendor"           label=Vendor          priority=high   type=text
-- column "Market"           label=Market          priority=high   type=text
-- column "HubZone"          label=Hub-zone        priority=high   type=text
-- column "ForecastYear"     label=Year            priority=high   type=int
-- column "AsOf"             label=As-of           priority=high   type=text
-- column "AsOfDate"         label="As-of date"    priority=low    type=date asof
-- column "Reference"        label=Case            priority=medium type=text
-- column "AvgPrice_PerMWh"  label="Average price" priority=high   type=decimal unit=$/MWh
-- column "DataPoints"       label=Hours           priority=medium type=int     unit=hours
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
	AND vf.vendor = :vendor
	AND vf.hubzone = :hub_zone
	AND vf.reference = :reference
	AND da.YEAR = :year
--? market: AND vf.market = :market
--? asof: AND vf.asof = :asof
GROUP BY vf.vendor, vf.market, vf.hubzone, da.YEAR, vf.asof, vf.asof_date, vf.reference
ORDER BY vf.asof_date DESC, vf.market, vf.asof

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
		AND vf.vendor = :vendor
		AND vf.hubzone = :hub_zone
		AND vf.reference = :reference
--? market: AND vf.market = :market
--? asof: AND vf.asof = :asof
) f
