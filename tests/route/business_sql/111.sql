SELECT name FROM dbo.per_project WHERE sponsor = 'Helios Partners'
