-- tool:       get_portfolio_summary
-- about:      Portfolio summary: all active projects with stage, status, technology, market, sponsor, capacity and COD date, where permitted with budget and actuals; by stage, status color, technology or market.
-- grain:      project, stage, status, technology, market
-- words:      pipeline, fleet, roster, holdings, ventures, developments, book of projects, roll-up, rollup, RAG, board, overview, paused, building, sponsored, sponsoring, backed, active, capacity, megawatts
-- shows:      project
-- permission: chat:read_projects
-- report:     per_portfolio_report
-- totals:     count, sum(TotalBudget), sum(ActualsLTD)
-- answer:     There are **{fact.projects}**[[ currently **{fact.status}**]][[ in **{arg.project_stage}**]][[ of technology **{arg.technology}**]][[ in **{arg.market}**]][[ sponsored by **{arg.sponsor}**]][[, {fact.left_out}]].[[ By status: {fact.statuses}.]][[ {fact.actuals} of {fact.budget} budgeted has been spent ({fact.budget_used}).]]
-- suggest:    What is the health status of {ProjectName}?
-- suggest:    Show me all projects at risk
-- refer:      project_name rows[0].ProjectName the first, the worst, the first one
-- param status_color  text optional entity=status_color                     One of {values.status_color}
-- param project_stage text optional entity=project_stage match=like         Stage, such as Stage 3
-- param technology    text optional entity=technology                       Technology
-- param market        text optional entity=market                           Market
-- param sponsor       text optional entity=sponsor                          Sponsor
-- param not_status     list(text,4) optional entity=status_color  slot=not  Statuses to exclude
-- param not_stage      list(text,6) optional entity=project_stage slot=not  Stages to exclude
-- param not_technology list(text,6) optional entity=technology    slot=not  Technologies to exclude
-- param not_market     list(text,7) optional entity=market        slot=not  Markets to exclude
-- param not_sponsor    list(text,8) optional entity=sponsor       slot=not  Sponsors to exclude
-- column "ProjectName"    label=Project       priority=high   type=text
-- column "ProjectID"      label="Project id"  priority=low    type=text
-- column "CurrentStage"   label=Stage         priority=high   type=text
-- column "ProjectStatus"  label=Status        priority=high   type=text entity=status_color
-- column "Technology"     label=Technology    priority=high   type=text
-- column "Market"         label=Market        priority=high   type=text
-- column "Sponsor"        label=Sponsor       priority=low    type=text
-- column "GenCapacity_MW" label=Generation    priority=low    type=decimal unit=MW
-- column "StorCapacity_MW" label=Storage      priority=low    type=decimal unit=MW
-- column "COD"            label=COD           priority=high   type=date
-- column "CODYear"        label="COD year"    priority=low    type=int
-- column "TotalBudget"    label=Budget        priority=high   type=decimal unit=$ permission=chat:read_budget
-- column "ActualsLTD"     label=Actuals       priority=high   type=decimal unit=$ permission=chat:read_budget
-- column "StatusSummary"  label=Summary       priority=high   type=text
-- fact projects                    Number of projects in words
-- fact status      optional        The requested status, if any
-- fact statuses    optional        Projects by status in words
-- fact left_out    optional        Excluded values in words
-- fact actuals     unit=$ optional Spent so far
-- fact budget      unit=$ optional Total budget
-- fact budget_used unit=% optional Part of the budget that is spent
-- fact remaining   unit=$ optional Budget left
SELECT
	p.name AS "ProjectName",
	p.project_id AS "ProjectID",
	p.currentprojectstage AS "CurrentStage",
	p.Status_Type AS "ProjectStatus",
	p.technology AS "Technology",
	p.market AS "Market",
	p.sponsor AS "Sponsor",
	p.gencap AS "GenCapacity_MW",
	p.storecap AS "StorCapacity_MW",
	a."Commercial Operation" AS "COD",
	a."COD Year" AS "CODYear",
--? may_read_budget: p.Total_Operating_Budget AS "TotalBudget",
--? may_read_budget: p.Actuals_LTD AS "ActualsLTD",
	p.summary AS "StatusSummary"
FROM dbo.per_project p
LEFT JOIN dbo.activeportfolio_mm a
	ON a."Project Name" = p.name AND a.tenant_id = p.tenant_id AND a.monthlysnapshot = 1 AND a.asofday = (
		SELECT MAX(n.asofday)
		FROM dbo.activeportfolio_mm n
		WHERE n.tenant_id = a.tenant_id AND n."Project Name" = a."Project Name" AND n.monthlysnapshot = 1
	)
WHERE p.tenant_id = :tenant_id
	AND COALESCE(p.is_archived, 0) = 0
--? status_color: AND p.Status_Type = :status_color
--? project_stage: AND LOWER(p.currentprojectstage) LIKE LOWER(:project_stage) ESCAPE '\'
--? technology: AND p.technology = :technology
--? market: AND p.market = :market
--? sponsor: AND p.sponsor = :sponsor
--? not_status: AND (p.Status_Type IS NULL OR p.Status_Type NOT IN (:not_status...))
--? not_stage: AND (p.currentprojectstage IS NULL OR (p.currentprojectstage NOT IN (:not_stage...) AND SUBSTRING(p.currentprojectstage, 1, 7) NOT IN (:not_stage...)))
--? not_technology: AND (p.technology IS NULL OR p.technology NOT IN (:not_technology...))
--? not_market: AND (p.market IS NULL OR p.market NOT IN (:not_market...))
--? not_sponsor: AND (p.sponsor IS NULL OR p.sponsor NOT IN (:not_sponsor...))
ORDER BY
	CASE p.Status_Type WHEN 'off_track' THEN 1 WHEN 'at_risk' THEN 2 WHEN 'on_hold' THEN 3 ELSE 4 END,
	p.currentprojectstage, p.name
