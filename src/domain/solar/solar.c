/* The solar module: its tools are SQL files; the other files of this folder compute from their
 * rows. */
#include "vesper/domain.h"

#include "solar_int.h"

extern const struct domain solar_domain;

#define DEFAULT_DAYS 30

static bool list_loggers(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, solar_list, e);
}

static bool get_fleet_overview(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, solar_fleet, e);
}

static bool diagnose_error_codes(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, solar_errors, e);
}

static bool health_check(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, solar_ping, e);
}

static bool get_power_curve(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, solar_curve, e);
}

static bool compare_loggers(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, solar_compare, e);
}

/* Fails if a period ends before it starts. */
static bool check_period(const struct tool_call *call, struct err *e)
{
	const char *from =
		args_text(tool_args(call), "start_date", tool_arena((struct tool_call *)call));
	const char *to =
		args_text(tool_args(call), "end_date", tool_arena((struct tool_call *)call));
	struct date first, last;

	return !from || !to || !date_parse_iso(from, &first) || !date_parse_iso(to, &last) ||
	       date_to_days(first) <= date_to_days(last) ||
	       err_set(e, ERR_INPUT, "The period ends (%s) before it begins (%s).", to, from);
}

static bool calculate_financial_savings(struct tool_call *call, struct err *e)
{
	return check_period(call, e) && tool_sql_run_and_derive(call, solar_savings, e);
}

static void set_day(struct tool_call *call, const char *name, int64_t day)
{
	tool_arg_set(call, name, value_date(solar_iso(tool_arena(call), day)));
}

/* A single day is a period of one day; the default is the last 30 days. */
static bool calculate_performance_ratio(struct tool_call *call, struct err *e)
{
	int64_t today = date_to_days(tool_today(call));
	const struct arg *day = args_find(tool_args(call), "date");
	bool has_start = args_find(tool_args(call), "start_date") != NULL;
	bool has_end = args_find(tool_args(call), "end_date") != NULL;

	if (day) {
		struct value v = day->values[0];

		tool_arg_set(call, "start_date", v);
		tool_arg_set(call, "end_date", v);
	} else {
		if (!has_start)
			set_day(call, "start_date", today - DEFAULT_DAYS);
		if (!has_end)
			set_day(call, "end_date", today - 1);
	}
	return check_period(call, e) && tool_sql_run_and_derive(call, solar_ratio, e);
}

static bool forecast_production(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, solar_forecast, e);
}

static bool analyze_inverter_health(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, solar_health, e);
}

static const struct tool_entry tools[] = {
	{"list_loggers", list_loggers},
	{"get_fleet_overview", get_fleet_overview},
	{"analyze_inverter_health", analyze_inverter_health},
	{"get_power_curve", get_power_curve},
	{"compare_loggers", compare_loggers},
	{"calculate_financial_savings", calculate_financial_savings},
	{"calculate_performance_ratio", calculate_performance_ratio},
	{"forecast_production", forecast_production},
	{"diagnose_error_codes", diagnose_error_codes},
	{"health_check", health_check},
	{NULL, NULL},
};

static const struct required_factor required_factors[] = {
	{FACTOR_ONLINE_MINUTES, 0, false},
	{FACTOR_AVAILABILITY, 0, false},
	{FACTOR_ENERGY, 0, false},
	{FACTOR_COMPLETENESS, 0, false},
	{FACTOR_CO2, 0, true},
	{FACTOR_TREE, 0, true},
	{NULL, 0, false},
};

const struct domain solar_domain = {"solar", "solar", tools, required_factors};
