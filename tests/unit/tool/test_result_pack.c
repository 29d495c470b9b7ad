/* Results as bytes: everything comes back, and bytes that were cut or changed never crash anyone.
 */
#include "prompt_text.h"
#include "tool_test.h"

#include "vesper/limits.h"
#include "vesper/view.h"

static struct table *make_table(const char *name)
{
	struct table *t = table_new(1 << 16);
	struct stats_collector *s = stats_new(2);
	static const char *const cells[3][2] = {{"NP15 \xE2\x80\x94 caf\xC3\xA9", "-12.500"},
						{NULL, "99999999999999999999.25"},
						{"", NULL}};

	t->name = name;
	t->column_count = 2;
	t->columns = arena_alloc(t->arena, 2 * sizeof(*t->columns));
	static const char *const words[] = {"", "no hub", NULL};
	static const char *const groups[] = {"E1", "coast", NULL};
	t->columns[0] =
		(struct column){"Hub", "Hub-zone", NULL, COLUMN_TEXT, PRIORITY_LOW, words, groups};
	t->columns[1] = (struct column){"Price",       "Price", "$/MWh", COLUMN_DECIMAL,
					PRIORITY_HIGH, NULL,    NULL};
	t->rows = arena_alloc(t->arena, 3 * sizeof(*t->rows));
	for (int r = 0; r < 3; r++) {
		t->rows[r] = arena_alloc(t->arena, 2 * sizeof(char *));
		for (size_t c = 0; c < 2; c++) {
			const char *cell = cells[r][c];
			t->rows[r][c] = cell;
			stats_cell(s, c, cell, cell ? strlen(cell) : 0, c == 1);
		}
		stats_row_done(s);
	}
	t->row_count = 3;
	t->total_rows = 812;
	t->truncated = true;
	t->truncation = "row cap";
	t->stats = stats_finish(s, t->arena);
	stats_free(&s);
	return t;
}

static struct result *make_result(void)
{
	struct result *r = result_new(arena);
	const struct value hours[] = {value_int(7), value_int(-1)};
	static struct value bound[2];

	bound[0] = value_text("acme");
	bound[1] = value_int(2025);
	*r = (struct result){.call = "c1", .agent = "a", .tool = "t", .about = "about"};
	r->outcome = (struct outcome){.kind = OUTCOME_ROWS, .truncated = true};
	args_set(&r->args, arena, "hub", value_text("NP15"));
	args_set_list(&r->args, arena, "hours", hours, 2);
	args_set(&r->args, arena, "firm", value_bool(false));
	args_set(&r->args, arena, "since", value_date("2026-01-01"));
	args_set(&r->args, arena, "big", value_int(INT64_MIN));
	result_add_table(r, arena, make_table("main"));
	result_add_table(r, arena, make_table("hourly"));
	result_add_fact(r, arena, (struct fact){"gap", "Gap", "1.20", "$/MWh", "2.40 - 1.20"});
	result_add_fact(r, arena, (struct fact){.name = "note", .label = "Note", .value = "none"});
	result_add_statement(r, arena,
			     (struct result_statement){"t/main", "SELECT ? , ?", bound, 2});
	result_add_statement(r, arena,
			     (struct result_statement){.name = "t/none", .text = "SELECT 1"});
	r->read_ms = 1772182800000;
	result_hash(r, r->hash);
	return r;
}

static struct result *same_call(void)
{
	struct result *r = result_new(arena);

	r->call = "c1";
	r->agent = "a";
	r->tool = "t";
	r->about = "about";
	return r;
}

static void assert_same_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

static void assert_same_stats(const struct column_stats *a, const struct column_stats *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->nulls, b->nulls);
	assert_int_equal(a->distinct, b->distinct);
	assert_int_equal(a->distinct_exact, b->distinct_exact);
	assert_int_equal(a->numeric, b->numeric);
	assert_int_equal(a->sum_exact, b->sum_exact);
	assert_true(a->sum.units == b->sum.units && a->sum.scale == b->sum.scale);
	assert_true(a->mean.units == b->mean.units && a->mean.scale == b->mean.scale);
	assert_same_text(a->min, b->min);
	assert_same_text(a->max, b->max);
	assert_int_equal(a->at_min, b->at_min);
	assert_int_equal(a->at_max, b->at_max);
	assert_same_text(a->first, b->first);
	assert_same_text(a->last, b->last);
	assert_int_equal(a->trend, b->trend);
}

