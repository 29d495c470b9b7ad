/*
 * The Power BI usage module. The SQL counts; shares, changes over time and the period as text are
 * derived here.
 */
#include "vesper/domain.h"

#include <string.h>

#include "domain_int.h"

#define VIEWS "views"
enum { DAILY_STEP_DAYS_MAX = 45 }; /* longer ranges are shown by month */

extern const struct domain pbi_metrics_domain;

/* Adds the requested period, or the recorded one. */
static void add_period(struct result *r, struct arena *a, const char *first, const char *last)
{
	const char *from = args_text(&r->args, "from", a), *to = args_text(&r->args, "to", a);
	const char *words = domain_period(a, from ? from : first, to ? to : last);

	if (words)
		domain_add_text(r, a, "period", "Range of days", words);
}

/* ---- top lists ---- */

static void derive_share(struct result *r, struct arena *a)
{
	const struct table *totals = result_table(r, "totals");
	const char *name = r->tables[0]->row_count ? r->tables[0]->rows[0][0] : NULL;
	const char *order = args_text(&r->args, "order", a);
	struct decimal top, all;

	domain_add_text(r, a, "end", "Listed first",
			order && strcmp(order, "asc") == 0 ? "least" : "most");
	if (!totals || !domain_number(totals, 0, "AllViews", &all) ||
	    !domain_number(r->tables[0], 0, "TotalViews", &top))
		return;
	add_period(r, a, table_cell(totals, 0, "FirstDay"), table_cell(totals, 0, "LastDay"));
	domain_add_number(r, a, "all_views", "Total views", all, VIEWS, NULL);
	domain_add_percent(r, a, "top_share",
			   arena_printf(a, "Share of %s", name ? name : "the first"), top, all);
}

static bool run_top_list(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, derive_share, e);
}

/* ---- trend ---- */

static bool is_partial_month(const char *iso, bool at_start)
{
	struct date d;

	if (!iso || !date_parse_iso(iso, &d))
		return false;
	return at_start ? d.day != 1 : d.day != date_days_in_month(d.year, d.month);
}

/* Finds the rows that cover complete steps: a month cut by the period would distort the growth. */
static void find_whole_steps(const struct result *r, bool by_month, const char *first_day,
			     const char *last_day, size_t *first, size_t *last)
{
	*first = 0;
	*last = r->tables[0]->row_count - 1;
	if (!by_month)
		return;
	if (is_partial_month(first_day, true) && *first < *last)
		(*first)++;
	if (is_partial_month(last_day, false) && *first < *last)
		(*last)--;
}

static void add_change(struct result *r, struct arena *a, const char *step, size_t first,
		       size_t last)
{
	const struct table *t = r->tables[0];
	struct decimal before, after, change;

	if (first >= last || !domain_number(t, first, "TotalViews", &before) ||
	    !domain_number(t, last, "TotalViews", &after) || !decimal_sub(after, before, &change))
		return;
	domain_add_number(r, a, "first_views",
			  arena_printf(a, "Views of %s", table_cell(t, first, "Period")), before,
			  VIEWS, NULL);
	domain_add_number(r, a, "last_views",
			  arena_printf(a, "Views of %s", table_cell(t, last, "Period")), after,
			  VIEWS, NULL);
	domain_add_number(r, a, "change", "Change of views", change, VIEWS,
			  arena_printf(a, "%s - %s", domain_number_text(a, after),
				       domain_number_text(a, before)));
	domain_add_text(r, a, "direction", "Direction",
			change.units > 0   ? "up"
			: change.units < 0 ? "down"
					   : "unchanged");
	if (change.units < 0)
		change.units = -change.units;
	domain_add_percent(r, a, "change_percent", "Size of the change", change, before);
	domain_add_text(r, a, "step", "Step", step);
}

static void derive_trend(struct result *r, struct arena *a)
{
	const struct table *reports = result_table(r, "reports");
	const char *step = args_text(&r->args, "step", a), *first_day = NULL, *last_day = NULL;
	const char *from = args_text(&r->args, "from", a), *to = args_text(&r->args, "to", a);
	struct decimal all = decimal_int(0), views;
	bool by_month = !step || strcmp(step, "day") != 0;
	size_t first, last;

	if (!reports || reports->row_count == 0)
		return;
	for (size_t i = 0; i < reports->row_count; i++) {
		const char *begin = table_cell(reports, i, "FirstDay");
		const char *end = table_cell(reports, i, "LastDay");
		if (begin && (!first_day || strcmp(begin, first_day) < 0))
			first_day = begin;
		if (end && (!last_day || strcmp(end, last_day) > 0))
			last_day = end;
		if (!domain_number(reports, i, "TotalViews", &views) ||
		    !decimal_add(all, views, &all))
			return;
	}
	add_period(r, a, first_day, last_day);
	if (reports->row_count == 1)
		domain_add_text(r, a, "report", "Report", table_cell(reports, 0, "ReportName"));
	else
		domain_add_count(r, a, "reports", "Reports", reports->row_count);
	domain_add_number(r, a, "all_views", "Total views", all, VIEWS, NULL);
	find_whole_steps(r, by_month, from ? from : first_day, to ? to : last_day, &first, &last);
	add_change(r, a, by_month ? "month" : "day", first, last);
	if (first > 0 || last + 1 < r->tables[0]->row_count)
		domain_add_text(r, a, "whole_step", "Compared in complete steps of a", "month");
}

/* Shows a short period by day, so that it has more than one point. */
static bool get_views_trend(struct tool_call *call, struct err *e)
{
	const struct args *args = tool_args(call);
	const char *step = args_text(args, "step", tool_arena(call));
	const char *from = args_text(args, "from", tool_arena(call));
	const char *to = args_text(args, "to", tool_arena(call));
	struct date first, last;

	if (!step && from && to && date_parse_iso(from, &first) && date_parse_iso(to, &last) &&
	    date_to_days(last) - date_to_days(first) < DAILY_STEP_DAYS_MAX)
		tool_arg_set(call, "step", value_text("day"));
	return tool_sql_run_and_derive(call, derive_trend, e);
}

static const struct tool_entry tools[] = {
	{"get_top_reports_by_views", run_top_list},
	{"get_top_users", run_top_list},
	{"get_views_trend", get_views_trend},
	{0},
};

const struct domain pbi_metrics_domain = {"pbi_metrics", "energy", tools, NULL};
