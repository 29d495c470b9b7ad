-- tool:       get_views_trend
-- about:      Usage trend over time: how use developed, views and unique viewers of Power BI reports month by month or day by day, of all reports or of one, with the change from the first to the last.
-- grain:      month, day, period
-- words:      usage, adoption, uptake, traffic, viewership, readership, engagement, utilization, consumption, popularity, time series, history, evolution, evolved, developed, development, trajectory, rise, fall, rising, falling, going up or down, growth, dip, fading
-- permission: chat:read_pbi_metrics
-- report:     pbi_usage_metrics_report
-- cache_s:    300
-- window:     Stage.pbi_activity_events.activity_date
-- answer:     Views of **[[{fact.report}]][[{fact.reports} reports]]**[[ ({fact.period})]]: {fact.all_views}[[, {fact.direction} by {fact.change_percent}]][[, from {fact.first_views} to {fact.last_views} per {fact.step}]][[ between the first and the last complete {fact.whole_step}]].
-- suggest:    Who are the top Power BI users?
-- suggest:    Which Power BI reports had the most views?
-- param report_name text optional entity=report_name match=like   Only views of this report; a part of its name is enough
-- param from        date optional filter=date_range_start         First day; without it from the first day that is recorded
-- param to          date optional filter=date_range_end           Last day; without it to the last day that is recorded
-- param step        text optional values=day|month slot=step     day or month; without it days for a range of up to 45 days, else months
-- column "Period"        label=Period            priority=high   type=date
-- column "TotalViews"    label=Views             priority=high   type=int  unit=views
-- column "UniqueViewers" label="Unique viewers"  priority=high   type=int
-- column "ReportName"    label=Report            priority=high   type=text
-- column "FirstDay"      label="First day"       priority=low    type=date
-- column "LastDay"       label="Last day"        priority=low    type=date
-- fact period         optional            Range of days in words
-- fact report         optional            The report, where it is one
-- fact reports        type=int optional   Number of reports, where there are several
-- fact all_views      unit=views optional Total views
-- fact first_views    unit=views optional Views of the first complete step
-- fact last_views     unit=views optional Views of the last complete step
-- fact change         unit=views optional Last minus first
-- fact direction      optional            up, down or unchanged
-- fact change_percent unit=% optional     Size of the change
-- fact step           optional            month or day
-- fact whole_step     optional            month, if only complete months are compared
SELECT
	v.period AS "Period",
	COUNT(*) AS "TotalViews",
	COUNT(DISTINCT v.user_email) AS "UniqueViewers"
FROM (
	SELECT
		a.user_email,
		SUBSTRING(REPLACE('#-01', '#', SUBSTRING(CAST(a.activity_date AS VARCHAR(10)), 1, 7
--? step: + CASE WHEN :step = 'day' THEN 3 ELSE 0 END
		)), 1, 10) AS period
	FROM Stage.pbi_activity_events a
	WHERE a.tenant_id = :tenant_id
		AND a.activity_type = 'ViewReport'
--? from: AND a.activity_date >= :from
--? to: AND a.activity_date <= :to
--? report_name: AND LOWER(a.report_name) LIKE LOWER(:report_name) ESCAPE '\'
) v
GROUP BY v.period
ORDER BY v.period

--# query reports
SELECT
	a.report_name AS "ReportName",
	COUNT(*) AS "TotalViews",
	MIN(a.activity_date) AS "FirstDay",
	MAX(a.activity_date) AS "LastDay"
FROM Stage.pbi_activity_events a
WHERE a.tenant_id = :tenant_id
	AND a.activity_type = 'ViewReport'
--? from: AND a.activity_date >= :from
--? to: AND a.activity_date <= :to
--? report_name: AND LOWER(a.report_name) LIKE LOWER(:report_name) ESCAPE '\'
GROUP BY a.report_name
ORDER BY COUNT(*) DESC, a.report_name

--# query window
SELECT MIN(a.activity_date) AS "first", MAX(a.activity_date) AS "last"
FROM Stage.pbi_activity_events a
WHERE a.tenant_id = :tenant_id
	AND a.activity_type = 'ViewReport'
--? report_name: AND LOWER(a.report_name) LIKE LOWER(:report_name) ESCAPE '\'