static void assert_same_table(const struct table *a, const struct table *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->total_rows, b->total_rows);
	assert_int_equal(a->truncated, b->truncated);
	assert_same_text(a->truncation, b->truncation);
	assert_int_equal(a->total_exact, b->total_exact);
	assert_int_equal(a->column_count, b->column_count);
	assert_int_equal(a->row_count, b->row_count);
	for (size_t c = 0; c < a->column_count; c++) {
		assert_string_equal(a->columns[c].label, b->columns[c].label);
		assert_same_text(a->columns[c].unit, b->columns[c].unit);
		assert_int_equal(!a->columns[c].words, !b->columns[c].words);
		for (size_t w = 0; a->columns[c].words && a->columns[c].words[w]; w++)
			assert_string_equal(a->columns[c].words[w], b->columns[c].words[w]);
		assert_int_equal(!a->columns[c].groups, !b->columns[c].groups);
		for (size_t g = 0; a->columns[c].groups && a->columns[c].groups[g]; g++)
			assert_string_equal(a->columns[c].groups[g], b->columns[c].groups[g]);
		assert_int_equal(a->columns[c].type, b->columns[c].type);
		assert_int_equal(a->columns[c].priority, b->columns[c].priority);
		assert_same_stats(&a->stats[c], &b->stats[c]);
		for (size_t r = 0; r < a->row_count; r++)
			assert_same_text(a->rows[r][c], b->rows[r][c]);
	}
}

static void everything_comes_back(void **state)
{
	(void)state;
	const struct result *fresh = make_result();
	struct result *back = same_call();
	struct buf packed, one, other;

	buf_init(&packed, CACHE_VALUE_BYTES_MAX);
	tool_result_pack(&packed, fresh);
	assert_true(tool_result_unpack((struct str){packed.p, packed.n}, arena, back));
	assert_int_equal(back->table_count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_same_table(fresh->tables[i], back->tables[i]);
	assert_int_equal(back->outcome.kind, OUTCOME_ROWS);
	assert_int_equal(back->statement_count, 2);
	assert_string_equal(back->statements[0].text, "SELECT ? , ?");
	assert_int_equal(back->statements[0].values[1].number, 2025);
	assert_int_equal(back->statements[1].count, 0);
	assert_int_equal(back->read_ms, fresh->read_ms);
	assert_string_equal(back->hash, fresh->hash);
	result_hash(back, back->hash); /* of what came back it is the same */
	assert_string_equal(back->hash, fresh->hash);
	assert_true(back->outcome.truncated);
	assert_int_equal(back->args.count, 5);
	assert_true(args_find(&back->args, "hours")->is_list);
	assert_int_equal(args_find(&back->args, "hours")->values[1].number, -1);
	assert_int_equal(args_find(&back->args, "firm")->values[0].type, VALUE_BOOL);
	assert_true(args_find(&back->args, "big")->values[0].number == INT64_MIN);
	assert_string_equal(result_fact(back, "gap")->formula, "2.40 - 1.20");
	assert_null(result_fact(back, "note")->unit);
	buf_init(&one, 1 << 20);
	buf_init(&other, 1 << 20);
	prompt_text(&one, fresh, 10);
	prompt_text(&other, back, 10);
	assert_string_equal(buf_text(&one), buf_text(&other));
	buf_deinit(&one);
	buf_deinit(&other);
	buf_deinit(&packed);
}

static void what_was_cut_is_refused(void **state)
{
	(void)state;
	const struct result *fresh = make_result();
	struct buf packed;

	buf_init(&packed, CACHE_VALUE_BYTES_MAX);
	tool_result_pack(&packed, fresh);
	for (size_t n = 0; n < packed.n; n++) {
		/* A copy of just that length: reading beyond it is seen. */
		char *cut = mem_alloc(n + 1);
		struct result *back = same_call();
		memcpy(cut, packed.p, n);
		assert_false(tool_result_unpack((struct str){cut, n}, arena, back));
		assert_int_equal(back->table_count, 0);
		assert_int_equal(back->args.count, 0);
		mem_free(cut);
	}
	buf_char(&packed, '\0');
	assert_false(tool_result_unpack((struct str){packed.p, packed.n}, arena, same_call()));
	buf_deinit(&packed);
}

/* Each byte takes each value once: what comes out is a result that can be read, or none. */
static void what_was_changed_crashes_nobody(void **state)
{
	(void)state;
	const struct result *fresh = make_result();
	struct buf packed;

	buf_init(&packed, CACHE_VALUE_BYTES_MAX);
	tool_result_pack(&packed, fresh);
	for (size_t i = 0; i < packed.n; i++) {
		for (int step = 1; step < 256; step += 7) {
			struct arena *own = arena_new(1 << 20);
			struct result *back = result_new(own);
			char before = packed.p[i];

			packed.p[i] = (char)(before + step);
			if (tool_result_unpack((struct str){packed.p, packed.n}, own, back)) {
				struct buf text;
				buf_init(&text, 1 << 20);
				back->call = back->agent = back->tool = back->about = "x";
				prompt_text(&text, back, 10);
				buf_deinit(&text);
			}
			packed.p[i] = before;
			arena_free(&own);
		}
	}
	buf_deinit(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(everything_comes_back),
		TEST(what_was_cut_is_refused),
		TEST(what_was_changed_crashes_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
