SELECT name FROM dbo.per_project WHERE sponsor = 'Helios Partners' AND COALESCE(is_archived, 0) = 0
