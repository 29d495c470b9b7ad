-- tool:       get_milestone_dates
-- about:      Milestone dates: stage dates 1 to 8, COD (Commercial Operation Date), decisioning date and key agreements of one project as planned today, in order of time.
-- grain:      milestone, stage, date
-- words:      timeline, roadmap, gates, target, go live, going live, operational, online, in operation, in service, placed in service, energized, commissioned, commission, break ground, construction start, mechanical completion, substantial completion, notice to proceed, NTP, FNTP, EPC, financial close, close, closing, executed, execute, sign, signed, agreement, interconnection, PPA, site control, decisioning, ahead, still ahead, upcoming, expected, finish, finished, ready
-- permission: chat:read_projects
-- report:     per_portfolio_report
-- answer:     **{ProjectName}** ({CurrentStage}, {StatusColor}) is planned for commercial operation (COD) on **{fact.cod}**.[[ Next is {fact.next_milestone} on {fact.next_date}.]]
-- suggest:    What changed for {ProjectName} in the last month?
-- suggest:    What is the health status of {ProjectName}?
-- param project_name text required entity=project_name                Project, or a part of its name
-- column "ProjectName"             label=Project            priority=high   type=text
-- column "CurrentStage"            label=Stage              priority=high   type=text
-- column "StatusColor"             label=Status             priority=high   type=text entity=health_color
-- column "CommercializationStatus" label=Commercialization  priority=medium type=text
-- column "Milestone"               label=Milestone          priority=high   type=text
-- column "PlannedDate"             label=Date               priority=high   type=date
-- column "Passed"                  label=Passed             priority=medium type=text
-- column "AsOfDay"                 label="As of"            priority=low    type=date asof
-- fact cod            optional Commercial operation (COD) in words
-- fact next_milestone optional First milestone still ahead
-- fact next_date      optional Its date in words
WITH s AS (
	SELECT
		a."Project Name", a."Current Project Stage", a."Project Status Color", a."CommercializationStatus",
		a."Stage 1 Early Dev",
		a."Stage 2 Mid Dev",
		a."Stage 3 Late Dev",
		a."Stage 4 Pre-Con & Finance",
		a."Stage 5 Construction",
		a."Stage 6 Operation",
		a."Stage 7 Sale",
		a."Stage 8 Closing",
		a."Minimum Site Control",
		a."Execute Interconnection Agreement",
		a."Execute Power Purchase Agreement",
		a."Decisioning Date",
		a."Project Finance",
		a."EPC FNTP",
		a."Mechanical Completion",
		a."Substantial Completion",
		a."Commercial Operation",
		a.asofday
	FROM dbo.activeportfolio_mm a
	WHERE a.tenant_id = :tenant_id
		AND a."Project Name" = :project_name
		AND a.monthlysnapshot = 1
		AND a.asofday = (
			SELECT MAX(n.asofday)
			FROM dbo.activeportfolio_mm n
			WHERE n.tenant_id = a.tenant_id AND n."Project Name" = a."Project Name" AND n.monthlysnapshot = 1
		)
), m AS (
	SELECT 1 AS sort_order, 'Stage 1 Early Dev' AS milestone, s."Stage 1 Early Dev" AS planned FROM s
	UNION ALL
	SELECT 2 AS sort_order, 'Stage 2 Mid Dev' AS milestone, s."Stage 2 Mid Dev" AS planned FROM s
	UNION ALL
	SELECT 3 AS sort_order, 'Stage 3 Late Dev' AS milestone, s."Stage 3 Late Dev" AS planned FROM s
	UNION ALL
	SELECT 4 AS sort_order, 'Stage 4 Pre-Con & Finance' AS milestone, s."Stage 4 Pre-Con & Finance" AS planned FROM s
	UNION ALL
	SELECT 5 AS sort_order, 'Stage 5 Construction' AS milestone, s."Stage 5 Construction" AS planned FROM s
	UNION ALL
	SELECT 6 AS sort_order, 'Stage 6 Operation' AS milestone, s."Stage 6 Operation" AS planned FROM s
	UNION ALL
	SELECT 7 AS sort_order, 'Stage 7 Sale' AS milestone, s."Stage 7 Sale" AS planned FROM s
	UNION ALL
	SELECT 8 AS sort_order, 'Stage 8 Closing' AS milestone, s."Stage 8 Closing" AS planned FROM s
	UNION ALL
	SELECT 9 AS sort_order, 'Minimum Site Control' AS milestone, s."Minimum Site Control" AS planned FROM s
	UNION ALL
	SELECT 10 AS sort_order, 'Execute Interconnection Agreement' AS milestone, s."Execute Interconnection Agreement" AS planned FROM s
	UNION ALL
	SELECT 11 AS sort_order, 'Execute Power Purchase Agreement' AS milestone, s."Execute Power Purchase Agreement" AS planned FROM s
	UNION ALL
	SELECT 12 AS sort_order, 'Decisioning Date' AS milestone, s."Decisioning Date" AS planned FROM s
	UNION ALL
	SELECT 13 AS sort_order, 'Project Finance' AS milestone, s."Project Finance" AS planned FROM s
	UNION ALL
	SELECT 14 AS sort_order, 'EPC FNTP' AS milestone, s."EPC FNTP" AS planned FROM s
	UNION ALL
	SELECT 15 AS sort_order, 'Mechanical Completion' AS milestone, s."Mechanical Completion" AS planned FROM s
	UNION ALL
	SELECT 16 AS sort_order, 'Substantial Completion' AS milestone, s."Substantial Completion" AS planned FROM s
	UNION ALL
	SELECT 17 AS sort_order, 'Commercial Operation' AS milestone, s."Commercial Operation" AS planned FROM s
)
SELECT
	s."Project Name" AS "ProjectName",
	s."Current Project Stage" AS "CurrentStage",
	s."Project Status Color" AS "StatusColor",
	s."CommercializationStatus" AS "CommercializationStatus",
	m.milestone AS "Milestone",
	m.planned AS "PlannedDate",
	CASE WHEN m.planned < :today THEN 'yes' ELSE 'no' END AS "Passed",
	s.asofday AS "AsOfDay"
FROM s
CROSS JOIN m
ORDER BY CASE WHEN m.planned IS NULL THEN 1 ELSE 0 END, m.planned, m.sort_order
