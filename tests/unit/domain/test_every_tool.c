/*
 * Every tool of the catalogue in every dialect: each parameter gets a unique value, in two
 * variants. The statements must contain each value as a bound parameter, and their text must not
 * depend on the values.
 */
#include "domain_data.h"

#include "vesper/limits.h"

enum { SENT_MAX = 16 };

/* All statements of one call, including its lookup. */
static struct {
	struct source_statement statements[SENT_MAX];
	size_t count;
} sent;

static struct op *on_query(void *self, const struct db_request *request, db_cb cb, void *owner)
{
	struct op *op = recording_db_query(self, request, cb, owner);

	for (size_t i = 0; i < recorded.statement_count; i++) {
		assert_true(sent.count < SENT_MAX);
		sent.statements[sent.count++] = recorded.statements[i];
	}
	return op;
}

static const struct db_driver collecting_driver = {
	.name = "collecting", .query = on_query, .close = recording_db_close};

/* ---- unique values ---- */

/* The n-th value of a parameter in one of two variants. */
static struct value value_of(const struct param_def *p, int variant, size_t n)
{
	int64_t first = p->has_min ? p->min : 7000, last = p->has_max ? p->max : 9000;
	int64_t step = (last - first) / 2 * variant + 1 + (int64_t)n;

	switch (p->type) {
	case PARAM_INT:
		return value_int(first + step);
	case PARAM_DECIMAL:
		return value_decimal(arena_printf(arena, "%lld.25", (long long)(first + step)));
	case PARAM_BOOL:
		return value_bool(true);
	case PARAM_DATE: /* a range's last day is not before its first */
		return value_date(arena_printf(arena, "20%d-0%d-17", 31 + variant,
					       strstr(p->filter, "end") ? 8 : 3));
	default:
		if (p->slot == SLOT_ORDER)
			return value_text(variant ? ORDER_ASC : ORDER_DESC);
		if (p->values)
			return value_text(p->values[variant ? 1 : 0]);
		return value_text(arena_printf(arena, "zq%c%zu %s", 'a' + variant, n, p->name));
	}
}

static void fill(const struct tool_def *tool, int variant, struct args *out)
{
	for (size_t i = 0; i < tool->param_count; i++) {
		const struct param_def *p = &tool->params[i];
		struct value values[LIST_ARG_MAX];
		size_t count = p->is_list && p->list_max < 3 ? p->list_max : p->is_list ? 3 : 1;

		for (size_t n = 0; n < count; n++)
			values[n] = value_of(p, variant, n);
		if (p->is_list)
			args_set_list(out, arena, p->name, values, count);
		else
			args_set(out, arena, p->name, values[0]);
	}
}

/* ---- one call ---- */

static void run(const struct tool_def *tool, const struct args *args)
{
	const struct principal who = {.user = "ann",
				      .tenant = "acme",
				      .permissions = permissions,
				      .permission_count = permission_count};
	const struct tool_request request = {.call = "c1",
					     .agent = tool->callers.agents[0],
					     .tool = tool->name,
					     .bound = args,
					     .who = &who,
					     .today = {2026, 2, 27}};
	const char *name = args_text(args, "project_name", arena);

	while (recorded.table_count > 0)
		table_free(&recorded.tables[--recorded.table_count]);
	for (int i = 0; i < RECORDED_TABLES_MAX; i++) /* a lookup finds only this name */
		recording_db_table(&recorded, "ProjectName", name ? name : "x", NULL);
	sent.count = 0;
	answer = NULL;
	assert_non_null(tool_start(box, &request, arena, on_result, NULL));
	loop_run(loop);
	assert_non_null(answer);
	if (answer->outcome.kind != OUTCOME_ROWS)
		fail_msg("%s: %s", tool->name, answer->outcome.detail);
}

static void check_marks(const struct source_statement *s)
{
	size_t marks = 0;

	for (const char *p = s->text; *p; p++)
		marks += *p == '?';
	if (marks != s->count)
		fail_msg("%s has %zu marks for %zu values", s->name, marks, s->count);
	if (!is_bound(s, "acme"))
		fail_msg("%s is not bound to the tenant", s->name);
}

/* A pattern contains the text between its wildcards. */
static bool arrives(const struct source_statement *s, const struct param_def *p,
		    const struct value *value)
{
	const char *text =
		value->text ? value->text : arena_printf(arena, "%lld", (long long)value->number);

	return is_bound(s, p->like ? sql_like_pattern(text, arena) : text);
}

static void check_arrival(const struct tool_def *tool, const struct args *args)
{
	for (size_t i = 0; i < tool->param_count; i++) {
		const struct param_def *p = &tool->params[i];
		const struct arg *arg = args_find(args, p->name);

		for (size_t n = 0; n < arg->count && p->type != PARAM_BOOL; n++) {
			bool found = false;

			for (size_t k = 0; k < sent.count; k++) {
				const struct value *v = &arg->values[n];

				found = found || arrives(&sent.statements[k], p, v);
				if (v->text && strncmp(v->text, "zq", 2) == 0 &&
				    strstr(sent.statements[k].text, v->text))
					fail_msg("%s: %s stands in the text", tool->name, v->text);
			}
			if (!found)
				fail_msg("%s: %s does not arrive", tool->name, p->name);
		}
	}
}

static void check_tool(const struct tool_def *tool)
{
	struct args args[2] = {{0}, {0}};
	struct source_statement first[SENT_MAX];
	size_t count;

	fill(tool, 0, &args[0]);
	fill(tool, 1, &args[1]);
	run(tool, &args[0]);
	check_arrival(tool, &args[0]);
	count = sent.count;
	memcpy(first, sent.statements, sizeof(first));
	run(tool, &args[1]);
	check_arrival(tool, &args[1]);
	assert_int_equal(sent.count, count);
	for (size_t i = 0; i < count; i++) {
		check_marks(&sent.statements[i]);
		assert_string_equal(first[i].text, sent.statements[i].text);
		assert_int_equal(first[i].count, sent.statements[i].count);
	}
}

static void every_argument_of_every_tool_is_bound(void **state)
{
	(void)state;
	for (int d = 0; d < DIALECT_COUNT; d++) {
		begin();
		recording_db_init(&recorded, loop);
		warehouse = db_from_driver(&collecting_driver, &recorded, (enum dialect)d);
		open_tools();
		assert_true(catalog->tool_count >= 19);
		/* Tools whose argument is a statement or a query have separate tests; those for
		 * documents and data sources have no statement. */
		for (size_t i = 0; i < catalog->tool_count; i++)
			if (!catalog->tools[i].gate && !catalog->tools[i].map &&
			    !tool_has_no_statement(&catalog->tools[i]))
				check_tool(&catalog->tools[i]);
		end();
		recording_db_deinit(&recorded);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_argument_of_every_tool_is_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
