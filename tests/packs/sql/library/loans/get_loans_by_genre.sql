-- tool:       get_loans_by_genre
-- about:      Loans of a branch by genre: how many books were lent in a year.
-- permission: library:read
-- answer:     {branch} lent most of {Genre}: {Loans} loans.
-- suggest:    How many loans did {branch} have in 2024?
-- param branch text required entity=branch Branch of the library
-- param year   int  optional default=2025 min=2000 max=2100 filter=year Year
-- column "Genre" priority=high entity=genre
-- column "Loans" type=int priority=high
SELECT l.genre AS "Genre", l.loans AS "Loans"
FROM dbo.lib_loans l
WHERE l.tenant_id = :tenant_id AND l.branch = :branch AND l.loan_year = :year
ORDER BY l.loans DESC
