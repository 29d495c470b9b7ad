-- tool:       get_project_health
-- about:      Project health: color ({values.health_color}), percent complete, due date and notes for each health domain of one project ({values.health_domain}).
-- grain:      health domain, area
-- words:      traffic lights, stoplight, RAG, RAG status, condition, diagnosis, checkup, vital signs, scorecard, sore spots, domains, sections, areas, trouble, wrong, ailing, permitting, interconnection, engineering, procurement, offtake, financing, construction, site control, schedule, doing, coming along, colour, color, flagged, progress
-- permission: chat:read_projects
-- report:     per_project_health_report, per_project_report
-- answer:     **{ProjectName}** is currently in **{CurrentStage}** with overall project status **{ProjectStatus}**. {rows} areas: {fact.colors}.[[ **Key risks**: {fact.key_risks}.]]
-- suggest:    What are the task risks of {ProjectName}?
-- suggest:    Give me an overview of {ProjectName}
-- param project_name text required entity=project_name                Project, or a part of its name
-- column "ProjectName"     label=Project        priority=high   type=text
-- column "CurrentStage"    label=Stage          priority=high   type=text
-- column "ProjectStatus"   label="Overall"      priority=high   type=text entity=status_color
-- column "Section"         label=Section        priority=low    type=text
-- column "HealthArea"      label=Domain         priority=high   type=text
-- column "HealthColor"     label=Status         priority=high   type=text entity=health_color
-- column "PercentComplete" label="% complete"   priority=high   type=int  unit=%
-- column "DueDate"         label="Due date"     priority=high   type=date
-- column "Notes"           label=Notes          priority=high   type=text
-- column "SortOrder"       label=Order          priority=low    type=int
-- fact colors             Areas by color in words
-- fact key_risks optional Red areas with their notes
SELECT
	p.name AS "ProjectName",
	p.currentprojectstage AS "CurrentStage",
	p.Status_Type AS "ProjectStatus",
	h.section AS "Section",
	h.name AS "HealthArea",
	h.healthcolor AS "HealthColor",
	h.pctcomplete AS "PercentComplete",
	h.due_on AS "DueDate",
	h.notes AS "Notes",
	h.sort AS "SortOrder"
FROM dbo.per_projecthealth h
JOIN dbo.per_project p ON p.gid = h.project_gid AND p.tenant_id = h.tenant_id
WHERE h.tenant_id = :tenant_id
	AND p.name = :project_name
ORDER BY h.sort
