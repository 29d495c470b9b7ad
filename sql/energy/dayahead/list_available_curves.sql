-- tool:       list_available_curves
-- about:      Available price files: vendor, market, hub-zone, as-of, case and first forecast year, newest first. For "what do you have" and for questions that lack a filter.
-- grain:      file, vendor, market, hub-zone, as-of
-- words:      files, inventory, catalogue, vintages, editions, releases, published, delivered, arrived, uploaded, loaded, coverage, library, horizon, scenarios, supported, on hand, in stock, hold, supplies, came out
-- permission: chat:read_market_data
-- report:     dayahead_curve_report
-- cache_s:    300
-- answer:     {rows} price curves match; the newest as-of is **{AsOf}** of {Vendor} for {HubZone} in {Market} ({AsOfDate}).
-- suggest:    What is the average day-ahead price for {HubZone} in {FirstYear} from {Vendor}?
-- param vendor    text optional entity=vendor                       Vendor of the files
-- param market    text optional entity=market                       Market of the hub-zones
-- param hub_zone  text optional entity=hub_zone                     Trading hub or load zone
-- param year      int  optional min=2000 max=2100                   Forecast year that the files cover
-- param asof      text optional entity=asof filter=asof_date        As-of label, such as Jan_2025 or Q1_2025
-- param from      date optional filter=date_range_start             First day on which the files were published
-- param to        date optional filter=date_range_end               Last day on which the files were published
-- param reference text optional entity=reference                    Case of the forecast; without it all cases
-- column "Vendor"      label=Vendor       priority=high   type=text
-- column "Market"      label=Market       priority=high   type=text
-- column "HubZone"     label=Hub-zone     priority=high   type=text
-- column "AsOf"        label=As-of        priority=high   type=text
-- column "AsOfDate"    label="As-of date" priority=medium type=date asof
-- column "FirstYear"   label="First year" priority=medium type=int
-- column "Reference"   label=Case         priority=medium type=text
-- column "Selection"   label=Selection    priority=low    type=text
SELECT DISTINCT
	vf.vendor AS "Vendor",
	vf.market AS "Market",
	vf.hubzone AS "HubZone",
	vf.asof AS "AsOf",
	vf.asof_date AS "AsOfDate",
	vf.YR AS "FirstYear",
	vf.reference AS "Reference",
	vf.SELECTION AS "Selection"
FROM Stage.mc_vendor_files vf
WHERE vf.tenant_id = :tenant_id
--? vendor: AND vf.vendor = :vendor
--? market: AND vf.market = :market
--? hub_zone: AND vf.hubzone = :hub_zone
--? asof: AND vf.asof = :asof
--? from: AND vf.asof_date >= :from
--? to: AND vf.asof_date <= :to
--? reference: AND vf.reference = :reference
--? year: AND EXISTS (SELECT 1 FROM Stage.mc_dayahead da WHERE da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key AND da.YEAR = :year AND da.tenant_id = vf.tenant_id)
ORDER BY vf.asof_date DESC, vf.vendor, vf.market, vf.hubzone, vf.reference
