-- tool:       get_budget_overview
-- about:      Budget vs actuals: budget, actuals, forecast, IC_LC and PPA_LC of one project, with its budget lines by group.
-- grain:      group, subgroup, metric, line
-- words:      money, financials, spent, spend, spending, expenditure, costs, cost, overrun, overspend, underspend, burn, burned, life to date, LTD, estimate at completion, EAC, remaining, left, headroom, funds, letters of credit, LC, posted, security, deposits, capex, devex, opex, budgeted, incurred, allotment, outstanding, variance, paid
-- permission: chat:read_budget
-- report:     per_budget_report
-- answer:     **{ProjectName}** has spent **{fact.actuals}** of its budget of **{fact.budget}**[[ ({fact.budget_used})]]; {fact.remaining} remain.[[ The forecast of {fact.forecast} is {fact.forecast_gap} {fact.forecast_side} budget.]][[ Securities: IC_LC {fact.ic_lc}]][[, PPA_LC {fact.ppa_lc}]].
-- suggest:    What is the health status of {ProjectName}?
-- suggest:    What changed for {ProjectName} in the last 3 months?
-- param project_name text required entity=project_name                Project, or a part of its name
-- column "ProjectName"   label=Project      priority=high   type=text
-- column "BudgetGroup"   label=Group        priority=high   type=text
-- column "SubGroup"      label=Subgroup     priority=high   type=text
-- column "Metric"        label=Metric       priority=high   type=text
-- column "ValueAmount"   label=Amount       priority=high   type=decimal unit=$
-- column "ValuePercent"  label=Percent      priority=medium type=decimal unit=%
-- column "ValueDate"     label=Date         priority=medium type=date
-- column "ActualsLTD"    label=Actuals      priority=high   type=decimal unit=$
-- column "TotalBudget"   label=Budget       priority=high   type=decimal unit=$
-- column "TotalForecast" label=Forecast     priority=high   type=decimal unit=$
-- column "IC_LC"         label=IC_LC        priority=medium type=decimal unit=$
-- column "PPA_LC"        label=PPA_LC       priority=medium type=decimal unit=$
-- fact actuals       unit=$ optional Spent so far
-- fact budget        unit=$ optional Total budget
-- fact budget_used   unit=% optional Part of the budget that is spent
-- fact remaining     unit=$ optional Budget left
-- fact forecast      unit=$ optional Forecast of all costs
-- fact forecast_side optional        Whether the forecast is over or under budget
-- fact forecast_gap  unit=$ optional By how much
-- fact ic_lc         unit=$ optional Posted IC_LC
-- fact ppa_lc        unit=$ optional Posted PPA_LC
SELECT
	p.name AS "ProjectName",
	b."group" AS "BudgetGroup",
	b.subgrouping AS "SubGroup",
	b.metric AS "Metric",
	CASE WHEN b.metric LIKE '%!%%' ESCAPE '!' THEN NULL ELSE b.value_numbers END AS "ValueAmount",
	CASE WHEN b.metric LIKE '%!%%' ESCAPE '!' THEN b.value_numbers END AS "ValuePercent",
	b.value_dates AS "ValueDate"
FROM dbo.per_project45 b
JOIN dbo.per_project p ON p.project_id = b.project_id AND p.tenant_id = b.tenant_id
WHERE b.tenant_id = :tenant_id
	AND p.name = :project_name
	AND b.MonthFromFileName IS NULL
ORDER BY b."group", b.subgrouping, b.metric

--# query totals
SELECT
	p.Actuals_LTD AS "ActualsLTD",
	p.Total_Operating_Budget AS "TotalBudget",
	p.Total_Operating_Forecast AS "TotalForecast",
	p.IC_LC AS "IC_LC",
	p.PPA_LC AS "PPA_LC"
FROM dbo.per_project p
WHERE p.tenant_id = :tenant_id
	AND p.name = :project_name
