SELECT name FROM dbo.per_project WHERE (technology = 'Solar' AND (currentprojectstage <> 'Stage 2' OR currentprojectstage IS NULL)) AND COALESCE(is_archived, 0) = 0
