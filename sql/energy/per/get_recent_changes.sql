-- tool:       get_recent_changes
-- about:      Recent changes: history and audit trail of project fields and task dates (what changed this week, which milestones moved), the newest first, with the span of each date change and the pattern over all.
-- grain:      project, field, change
-- words:      changed, changelog, change log, audit trail, edit history, edited, edits, modified, modifications, amended, amendments, revised, revisions, altered, adjusted, updated, updates, moved, slipped, slippage, slip, pushed, pulled, postponed, rescheduled, brought forward, shifted, shifts, touched, touch, happened, what's new, news, old value, new value, previous value, recorded, logged
-- permission: chat:read_projects
-- report:     per_portfolio_report
-- window:     dbo.changes.dateofchange
-- totals:     count
-- answer:     **{fact.changes}**[[ of {fact.field}]][[ of {arg.project_name}]] recorded {fact.period}[[ ({fact.fields})]].[[ **Pattern**: {fact.pattern}.]]
-- suggest:    What milestone dates changed in the last month?
-- suggest:    Give me an overview of {ProjectName}
-- param since         date optional filter=date_range_start                 First day; without it a week before today
-- param until         date optional filter=date_range_end                   Last day; without it today
-- param project_name text optional entity=project_name                Project, or a part of its name; without it all
-- param field_changed text optional entity=field_changed default=any        Only changes of this field; {values.field_changed.date} for milestone and task dates; any for all
-- column "ChangeDate"    label=Date        priority=high   type=date
-- column "ProjectName"   label=Project     priority=high   type=text
-- column "TaskName"      label=Task        priority=high   type=text
-- column "FieldChanged"  label=Field       priority=high   type=text entity=field_changed
-- column "PreviousValue" label="Previous value" priority=low
-- column "NewValue"      label="New value"      priority=low
-- column "Previous"      label=Previous    priority=high   type=text entity=status_color derived
-- column "New"           label=New         priority=high   type=text entity=status_color derived
-- column "Change"        label=Change      priority=high   type=text derived
-- column "AmountChange"  label="Change in $" priority=medium type=decimal unit=$ derived permission=chat:read_budget
-- fact changes                         Number of changes in words
-- fact field         optional          The requested field, if any
-- fact period        optional          Range of days in words
-- fact fields        optional          Changes by field in words
-- fact dates_later   type=int optional Dates moved later
-- fact dates_earlier type=int optional Dates moved earlier
-- fact dates_same    type=int optional Dates re-confirmed
-- fact pattern       optional          Pattern of the date changes in words
SELECT
	c.dateofchange AS "ChangeDate",
	c.projectname AS "ProjectName",
	c.taskname AS "TaskName",
	c.fieldchanged AS "FieldChanged",
	c.previousvalue AS "PreviousValue",
	c.newvalue AS "NewValue"
FROM dbo.changes c
WHERE c.tenant_id = :tenant_id
	AND (
		c.fieldchanged NOT IN ({values.field_changed.money})
--? may_read_budget: OR c.fieldchanged IN ({values.field_changed.money})
	)
--? since: AND c.dateofchange >= :since
--? until: AND c.dateofchange <= :until
--? project_name: AND c.projectname = :project_name
--? field_changed: AND c.fieldchanged = :field_changed
ORDER BY c.dateofchange DESC, c.projectname, CASE WHEN c.taskname IS NULL THEN 0 ELSE 1 END, c.taskname, c.fieldchanged

--# query window
SELECT MIN(c.dateofchange) AS "first", MAX(c.dateofchange) AS "last"
FROM dbo.changes c
WHERE c.tenant_id = :tenant_id
	AND (
		c.fieldchanged NOT IN ({values.field_changed.money})
--? may_read_budget: OR c.fieldchanged IN ({values.field_changed.money})
	)
--? project_name: AND c.projectname = :project_name
--? field_changed: AND c.fieldchanged = :field_changed
