-- tool:       get_project_overview
-- about:      Project overview: stage, status, technology, market, location, sponsor, SPA, capacity, commercial terms and, where permitted, the money of one project.
-- words:      profile, fact sheet, essentials, basics, background, description, summary, details, parameters, offtaker, counterparty, PPA, PPA price, price, tenor, products, commercial terms, contract, buys, sells, selling, located, location, county, site, nameplate, megawatts, MW, size, output, owner
-- permission: chat:read_projects
-- report:     per_project_report
-- answer:     **{ProjectName}** is in **{CurrentStage}** with status **{ProjectStatus}**[[: {StatusSummary}]]. {Technology} in {Market}[[, {Location}]][[, {GenerationCapacity_MW} of generation]][[, {StorageCapacity_MW} of storage]][[; sponsor {Sponsor}]][[, SPA {SPA}]].[[ COD is {fact.cod}.]][[ **{ActualsLTD}** of a budget of **{TotalBudget}** has been spent ({fact.budget_used}); the forecast is {TotalForecast}.]][[ Sold to {Buyer} for {Tenor} years at {PPAPrice} ({Products}).]]
-- suggest:    What is the health status of {ProjectName}?
-- suggest:    What are the milestone dates of {ProjectName}?
-- suggest:    What are the task risks of {ProjectName}?
-- param project_name text required entity=project_name                Project, or a part of its name
-- column "ProjectName"           label=Project           priority=high   type=text
-- column "ProjectID"             label="Project id"      priority=low    type=text
-- column "CurrentStage"          label=Stage             priority=high   type=text
-- column "ProjectStatus"         label=Status            priority=high   type=text entity=status_color
-- column "StatusSummary"         label=Summary           priority=high   type=text
-- column "Technology"            label=Technology        priority=high   type=text
-- column "Market"                label=Market            priority=high   type=text
-- column "Location"              label=Location          priority=medium type=text
-- column "SPA"                   label=SPA               priority=medium type=text
-- column "Sponsor"               label=Sponsor           priority=medium type=text
-- column "Utility"               label=Utility           priority=low    type=text
-- column "GenerationCapacity_MW" label=Generation        priority=medium type=decimal unit=MW
-- column "StorageCapacity_MW"    label=Storage           priority=medium type=decimal unit=MW
-- column "Buyer"                 label=Buyer             priority=medium type=text
-- column "Tenor"                 label="Tenor (years)"   priority=medium type=int
-- column "Products"              label=Products          priority=medium type=text
-- column "PPAPrice"              label="PPA price"       priority=medium type=decimal unit=$/MWh
-- column "RevisionDate"          label="Revision date"   priority=low    type=date
-- column "ActualsLTD"            label=Actuals           priority=high   type=decimal unit=$ permission=chat:read_budget
-- column "TotalBudget"           label=Budget            priority=high   type=decimal unit=$ permission=chat:read_budget
-- column "TotalForecast"         label=Forecast          priority=high   type=decimal unit=$ permission=chat:read_budget
-- column "IC_LC"                 label=IC_LC             priority=medium type=decimal unit=$ permission=chat:read_budget
-- column "PPA_LC"                label=PPA_LC            priority=medium type=decimal unit=$ permission=chat:read_budget
-- column "COD"                   label=COD               priority=high   type=date
-- column "CODYear"               label="COD year"        priority=medium type=int
-- fact cod           optional        Commercial operation (COD) in words
-- fact actuals       unit=$ optional Spent so far
-- fact budget        unit=$ optional Total budget
-- fact budget_used   unit=% optional Part of the budget that is spent
-- fact remaining     unit=$ optional Budget left
-- fact forecast      unit=$ optional Forecast of all costs
-- fact forecast_side optional        Whether the forecast is over or under budget
-- fact forecast_gap  unit=$ optional By how much
SELECT
	p.name AS "ProjectName",
	p.project_id AS "ProjectID",
	p.currentprojectstage AS "CurrentStage",
	p.Status_Type AS "ProjectStatus",
	p.summary AS "StatusSummary",
	p.technology AS "Technology",
	p.market AS "Market",
	p.location AS "Location",
	p.spa AS "SPA",
	p.sponsor AS "Sponsor",
	p.utility AS "Utility",
	NULLIF(p.gencap, 0) AS "GenerationCapacity_MW",
	NULLIF(p.storecap, 0) AS "StorageCapacity_MW",
--? may_read_budget: p.Actuals_LTD AS "ActualsLTD",
--? may_read_budget: p.Total_Operating_Budget AS "TotalBudget",
--? may_read_budget: p.Total_Operating_Forecast AS "TotalForecast",
--? may_read_budget: p.IC_LC AS "IC_LC",
--? may_read_budget: p.PPA_LC AS "PPA_LC",
	p.buyer AS "Buyer",
	p.tenor AS "Tenor",
	p.products AS "Products",
	p.price AS "PPAPrice",
	p.revision_date AS "RevisionDate"
FROM dbo.per_project p
WHERE p.tenant_id = :tenant_id
	AND p.name = :project_name

--# query schedule
SELECT a."Commercial Operation" AS "COD", a."COD Year" AS "CODYear"
FROM dbo.activeportfolio_mm a
WHERE a.tenant_id = :tenant_id
	AND a."Project Name" = :project_name
	AND a.monthlysnapshot = 1
	AND a.asofday = (
		SELECT MAX(n.asofday)
		FROM dbo.activeportfolio_mm n
		WHERE n.tenant_id = a.tenant_id AND n."Project Name" = a."Project Name" AND n.monthlysnapshot = 1
	)
