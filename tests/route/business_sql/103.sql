SELECT name FROM dbo.per_project WHERE (Status_Type <> 'on_track' OR Status_Type IS NULL) AND COALESCE(is_archived, 0) = 0
