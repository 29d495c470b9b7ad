SELECT report_name, COUNT(*) AS views FROM Stage.pbi_activity_events WHERE activity_type = 'ViewReport' GROUP BY report_name ORDER BY views, report_name FETCH NEXT 10 ROWS ONLY
