SELECT p.HOUR, f.vendor, AVG(p.DAYAHEAD_PRICE) AS price FROM Stage.mc_dayahead p JOIN Stage.mc_vendor_files f ON f.file_info_key = p.FILE_INFO_KEY AND f.hubzone_key = p.HUBZONE_KEY
WHERE f.hubzone = 'NP15' AND f.reference = 'Base' AND p.YEAR = 2026 AND EXTRACT(DOW FROM p.DATE) NOT IN (0, 6)
  AND ((f.vendor = 'Ascend' AND f.asof_date = (SELECT MAX(f.asof_date) FROM Stage.mc_dayahead p JOIN Stage.mc_vendor_files f ON f.file_info_key = p.FILE_INFO_KEY AND f.hubzone_key = p.HUBZONE_KEY WHERE f.vendor = 'Ascend' AND f.reference = 'Base' AND f.hubzone = 'NP15' AND p.YEAR = 2026))
    OR (f.vendor = 'Hitachi' AND f.asof_date = (SELECT MAX(f.asof_date) FROM Stage.mc_dayahead p JOIN Stage.mc_vendor_files f ON f.file_info_key = p.FILE_INFO_KEY AND f.hubzone_key = p.HUBZONE_KEY WHERE f.vendor = 'Hitachi' AND f.reference = 'Base' AND f.hubzone = 'NP15' AND p.YEAR = 2026)))
GROUP BY p.HOUR, f.vendor
