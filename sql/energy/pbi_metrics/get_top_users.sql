-- tool:       get_top_users
-- about:      Most active users: Power BI users by number of report views in a range of days, with how many reports they viewed and their last activity. Also for who views one report.
-- measures:   users by views, viewers, activity
-- grain:      user, viewer
-- words:      who reads, who opens, readers, viewers, audience, fans, consumers, power users, heavy users, frequent, champions, looked at, watches
-- permission: chat:read_pbi_metrics
-- report:     pbi_usage_metrics_report
-- cache_s:    300
-- window:     Stage.pbi_activity_events.activity_date
-- answer:     The {fact.end} active Power BI user[[ of {arg.report_name}]][[ ({fact.period})]] is **{UserEmail}** with **{TotalViews}**[[, {fact.top_share} of all {fact.all_views}]].
-- suggest:    Which Power BI reports had the most views?
-- param from        date optional filter=date_range_start                First day; without it from the first day that is recorded
-- param to          date optional filter=date_range_end                  Last day; without it to the last day that is recorded
-- param top_n       int  optional default=10 min=1 max=100               How many users
-- param order text optional slot=order default=desc   desc: the most viewed first; asc: the least viewed first
-- param report_name text optional entity=report_name match=like          Only views of this report; a part of its name is enough
-- column "UserEmail"           label=User              priority=high   type=text
-- column "TotalViews"          label=Views             priority=high   type=int  unit=views
-- column "UniqueReportsViewed" label="Reports viewed"  priority=high   type=int
-- column "LastActivity"        label="Last activity"   priority=medium type=date
-- column "AllViews"            label="All views"       priority=high   type=int  unit=views
-- column "AllViewers"          label="All viewers"     priority=medium type=int
-- column "FirstDay"            label="First day"       priority=low    type=date
-- column "LastDay"             label="Last day"        priority=low    type=date
-- fact end                           Which are listed first: most or least
-- fact period    optional            Range of days in words
-- fact all_views unit=views optional Total views
-- fact top_share unit=% optional     Share of the first
SELECT
	a.user_email AS "UserEmail",
	COUNT(*) AS "TotalViews",
	COUNT(DISTINCT a.report_name) AS "UniqueReportsViewed",
	MAX(a.activity_date) AS "LastActivity"
FROM Stage.pbi_activity_events a
WHERE a.tenant_id = :tenant_id
	AND a.activity_type = 'ViewReport'
--? from: AND a.activity_date >= :from
--? to: AND a.activity_date <= :to
--? report_name: AND LOWER(a.report_name) LIKE LOWER(:report_name) ESCAPE '\'
GROUP BY a.user_email
ORDER BY CASE WHEN :order = 'asc' THEN COUNT(*) END, COUNT(*) DESC, a.user_email
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
--? report_name: AND LOWER(a.report_name) LIKE LOWER(:report_name) ESCAPE '\'

--# query window
SELECT MIN(a.activity_date) AS "first", MAX(a.activity_date) AS "last"
FROM Stage.pbi_activity_events a
WHERE a.tenant_id = :tenant_id
	AND a.activity_type = 'ViewReport'
--? report_name: AND LOWER(a.report_name) LIKE LOWER(:report_name) ESCAPE '\'
