-- tool:       get_task_risks
-- about:      Task risks: tasks with a risk (high, medium, low) of one project or of all, the most severe first, with due date, status and notes.
-- measures:   risks by severity
-- grain:      task, risk, project
-- words:      risk register, risk log, threats, dangers, hazards, perils, concerns, severity, severe, rated, rating, risky, riskily, roadblocks, blockers, issues, critical, jeopardize, worry, exposure, open
-- permission: chat:read_projects
-- report:     per_project_report
-- totals:     count
-- answer:     There are **{fact.tasks} tasks with a risk**[[ at {arg.project_name}]][[, all {arg.risk_level}]][[, {fact.left_out}]]: {fact.levels}.[[ The most urgent is **{TaskName}** of {ProjectName}, due {DueDate}.]]
-- suggest:    What is the health status of {ProjectName}?
-- refer:      project_name rows[0].ProjectName the first, that project, the riskiest
-- param project_name text optional entity=project_name                Project, or a part of its name; without it all
-- param risk_level   text optional entity=risk_level default=any      Only tasks of this risk, one of {values.risk_level}; any for all
-- param not_risk     list(text,3) optional entity=risk_level slot=not Risks to exclude
-- column "ProjectName" label=Project    priority=high   type=text
-- column "TaskName"    label=Task       priority=high   type=text
-- column "TaskType"    label=Type       priority=low    type=text
-- column "RiskLevel"   label=Risk       priority=high   type=text
-- column "DueDate"     label="Due date" priority=high   type=date
-- column "Status"      label=Status     priority=medium type=text
-- column "Notes"       label=Notes      priority=high   type=text
-- column "Tasks"       label=Tasks      priority=high   type=int
-- fact tasks    type=int Tasks with a risk
-- fact levels            Tasks by risk in words
-- fact left_out optional Excluded values in words
SELECT
	t.projectname AS "ProjectName",
	t.taskname AS "TaskName",
	t.task_type AS "TaskType",
	t.risk AS "RiskLevel",
	t.finishdate AS "DueDate",
	t.status AS "Status",
	t.notesforper AS "Notes"
FROM dbo.per_tasks t
WHERE t.tenant_id = :tenant_id
	AND t.risk <> ''
	AND (
		NOT EXISTS (
			SELECT 1 FROM dbo.per_project x
			WHERE x.tenant_id = t.tenant_id AND x.name = t.projectname AND COALESCE(x.is_archived, 0) <> 0
		)
--? project_name: OR t.projectname = :project_name
	)
--? project_name: AND t.projectname = :project_name
--? risk_level: AND t.risk = :risk_level
--? not_risk: AND t.risk NOT IN (:not_risk...)
ORDER BY
	CASE t.risk WHEN 'High' THEN 1 WHEN 'Medium' THEN 2 WHEN 'Low' THEN 3 ELSE 4 END,
	CASE WHEN t.finishdate IS NULL THEN 1 ELSE 0 END, t.finishdate, t.projectname, t.taskname

--# query levels
SELECT t.risk AS "RiskLevel", COUNT(*) AS "Tasks"
FROM dbo.per_tasks t
WHERE t.tenant_id = :tenant_id
	AND t.risk <> ''
	AND (
		NOT EXISTS (
			SELECT 1 FROM dbo.per_project x
			WHERE x.tenant_id = t.tenant_id AND x.name = t.projectname AND COALESCE(x.is_archived, 0) <> 0
		)
--? project_name: OR t.projectname = :project_name
	)
--? project_name: AND t.projectname = :project_name
--? risk_level: AND t.risk = :risk_level
--? not_risk: AND t.risk NOT IN (:not_risk...)
GROUP BY t.risk
ORDER BY CASE t.risk WHEN 'High' THEN 1 WHEN 'Medium' THEN 2 WHEN 'Low' THEN 3 ELSE 4 END
