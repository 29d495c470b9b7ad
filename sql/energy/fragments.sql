-- What statements of several tools of this pack share.

-- Of each curve only the newest file that holds the year, by as-of date.
--# fragment newest_file
	AND vf.asof_date = (
		SELECT MAX(n.asof_date)
		FROM Stage.mc_vendor_files n
		WHERE n.tenant_id = vf.tenant_id
			AND n.vendor = vf.vendor
			AND n.market = vf.market
			AND n.hubzone = vf.hubzone
			AND n.reference = vf.reference
--? asof: AND n.asof = :asof
--? year: AND EXISTS (SELECT 1 FROM Stage.mc_dayahead c WHERE c.FILE_INFO_KEY = n.file_info_key AND c.HUBZONE_KEY = n.hubzone_key AND c.YEAR = :year AND c.tenant_id = n.tenant_id)
	)
