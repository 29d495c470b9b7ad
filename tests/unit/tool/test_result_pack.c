/* Serialized results: every field is restored, and truncated or changed bytes never crash. */
#include "full_result.h"
#include "tool_test.h"
#include "use_result.h"

#include "vesper/limits.h"

static struct result *empty_result(void)
{
	struct result *r = result_new(arena);

	r->call = "c1";
	r->agent = "a";
	r->tool = "t";
	r->about = "about";
	r->language = shipped_language();
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
	assert_int_equal(a->is_sum_exact, b->is_sum_exact);
	assert_true(a->sum.units == b->sum.units && a->sum.scale == b->sum.scale);
	assert_true(a->mean.units == b->mean.units && a->mean.scale == b->mean.scale);
	assert_same_text(a->min, b->min);
	assert_same_text(a->max, b->max);
	assert_int_equal(a->min_row, b->min_row);
	assert_int_equal(a->max_row, b->max_row);
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
	assert_int_equal(a->is_total_exact, b->is_total_exact);
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

static void unpacks_every_field(void **state)
{
	(void)state;
	const struct result *fresh = full_result(arena);
	struct result *unpacked = empty_result();
	struct buf packed, expected_text, unpacked_text;

	buf_init(&packed, CACHE_VALUE_BYTES_MAX);
	tool_result_pack(&packed, fresh);
	assert_true(tool_result_unpack((struct str){packed.p, packed.n}, arena, unpacked));
	assert_int_equal(unpacked->table_count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_same_table(fresh->tables[i], unpacked->tables[i]);
	assert_int_equal(unpacked->outcome.kind, OUTCOME_ROWS);
	assert_int_equal(unpacked->statement_count, 2);
	assert_string_equal(unpacked->statements[0].text, "SELECT ? , ?");
	assert_int_equal(unpacked->statements[0].values[1].number, 2025);
	assert_int_equal(unpacked->statements[1].count, 0);
	assert_int_equal(unpacked->read_ms, fresh->read_ms);
	assert_string_equal(unpacked->hash, fresh->hash);
	result_hash(unpacked, unpacked->hash); /* recomputed from the unpacked result */
	assert_string_equal(unpacked->hash, fresh->hash);
	assert_true(unpacked->outcome.truncated);
	assert_int_equal(unpacked->args.count, 5);
	assert_true(args_find(&unpacked->args, "hours")->is_list);
	assert_int_equal(args_find(&unpacked->args, "hours")->values[1].number, -1);
	assert_int_equal(args_find(&unpacked->args, "firm")->values[0].type, VALUE_BOOL);
	assert_true(args_find(&unpacked->args, "big")->values[0].number == INT64_MIN);
	assert_string_equal(result_fact(unpacked, "gap")->formula, "2.40 - 1.20");
	assert_null(result_fact(unpacked, "note")->unit);
	buf_init(&expected_text, 1 << 20);
	buf_init(&unpacked_text, 1 << 20);
	prompt_text(&expected_text, fresh, 10);
	prompt_text(&unpacked_text, unpacked, 10);
	assert_string_equal(buf_text(&expected_text), buf_text(&unpacked_text));
	buf_deinit(&expected_text);
	buf_deinit(&unpacked_text);
	buf_deinit(&packed);
}

static void rejects_truncated_bytes(void **state)
{
	(void)state;
	const struct result *fresh = full_result(arena);
	struct buf packed;

	buf_init(&packed, CACHE_VALUE_BYTES_MAX);
	tool_result_pack(&packed, fresh);
	for (size_t n = 0; n < packed.n; n++) {
		/* A copy of exactly this length, so that sanitizers detect reads beyond it. */
		char *prefix = mem_alloc(n + 1);
		struct result *unpacked = empty_result();
		memcpy(prefix, packed.p, n);
		assert_false(tool_result_unpack((struct str){prefix, n}, arena, unpacked));
		assert_int_equal(unpacked->table_count, 0);
		assert_int_equal(unpacked->args.count, 0);
		mem_free(prefix);
	}
	buf_char(&packed, '\0');
	assert_false(tool_result_unpack((struct str){packed.p, packed.n}, arena, empty_result()));
	buf_deinit(&packed);
}

/* Changes every byte to many values: the result is readable, or rejected. */
static void changed_bytes_never_crash(void **state)
{
	(void)state;
	const struct result *fresh = full_result(arena);
	struct buf packed;

	buf_init(&packed, CACHE_VALUE_BYTES_MAX);
	tool_result_pack(&packed, fresh);
	for (size_t i = 0; i < packed.n; i++) {
		for (int step = 1; step < 256; step += 7) {
			struct arena *local_arena = arena_new(1 << 20);
			struct result *unpacked = result_new(local_arena);
			char before = packed.p[i];

			packed.p[i] = (char)(before + step);
			if (tool_result_unpack((struct str){packed.p, packed.n}, local_arena,
					       unpacked))
				use_result(unpacked);
			packed.p[i] = before;
			arena_free(&local_arena);
		}
	}
	buf_deinit(&packed);
}

/* ---- well-formed bytes with invalid fields ---- */

static bool can_unpack(const struct result *r)
{
	struct buf packed;
	bool is_unpacked;

	buf_init(&packed, SIZE_MAX / 2);
	tool_result_pack(&packed, r);
	is_unpacked = tool_result_unpack((struct str){packed.p, packed.n}, arena, empty_result());
	buf_deinit(&packed);
	return is_unpacked;
}

static struct value *first_value(struct result *r, const char *name)
{
	return (struct value *)args_find(&r->args, name)->values;
}

/* Each function makes one field of a valid result invalid. */
static void read_too_late(struct result *r)
{
	r->read_ms = 253402300800000;
}
static void read_at_int64_max(struct result *r)
{
	r->read_ms = INT64_MAX;
}
static void read_at_int64_min(struct result *r)
{
	r->read_ms = INT64_MIN;
}
static void read_at_zero(struct result *r)
{
	r->read_ms = 0;
}
static void total_below_row_count(struct result *r)
{
	r->tables[0]->total_rows = 2;
}
static void negative_row_total(struct result *r)
{
	r->tables[1]->total_rows = -1;
}
static void row_total_too_large(struct result *r)
{
	r->tables[1]->total_rows = INT64_MAX;
}
static void negative_count(struct result *r)
{
	r->tables[0]->stats[0].count = -1;
}
static void negative_nulls(struct result *r)
{
	r->tables[0]->stats[1].nulls = INT64_MIN;
}
static void negative_distinct(struct result *r)
{
	r->tables[0]->stats[1].distinct = -7;
}
static void minimum_row_after_end(struct result *r)
{
	r->tables[0]->stats[1].min_row = 813;
}
static void maximum_row_before_start(struct result *r)
{
	r->tables[0]->stats[1].max_row = -2;
}
static void negative_scale(struct result *r)
{
	r->tables[0]->stats[1].sum.scale = -1;
}
static void too_many_digits(struct result *r)
{
	r->tables[0]->stats[1].mean.scale = 19;
}
static void invalid_trend(struct result *r)
{
	r->tables[0]->stats[1].trend = TREND_FLAT + 1;
}
static void invalid_column_type(struct result *r)
{
	r->tables[0]->columns[0].type = COLUMN_BOOL + 1;
}
static void invalid_outcome_kind(struct result *r)
{
	r->outcome.kind = OUTCOME_ERROR;
}
static void half_a_character(struct result *r)
{
	r->tables[0]->rows[0][0] = "caf\xC3";
}
static void lone_surrogate(struct result *r)
{
	r->tables[0]->columns[0].label = "\xED\xA0\x80";
}
static void impossible_date(struct result *r)
{
	first_value(r, "since")->text = "2026-02-30";
}
static void date_with_trailing_text(struct result *r)
{
	first_value(r, "since")->text = "2026-01-01x";
}
static void text_value_without_text(struct result *r)
{
	first_value(r, "hub")->text = NULL;
}
static void integer_with_text(struct result *r)
{
	first_value(r, "hours")->text = "7";
}
static void boolean_of_two(struct result *r)
{
	first_value(r, "firm")->number = 2;
}
static void uppercase_hash(struct result *r)
{
	memset(r->hash, 'A', 64);
}
static void short_hash(struct result *r)
{
	r->hash[32] = '\0';
}

static void invalid_decimal(struct result *r)
{
	*first_value(r, "hub") = value_decimal("1e");
}

static void null_argument(struct result *r)
{
	*first_value(r, "hub") = value_null();
}

static void too_many_rows(struct result *r)
{
	struct table *t = r->tables[0];
	const char **row = t->rows[0];

	t->row_count = DB_ROWS_MAX + 1;
	t->total_rows = DB_ROWS_MAX + 1;
	t->rows = arena_alloc(arena, t->row_count * sizeof(*t->rows));
	for (size_t i = 0; i < t->row_count; i++)
		t->rows[i] = row;
}

static void rows_without_columns(struct result *r)
{
	r->tables[0]->column_count = 0;
}

static void too_many_columns(struct result *r)
{
	struct table *t = r->tables[0];
	struct column *columns = arena_alloc(arena, 400 * sizeof(*columns));

	for (size_t i = 0; i < 400; i++)
		columns[i] = t->columns[0];
	t->columns = columns;
	t->column_count = 400;
	t->row_count = 0;
	t->stats = NULL;
}

static void too_many_tables(struct result *r)
{
	while (r->table_count <= TOOL_QUERIES_MAX)
		result_add_table(r, arena, full_table("more"));
}

static void too_many_facts(struct result *r)
{
	struct fact *facts = arena_alloc(arena, (RESULT_FACTS_MAX + 1) * sizeof(*facts));

	for (size_t i = 0; i <= RESULT_FACTS_MAX; i++)
		facts[i] = r->facts[0];
	r->facts = facts;
	r->fact_count = RESULT_FACTS_MAX + 1;
}

static void too_many_arguments(struct result *r)
{
	for (int i = 0; i <= TOOL_ARGS_MAX; i++)
		args_set(&r->args, arena, arena_printf(arena, "a%d", i), value_int(i));
}

static void list_too_long(struct result *r)
{
	static struct value values[LIST_ARG_MAX + 1];

	args_set_list(&r->args, arena, "hours", values, LIST_ARG_MAX + 1);
}

static void too_many_statements(struct result *r)
{
	for (int i = 0; i < 20; i++)
		result_add_statement(r, arena, r->statements[0]);
}

static void rejects_invalid_fields(void **state)
{
	static void (*const changes[])(struct result * r) = {
		read_too_late,           read_at_int64_max,
		read_at_int64_min,       read_at_zero,
		total_below_row_count,   negative_row_total,
		row_total_too_large,     negative_count,
		negative_nulls,          negative_distinct,
		minimum_row_after_end,   maximum_row_before_start,
		negative_scale,          too_many_digits,
		invalid_trend,           invalid_column_type,
		invalid_outcome_kind,    half_a_character,
		lone_surrogate,          impossible_date,
		date_with_trailing_text, text_value_without_text,
		integer_with_text,       boolean_of_two,
		uppercase_hash,          short_hash,
		invalid_decimal,         null_argument,
		too_many_rows,           rows_without_columns,
		too_many_columns,        too_many_tables,
		too_many_facts,          too_many_arguments,
		list_too_long,           too_many_statements,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct result *r = full_result(arena);

		assert_true(can_unpack(r));
		changes[i](r);
		if (can_unpack(r))
			fail_msg("change %zu was accepted", i);
	}
}

static void unpacks_result_without_hash(void **state)
{
	struct result *r = full_result(arena);

	(void)state;
	*r->hash = '\0';
	assert_true(can_unpack(r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unpacks_every_field),         TEST(rejects_truncated_bytes),
		TEST(changed_bytes_never_crash),   TEST(rejects_invalid_fields),
		TEST(unpacks_result_without_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
