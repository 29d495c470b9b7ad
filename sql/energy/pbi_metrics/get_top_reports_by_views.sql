-- tool:       get_top_reports_by_views
-- about:      Most viewed reports: Power BI reports and dashboards by number of views in a range of days, with unique viewers. For the most popular and the least used ones.
-- measures:   reports by views, use
-- grain:      report
-- words:      dashboards, popular, popularity, readership, opened, read, looked at, used, favorite, bestseller, leaderboard, content, pages, ranking, cared, care, retire, decommission, attract, consumed
-- permission: chat:read_pbi_metrics
-- report:     pbi_usage_metrics_report
-- cache_s:    300
-- window:     Stage.pbi_activity_events.activity_date
-- answer:     The {fact.end} viewed Power BI report[[ ({fact.period})]] is **{ReportName}** with **{TotalViews}** by {UniqueViewers} viewers[[, {fact.top_share} of all {fact.all_views}]].
-- suggest:    Who are the top users of {ReportName}?
-- suggest:    Show the usage trend of {ReportName}
-- refer:      report_name rows[0].ReportName it, its, that report, that one, the top report, the most viewed, the first
-- param from  date optional filter=date_range_start               First day; without it from the first day that is recorded
-- param to    date optional filter=date_range_end                 Last day; without it to the last day that is recorded
-- param top_n int  optional default=10 min=1 max=100              How many reports
-- param order text optional slot=order default=desc   desc: the most viewed first; asc: the least viewed first
-- column "ReportName"    label=Report            priority=high   type=text
-- column "WorkspaceName" label=Workspace         priority=medium type=text
-- column "TotalViews"    label=Views             priority=high   type=int  unit=views
-- column "UniqueViewers" label="Unique viewers"  priority=high   type=int
-- column "AllViews"      label="All views"       priority=high   type=int  unit=views
-- column "AllViewers"    label="All viewers"     priority=medium type=int
-- column "FirstDay"      label="First day"       priority=low    type=date
-- column "LastDay"       label="Last day"        priority=low    type=date
-- fact end                           Which are listed first: most or least
-- fact period    optional            Range of days in words
-- fact all_views unit=views optional Total views
-- fact top_share unit=% optional     Share of the first
SELECT
	a.report_name AS "ReportName",
	a.workspace_name AS "WorkspaceName",
	COUNT(*) AS "TotalViews",
	COUNT(DISTINCT a.user_email) AS "UniqueViewers"
FROM Stage.pbi_activity_events a
WHERE a.tenant_id = :tenant_id
	AND a.activity_type = 'ViewReport'
--? from: AND a.activity_date >= :from
--? to: AND a.activity_date <= :to
GROUP BY a.report_name, a.workspace_name
ORDER BY CASE WHEN :order = 'asc' THEN COUNT(*) END, COUNT(*) DESC, a.report_name, a.workspace_name
OFFSET 0 ROWS FETCH NEXT :top_n ROWS ONLY

--# query totals
SELECT
	COUNT(*) AS "AllViews",
	COUNT(DISTINCT a.user_email) AS "AllViewers",
	MIN(a.activity_date) AS "FirstDay",
	MAX(a.activity_date) AS "LastDay"
FROM Stage.pbi_activity_events a
WHERE a.tenant_id = :tenant_id
	AND a.activity_type = 'ViewReport'
--? from: AND a.activity_date >= :from
--? to: AND a.activity_date <= :to

--# query window
SELECT MIN(a.activity_date) AS "first", MAX(a.activity_date) AS "last"
FROM Stage.pbi_activity_events a
WHERE a.tenant_id = :tenant_id
	AND a.activity_type = 'ViewReport'
