-- tool:       list_hourly_quotes
-- about:      The quotes of a vendor for every hour of a year, one row an hour: the ledger of hourly quotes.
-- permission: chat:read_market_data
-- cache_s:    60
-- answer:     There are {rows} hourly quotes.
-- param vendor    text required entity=vendor               Vendor of the curve
-- param hub_zone  text required entity=hub_zone             Trading hub or load zone
-- param year      int  required min=2000 max=2100           Forecast year
-- param asof      text optional entity=asof filter=asof_date As-of label of the file
-- column "Day"    label=Day   priority=high   type=date
-- column "Hour"   label=Hour  priority=high   type=int
-- column "Quote"  label=Quote priority=high   type=decimal unit=$/MWh
-- column "Vendor" label==Vendor priority=low  type=text
-- column "Cost"   label=Cost  priority=low    type=decimal permission=chat:read_budget
SELECT
	da.DATE AS "Day",
	da.HOUR AS "Hour",
	da.DAYAHEAD_PRICE AS "Quote",
	vf.vendor AS "Vendor"
--? may_read_budget: , da.DAYAHEAD_PRICE AS "Cost"
FROM Stage.mc_vendor_files vf
JOIN Stage.mc_dayahead da
	ON da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key AND da.tenant_id = vf.tenant_id
WHERE vf.tenant_id = :tenant_id
	AND vf.vendor = :vendor
	AND vf.hubzone = :hub_zone
	AND vf.reference = 'Base'
	AND da.YEAR = :year
--? asof: AND vf.asof = :asof
ORDER BY vf.asof_date DESC, vf.file_info_key, da.DATE, da.HOUR
OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY
