/*
 * The project execution module. Its tools look up the project, query exactly that one, and derive
 * counts and sums.
 */
#include "vesper/domain.h"

#include <string.h>

#include "domain_int.h"
#include "per_int.h"
#include "vesper/limits.h"

#define DOLLARS "$"
#define ANY     "any"
enum { RECENT_DAYS = 7 };

extern const struct domain per_domain;

/* The display text of a cell: its dimension's label, if there is one. */
static const char *display_text(const struct table *t, const char *column, const char *text)
{
	int at = table_column(t, column);

	for (const char *const *w = at >= 0 ? t->columns[at].words : NULL; w && *w; w += 2)
		if (strcmp(*w, text ? text : "") == 0)
			return w[1];
	return text ? text : "without";
}

/* "any" is not a value in the data: it means no argument. */
static void drop_any(struct tool_call *call, const char *name)
{
	const char *text = args_text(tool_args(call), name, tool_arena(call));

	if (text && strcmp(text, ANY) == 0)
		tool_arg_remove(call, name);
}

/* ---- counts ---- */

enum { GROUPS_MAX = 8 };

/* Counts rows by the value of a column, in order of appearance: "3 🟢 Green, 2 🔴 Red". */
static const char *count_words(const struct table *t, const char *column, struct arena *a)
{
	const char *values[GROUPS_MAX], *words = "";
	size_t counts[GROUPS_MAX] = {0}, n = 0;

	for (size_t row = 0; row < t->row_count; row++) {
		const char *value = table_cell(t, row, column);
		size_t i = 0;
		while (i < n && strcmp(values[i] ? values[i] : "", value ? value : "") != 0)
			i++;
		if (i == GROUPS_MAX)
			continue;
		if (i == n)
			values[n++] = value;
		counts[i]++;
	}
	for (size_t i = 0; i < n; i++)
		words = arena_printf(a, "%s%s%zu %s", words, i ? ", " : "", counts[i],
				     display_text(t, column, values[i]));
	return words;
}

/* ---- budgets ---- */

static void add_budget(struct result *r, struct arena *a, struct decimal actuals,
		       struct decimal budget)
{
	struct decimal remaining;

	domain_add_number(r, a, "actuals", "Actuals", actuals, DOLLARS, NULL);
	domain_add_number(r, a, "budget", "Budget", budget, DOLLARS, NULL);
	domain_add_percent(r, a, "budget_used", "Budget used", actuals, budget);
	if (decimal_sub(budget, actuals, &remaining))
		domain_add_number(r, a, "remaining", "Budget left", remaining, DOLLARS,
				  arena_printf(a, "%s - %s", domain_number_text(a, budget),
					       domain_number_text(a, actuals)));
}

static void add_forecast(struct result *r, struct arena *a, struct decimal forecast,
			 struct decimal budget)
{
	struct decimal gap;

	domain_add_number(r, a, "forecast", "Forecast", forecast, DOLLARS, NULL);
	if (!decimal_sub(forecast, budget, &gap) || gap.units == 0)
		return;
	domain_add_text(r, a, "forecast_side", "Forecast compared with budget",
			gap.units > 0 ? "over" : "under");
	if (gap.units < 0)
		gap.units = -gap.units;
	domain_add_number(r, a, "forecast_gap", "Difference of forecast and budget", gap, DOLLARS,
			  arena_printf(a, "%s - %s", domain_number_text(a, forecast),
				       domain_number_text(a, budget)));
}

/* ---- get_project_overview ---- */

static void derive_overview(struct result *r, struct arena *a)
{
	const struct table *t = r->tables[0], *schedule = result_table(r, "schedule");
	const char *cod = schedule ? table_cell(schedule, 0, "COD") : NULL;
	struct decimal actuals, budget, forecast;

	if (cod && domain_period(a, cod, cod))
		domain_add_text(r, a, "cod", "Commercial operation (COD)",
				domain_period(a, cod, cod));
	if (!domain_number(t, 0, "ActualsLTD", &actuals) ||
	    !domain_number(t, 0, "TotalBudget", &budget))
		return; /* not permitted, or missing */
	add_budget(r, a, actuals, budget);
	if (domain_number(t, 0, "TotalForecast", &forecast))
		add_forecast(r, a, forecast, budget);
}

static bool get_project_overview(struct tool_call *call, struct err *e)
{
	return project_run(call, derive_overview, e);
}

/* ---- get_project_health ---- */

static void derive_health(struct result *r, struct arena *a)
{
	const struct table *t = r->tables[0];
	struct domain_list list;
	const char *risks;

	domain_list_init(&list);
	domain_add_text(r, a, "colors", "Areas by color", count_words(t, "HealthColor", a));
	for (size_t row = 0; row < t->row_count; row++) {
		const char *area = table_cell(t, row, "HealthArea");
		const char *notes = table_cell(t, row, "Notes");
		if (!area || !domain_cell_is(t, row, "HealthColor", "red"))
			continue;
		notes = notes ? notes : "";
		domain_list_add(&list, "%.*s%s%.*s%s", STR_CUT(area, FACT_ITEM_BYTES_MAX),
				*notes ? " (" : "", STR_CUT(notes, FACT_ITEM_BYTES_MAX),
				*notes ? ")" : "");
	}
	risks = domain_list_end(&list, a);
	if (*risks)
		domain_add_text(r, a, "key_risks", "Red areas", risks);
}

static bool get_project_health(struct tool_call *call, struct err *e)
{
	return project_run(call, derive_health, e);
}

/* ---- get_milestone_dates ---- */

static void derive_milestones(struct result *r, struct arena *a)
{
	const struct table *t = r->tables[0];
	bool has_next = false, has_cod = false;

	for (size_t row = 0; row < t->row_count; row++) {
		const char *date = table_cell(t, row, "PlannedDate");
		const char *words = domain_period(a, date, date);
		if (!words)
			continue;
		if (!has_cod && domain_cell_is(t, row, "Milestone", "Commercial Operation")) {
			domain_add_text(r, a, "cod", "Commercial operation (COD)", words);
			has_cod = true;
		}
		if (has_next || !domain_cell_is(t, row, "Passed", "no"))
			continue;
		domain_add_text(r, a, "next_milestone", "First milestone still ahead",
				table_cell(t, row, "Milestone"));
		domain_add_text(r, a, "next_date", "Its date", words);
		has_next = true;
	}
}

static bool get_milestone_dates(struct tool_call *call, struct err *e)
{
	return project_run(call, derive_milestones, e);
}

/* ---- get_budget_overview ---- */

static void derive_budget(struct result *r, struct arena *a)
{
	const struct table *totals = result_table(r, "totals");
	struct decimal actuals, budget, forecast, posted;

	if (!totals || !domain_number(totals, 0, "ActualsLTD", &actuals) ||
	    !domain_number(totals, 0, "TotalBudget", &budget))
		return;
	add_budget(r, a, actuals, budget);
	if (domain_number(totals, 0, "TotalForecast", &forecast))
		add_forecast(r, a, forecast, budget);
	if (domain_number(totals, 0, "IC_LC", &posted))
		domain_add_number(r, a, "ic_lc", "IC_LC", posted, DOLLARS, NULL);
	if (domain_number(totals, 0, "PPA_LC", &posted))
		domain_add_number(r, a, "ppa_lc", "PPA_LC", posted, DOLLARS, NULL);
}

static bool get_budget_overview(struct tool_call *call, struct err *e)
{
	return project_run(call, derive_budget, e);
}

/* ---- excluded values ---- */

/* Adds the excluded values, displayed as their columns are: "without Stage 2, 🟢 On track". */
static void add_left_out(struct result *r, struct arena *a, const char *const (*args)[2])
{
	struct domain_list list;
	const char *words;

	domain_list_init(&list);
	for (; (*args)[0]; args++) {
		const struct arg *arg = args_find(&r->args, (*args)[0]);

		for (size_t i = 0; arg && i < arg->count; i++)
			domain_list_add(
				&list, "%s",
				display_text(r->tables[0], (*args)[1], arg->values[i].text));
	}
	words = domain_list_end(&list, a);
	if (*words)
		domain_add_text(r, a, "left_out", "Left out", arena_printf(a, "without %s", words));
}

/* ---- get_task_risks ---- */

static void derive_risks(struct result *r, struct arena *a)
{
	static const char *const left_out[][2] = {{"not_risk", "RiskLevel"}, {NULL, NULL}};
	const struct table *levels = result_table(r, "levels");
	struct decimal all = decimal_int(0), tasks;
	struct domain_list list;

	domain_list_init(&list);
	for (size_t row = 0; levels && row < levels->row_count; row++) {
		const char *level = table_cell(levels, row, "RiskLevel");
		if (!domain_number(levels, row, "Tasks", &tasks) || !decimal_add(all, tasks, &all))
			continue;
		domain_list_add(&list, "%s %s", domain_number_text(a, tasks), level ? level : "—");
	}
	domain_add_number(r, a, "tasks", "Tasks with a risk", all, NULL, NULL);
	domain_add_text(r, a, "levels", "Tasks by risk", domain_list_end(&list, a));
	add_left_out(r, a, left_out);
}

static bool get_task_risks(struct tool_call *call, struct err *e)
{
	drop_any(call, "risk_level");
	return project_run(call, derive_risks, e);
}

/* ---- get_portfolio_summary ---- */

static bool sum_of(const struct table *t, const char *column, struct decimal *out)
{
	int at = table_column(t, column);

	if (at < 0 || !t->stats || !t->stats[at].numeric || !t->stats[at].is_sum_exact ||
	    t->stats[at].count == 0 || t->stats[at].partial)
		return false;
	*out = t->stats[at].sum; /* of all rows, including those beyond the limit */
	return true;
}

static void derive_portfolio(struct result *r, struct arena *a)
{
	static const char *const left_out[][2] = {
		{"not_status", "ProjectStatus"},  {"not_stage", "CurrentStage"},
		{"not_technology", "Technology"}, {"not_market", "Market"},
		{"not_sponsor", "Sponsor"},       {NULL, NULL}};
	const struct table *t = r->tables[0];
	const char *status = args_text(&r->args, "status_color", a);
	struct decimal actuals, budget;

	domain_add_text(r, a, "projects", "Projects",
			arena_printf(a, "%s%lld project%s",
				     t->is_total_exact || !t->truncated ? "" : "at least ",
				     (long long)t->total_rows, t->total_rows == 1 ? "" : "s"));
	if (status)
		domain_add_text(r, a, "status", "Status", display_text(t, "ProjectStatus", status));
	else if (!t->truncated)
		domain_add_text(r, a, "statuses", "Projects by status",
				count_words(t, "ProjectStatus", a));
	add_left_out(r, a, left_out);
	if (sum_of(t, "ActualsLTD", &actuals) && sum_of(t, "TotalBudget", &budget))
		add_budget(r, a, actuals, budget);
}

static bool get_portfolio_summary(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, derive_portfolio, e);
}

/* ---- get_color_ranking ---- */

/* Adds the names of the projects with the most red areas. The rows are sorted, so they come
 * first. */
static void add_worst(struct result *r, struct arena *a, struct decimal max)
{
	const struct table *t = r->tables[0];
	struct domain_list names;
	struct decimal red;
	size_t n = 0;

	domain_list_init(&names);
	while (n < t->row_count && domain_number(t, n, "RedAreas", &red) &&
	       decimal_cmp(red, max) == 0) {
		const char *name = table_cell(t, n, "ProjectName");
		name = name ? name : "—";
		domain_list_add(&names, "%.*s", STR_CUT(name, FACT_ITEM_BYTES_MAX));
		n++;
	}
	domain_add_text(r, a, "worst", "Most red areas", domain_list_end(&names, a));
	domain_add_number(r, a, "most_red", "Red areas of the worst project", max, NULL, NULL);
	domain_add_text(r, a, "most_red_words", "In words",
			arena_printf(a, "🔴 red area%s%s, the most",
				     decimal_cmp(max, decimal_int(1)) == 0 ? "" : "s",
				     n > 1 ? " each" : ""));
}

static void derive_ranking(struct result *r, struct arena *a)
{
	const struct table *t = r->tables[0];
	struct decimal max, all;

	domain_add_text(r, a, "projects", "Projects",
			arena_printf(a, "%lld project%s", (long long)t->total_rows,
				     t->total_rows == 1 ? "" : "s"));
	if (sum_of(t, "RedAreas", &all))
		domain_add_number(r, a, "red_areas", "Red areas in total", all, NULL, NULL);
	if (!domain_number(t, 0, "RedAreas", &max))
		return;
	if (max.units > 0)
		add_worst(r, a, max);
	else
		domain_add_text(r, a, "no_red", "No red area", "No area of any project is red.");
}

static bool get_color_ranking(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, derive_ranking, e);
}

/* ---- get_recent_changes ---- */

/* Without a period, "recent" is the last seven days up to today. */
static bool get_recent_changes(struct tool_call *call, struct err *e)
{
	struct date today = tool_today(call);
	char since[DATE_ISO_BYTES], until[DATE_ISO_BYTES];

	date_iso(date_from_days(date_to_days(today) - RECENT_DAYS), since);
	date_iso(today, until);
	drop_any(call, "field_changed");
	if (!args_find(tool_args(call), "since"))
		tool_arg_set(call, "since", value_date(since));
	if (!args_find(tool_args(call), "until"))
		tool_arg_set(call, "until", value_date(until));
	return project_run(call, changes_derive, e);
}

static const struct tool_entry tools[] = {
	{"get_project_overview", get_project_overview},
	{"get_project_health", get_project_health},
	{"get_milestone_dates", get_milestone_dates},
	{"get_budget_overview", get_budget_overview},
	{"get_task_risks", get_task_risks},
	{"get_portfolio_summary", get_portfolio_summary},
	{"get_color_ranking", get_color_ranking},
	{"get_recent_changes", get_recent_changes},
	{"find_projects", tool_sql_run},
	{0},
};

const struct domain per_domain = {"per", "energy", tools, NULL};
