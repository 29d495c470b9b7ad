SELECT AVG(p.DAYAHEAD_PRICE) AS price, COUNT(*) AS hours FROM Stage.mc_dayahead p JOIN Stage.mc_vendor_files f ON f.file_info_key = p.FILE_INFO_KEY AND f.hubzone_key = p.HUBZONE_KEY
WHERE f.vendor = 'Ascend' AND f.hubzone = 'NP15' AND f.reference = 'Base' AND p.YEAR = 2026 AND p.DAYAHEAD_PRICE > 60
  AND f.asof_date = (SELECT MAX(f.asof_date) FROM Stage.mc_dayahead p JOIN Stage.mc_vendor_files f ON f.file_info_key = p.FILE_INFO_KEY AND f.hubzone_key = p.HUBZONE_KEY WHERE f.vendor = 'Ascend' AND f.reference = 'Base' AND f.hubzone = 'NP15' AND p.YEAR = 2026)
