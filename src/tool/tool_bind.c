/* Builds the arguments that are bound to a tool's statements: those of the call, as LIKE patterns
 * where the file requires it, and reserved ones set by code. It is the only place to do so, so the
 * SQL shown to readers matches what is sent. */
#include "tool_int.h"

#include <assert.h>

#include "vesper/limits.h"

void tool_set_reserved(const struct catalog *c, const char *tenant, struct date today,
		       struct arena *a, struct args *args)
{
	char iso[DATE_ISO_BYTES];

	date_iso(today, iso);
	args_set(args, a, "tenant_id", value_text(tenant));
	args_set(args, a, "today", value_date(iso));
	/* One more row reveals truncation. */
	args_set(args, a, "row_limit", value_int(DB_ROWS_MAX + 1));
	args_set(args, a, "peak_first_hour", value_int(c->calendar.peak_first_hour));
	args_set(args, a, "peak_last_hour", value_int(c->calendar.peak_last_hour));
}

/* Sets a condition for each column that needs a permission, if the caller has it. */
static void set_permissions(const struct tool_def *tool, const struct principal *who,
			    struct arena *a, struct args *args)
{
	for (size_t i = 0; i < tool->column_count; i++) {
		const char *permission = tool->columns[i].permission;
		if (permission && may(who, permission))
			args_set(args, a, catalog_condition_of(permission, a), value_bool(true));
	}
}

static void set_patterns(const struct arg *arg, struct arena *a, struct args *args)
{
	struct value values[LIST_ARG_MAX];

	assert(arg->count <= LIST_ARG_MAX); /* checked by tool_args_read */
	for (size_t i = 0; i < arg->count; i++)
		values[i] = value_text(sql_like_pattern(arg->values[i].text, a));
	if (arg->is_list)
		args_set_list(args, a, arg->name, values, arg->count);
	else
		args_set(args, a, arg->name, values[0]);
}

/* A bound without an explicit argument is inclusive. */
static void set_inclusive(const struct tool_def *tool, struct arena *a, struct args *args)
{
	for (size_t i = 0; i < tool->param_count; i++) {
		const struct param_def *p = &tool->params[i];

		if (p->bound_of && !args_find(args, p->name))
			args_set(args, a, p->name, value_int(1));
	}
}

/* Sets :first_day, counted back from today or from the end of the requested days. It is one day
 * earlier, because an entity's time zone may be behind the tenant's. */
void tool_set_first_day(const struct tool_def *tool, const struct args *given, struct date today,
			struct arena *a, struct args *args)
{
	const struct param_def *p = catalog_days_param(tool);
	const struct param_def *end = catalog_days_end_param(tool);
	const struct arg *days = p ? args_find(given, p->name) : NULL;
	const struct arg *last = end ? args_find(given, end->name) : NULL;
	char iso[DATE_ISO_BYTES];

	if (!p)
		return;
	if (last)
		(void)date_parse_iso(last->values[0].text, &today);
	date_iso(date_from_days(date_to_days(today) - (days ? days->values[0].number : 0) -
				tool->lookback - 1),
		 iso);
	args_set(args, a, "first_day", value_date(iso));
}

struct args tool_bind(const struct catalog *c, const struct tool_def *tool,
		      const struct args *given, const struct principal *who, struct date today,
		      struct arena *a)
{
	struct args args = {0};

	for (size_t i = 0; i < given->count; i++) {
		const struct arg *arg = &given->items[i];
		const struct param_def *p = tool_param(tool, arg->name);
		if (p && p->like)
			set_patterns(arg, a, &args);
		else if (arg->is_list)
			args_set_list(&args, a, arg->name, arg->values, arg->count);
		else
			args_set(&args, a, arg->name, arg->values[0]);
	}
	set_inclusive(tool, a, &args);
	tool_set_reserved(c, who->tenant, today, a, &args);
	tool_set_first_day(tool, given, today, a, &args);
	set_permissions(tool, who, a, &args);
	return args;
}
