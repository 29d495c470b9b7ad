SELECT f.hubzone, f.vendor, AVG(p.DAYAHEAD_PRICE) AS price FROM Stage.mc_dayahead p JOIN Stage.mc_vendor_files f ON f.file_info_key = p.FILE_INFO_KEY AND f.hubzone_key = p.HUBZONE_KEY
WHERE f.hubzone IN ('NP15', 'SP15', 'ZP26') AND f.reference = 'Base' AND p.YEAR = 2026
  AND ((f.vendor = 'Ascend' AND f.asof_date = (SELECT MAX(f.asof_date) FROM Stage.mc_dayahead p JOIN Stage.mc_vendor_files f ON f.file_info_key = p.FILE_INFO_KEY AND f.hubzone_key = p.HUBZONE_KEY WHERE f.vendor = 'Ascend' AND f.reference = 'Base' AND p.YEAR = 2026))
    OR (f.vendor = 'Hitachi' AND f.asof_date = (SELECT MAX(f.asof_date) FROM Stage.mc_dayahead p JOIN Stage.mc_vendor_files f ON f.file_info_key = p.FILE_INFO_KEY AND f.hubzone_key = p.HUBZONE_KEY WHERE f.vendor = 'Hitachi' AND f.reference = 'Base' AND p.YEAR = 2026)))
GROUP BY f.hubzone, f.vendor
