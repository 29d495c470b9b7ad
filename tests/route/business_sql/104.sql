SELECT name FROM dbo.per_project WHERE (market <> 'CAISO' OR market IS NULL) AND COALESCE(is_archived, 0) = 0
