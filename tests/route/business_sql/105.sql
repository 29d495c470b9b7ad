SELECT name FROM dbo.per_project WHERE (technology <> 'Solar' OR technology IS NULL) AND COALESCE(is_archived, 0) = 0
