SELECT name FROM dbo.per_project WHERE technology <> 'Solar' OR technology IS NULL
