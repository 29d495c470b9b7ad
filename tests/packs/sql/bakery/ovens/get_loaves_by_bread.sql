-- tool:       get_loaves_by_bread
-- about:      Loaves of an oven by bread: how many were baked in a year.
-- permission: bakery:read
-- answer:     {oven} baked most {Bread}: {Loaves} loaves.
-- suggest:    How many loaves did {oven} bake in 2024?
-- param oven text required entity=oven Oven of the bakery
-- param year int  optional default=2025 min=2000 max=2100 filter=year Year
-- column "Bread" priority=high entity=bread
-- column "Loaves" type=int priority=high
SELECT b.bread AS "Bread", b.loaves AS "Loaves"
FROM dbo.bak_batches b
WHERE b.tenant_id = :tenant_id AND b.oven = :oven AND b.batch_year = :year
ORDER BY b.loaves DESC
