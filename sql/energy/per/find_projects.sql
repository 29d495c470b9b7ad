-- tool:       find_projects
-- about:      Projects by name: those whose name contains a text, and all names.
-- grain:      project
-- permission: chat:read_projects
-- visible:    no
-- param project_name text required match=like  Text that the name contains
-- column "ProjectName"  label=Project     priority=high   type=text
-- column "CurrentStage" label=Stage       priority=medium type=text
-- column "Technology"   label=Technology  priority=medium type=text
-- column "Market"       label=Market      priority=medium type=text
SELECT
	p.name AS "ProjectName",
	p.currentprojectstage AS "CurrentStage",
	p.technology AS "Technology",
	p.market AS "Market"
FROM dbo.per_project p
WHERE p.tenant_id = :tenant_id
	AND LOWER(p.name) LIKE LOWER(:project_name) ESCAPE '\'
ORDER BY p.name

--# query all
SELECT
	p.name AS "ProjectName",
	p.currentprojectstage AS "CurrentStage",
	p.technology AS "Technology",
	p.market AS "Market"
FROM dbo.per_project p
WHERE p.tenant_id = :tenant_id
ORDER BY p.name
