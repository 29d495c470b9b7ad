/* Invalid queries: the code, the sentence, and the offered alternatives. */
#include "map_test.h"

static struct map_problem why;

static void refused(const char *query, const char *code, const char *says)
{
	struct map_statement s;
	struct err e = {0};

	if (read_and_write(query, NULL, DIALECT_MSSQL, &s, &why, &e))
		fail_msg("accepted: %s", query);
	if (!why.code || strcmp(why.code, code) != 0)
		fail_msg("%s: %s, not %s (%s)", query, why.code, code, e.text);
	if (!strstr(why.text ? why.text : e.text, says))
		fail_msg("\"%s\" does not say \"%s\"", why.text ? why.text : e.text, says);
}

static void reports_unknown_names(void **state)
{
	(void)state;
	refused("{'metrics':['amont']}", MAP_UNKNOWN_NAME, "There is no metric or dimension");
	assert_string_equal(why.offers[0], "amount");
	refused("{'metrics':['amount'],'by':['colour']}", MAP_UNKNOWN_NAME, "colour");
	assert_string_equal(why.offers[0], "color");
	refused("{'metrics':['amount'],'by':['sale_day.hour']}", MAP_UNKNOWN_NAME, "sale_day.hour");
	refused("{'list':'planet'}", MAP_UNKNOWN_NAME, "planet");
	refused("{'metrics':['amount'],'where':[{'name':'x; DROP TABLE sale','op':'missing'}]}",
		MAP_UNKNOWN_NAME, "DROP");
}

/* A sum that would count a row several times is never computed. */
static void refuses_to_count_twice(void **state)
{
	(void)state;
	refused("{'metrics':['cost'],'by':['stars']}", MAP_FAN_OUT,
		"cost cannot be split by stars: one product can have several reviews");
	assert_int_equal(why.offer_count, 2);
	assert_string_equal(why.offers[0], "How many reviews are there by stars?");
	refused("{'metrics':['amount'],'by':['label_kind']}", MAP_FAN_OUT, "several labels");
	refused("{'list':'product','show':['stars']}", MAP_FAN_OUT, "several reviews");
}

static void reports_unrelated_names(void **state)
{
	(void)state;
	refused("{'metrics':['cost'],'by':['channel']}", MAP_FAN_OUT, "sale rows");
	refused("{'metrics':['amount'],'by':['market']}", MAP_UNKNOWN_NAME, "market");
}

static void rejects_invalid_values(void **state)
{
	(void)state;
	refused("{'list':'product','where':[{'name':'cost','op':'over','values':['60 MW']}]}",
		MAP_BAD_VALUE, "cost is measured in $, not in MW");
	refused("{'list':'product','where':[{'name':'cost','op':'over','values':['much']}]}",
		MAP_BAD_VALUE, "is not a number");
	refused("{'metrics':['amount'],'where':[{'name':'color','op':'between','values':['a']}]}",
		MAP_BAD_VALUE, "does not take 1 values");
	refused("{'metrics':['amount'],'where':[{'name':'color','op':'like','values':['a']}]}",
		MAP_BAD_VALUE, "unknown comparison like");
	refused("{'metrics':['amount'],'where':[{'name':'stars','op':'contains','values':['1']}]}",
		MAP_BAD_VALUE, "is not a text");
	refused("{'metrics':['amount'],'period':{'start':'2025-02-30','end':'2025-03-01'}}",
		MAP_BAD_VALUE, "period must be {start, end}");
	refused("{'metrics':['amount'],'period':{'start':'2025-03-02','end':'2025-03-01'}}",
		MAP_BAD_VALUE, "ends before it begins");
	refused("{'metrics':['cost'],'period':{'start':'2025-03-01','end':'2025-03-02'}}",
		MAP_BAD_VALUE, "have no time");
	refused("{'metrics':['amount'],'compare':'previous_year'}", MAP_BAD_VALUE, "a period");
	refused("{'metrics':['amount'],'by':['sale_day.month'],'compare':'previous_year',"
		"'period':{'start':'2025-03-01','end':'2025-03-02'}}",
		MAP_BAD_VALUE, "cannot be combined with a grouping by time");
	refused("{'metrics':['amount'],'top':3,'bottom':3}", MAP_BAD_VALUE, "top or bottom");
	refused("{'metrics':['amount'],'top':501}", MAP_BAD_VALUE, "1 to 500");
	refused("{'metrics':['amount'],'having':[{'name':'cost','op':'over','values':[1]}]}",
		MAP_BAD_VALUE, "having may only compare requested metrics");
	refused("{'metrics':['amount'],'order':[{'name':'sales','dir':'asc'}]}", MAP_BAD_VALUE,
		"order may only use what the query requests");
	refused("{'metrics':['amount','amount']}", MAP_BAD_VALUE, "occurs twice");
	refused("{'metrics':['amount'],'list':'product'}", MAP_BAD_VALUE,
		"both metrics and a list");
	refused("{'list':'sale'}", MAP_BAD_VALUE, "cannot be listed");
	refused("{'metrics':['amount'],'where':[{'name':'fresh','op':'over','values':[1]}]}",
		MAP_BAD_VALUE,
		"fresh is a named condition: it takes the op is or not, without values");
	refused("{'metrics':['amount'],'where':[{'name':'fresh','op':'is','values':['x']}]}",
		MAP_BAD_VALUE, "without values");
	refused("{'metrics':['amount'],'where':[{'name':'frsh','op':'is','values':['x']}]}",
		MAP_UNKNOWN_NAME, "frsh");
	assert_string_equal(why.offers[0], "fresh");
	refused("{'metrics':['amount'],'joins':[]}", MAP_BAD_VALUE, "joins");
	refused("{'metrics':['amount'],'level':'L1'}", MAP_BAD_VALUE, "have no levels");
	refused("{}", MAP_BAD_VALUE, "neither metrics nor a list");
}

/* A measure is compared row by row if all metrics belong to the same rows. */
static void compares_measures_row_by_row(void **state)
{
	struct map_statement s;
	struct err e = {0};

	(void)state;
	assert_true(read_and_write("{'metrics':['products'],'by':['color'],"
				   "'where':[{'name':'cost','op':'over','values':['$2M']}]}",
				   NULL, DIALECT_SQLITE, &s, &why, &e));
	assert_non_null(strstr(s.text, "AND t1.cost > :w1"));
	refused("{'metrics':['sales'],'where':[{'name':'cost','op':'over','values':[1]}]}",
		MAP_UNKNOWN_NAME, "cost");
	refused("{'metrics':['products','sales'],'where':[{'name':'cost','op':'over','values':[1]}"
		"]}",
		MAP_UNKNOWN_NAME, "cost");
}

/* Measures that restrict the rows are shown. */
static void shows_measures_that_restrict_a_list(void **state)
{
	struct map_statement s;
	struct err e = {0};

	(void)state;
	assert_true(read_and_write(
		"{'list':'product','having':[{'name':'sales','op':'over','values':[5]}]}", NULL,
		DIALECT_SQLITE, &s, &why, &e));
	assert_non_null(strstr(s.text, "COALESCE(h1.m1, 0) AS \"Sales\""));
	assert_string_equal(s.columns[s.column_count - 1].label, "Sales");
}

/* A threshold on data that the caller may not see is refused, not dropped; a column is only hidden.
 */
static void requires_permissions(void **state)
{
	const struct principal who = {.user = "u", .tenant = "t"};
	struct map_statement s;
	struct err e = {0};

	(void)state;
	assert_false(read_and_write(
		"{'list':'product','where':[{'name':'cost','op':'over','values':[1]}]}", &who,
		DIALECT_SQLITE, &s, &why, &e));
	assert_string_equal(why.code, MAP_DENIED);
	assert_string_equal(why.permission, "chat:read_budget");
	assert_int_equal(e.code, ERR_DENIED);
	assert_false(read_and_write("{'metrics':['cost']}", &who, DIALECT_SQLITE, &s, &why, &e));
	assert_true(read_and_write("{'list':'product'}", &who, DIALECT_SQLITE, &s, &why, &e));
	assert_null(strstr(s.text, "cost"));
	assert_true(read_and_write("{'list':'product'}", NULL, DIALECT_SQLITE, &s, &why, &e));
	assert_non_null(strstr(s.text, "t1.cost AS \"Cost\""));
	/* the join table in between */
	assert_true(read_and_write("{'metrics':['amount'],'by':['city']}", &who, DIALECT_SQLITE, &s,
				   &why, &e));
	assert_false(read_and_write("{'metrics':['amount'],'where':[{'name':'label_kind',"
				    "'op':'is','values':['a']}]}",
				    &who, DIALECT_SQLITE, &s, &why, &e));
	assert_string_equal(why.permission, "chat:read_budget");
}

static void reads_numbers_with_suffixes_and_units(void **state)
{
	static const char *const said[][2] = {{"2M", "2000000"},    {"$2,000,000", "2000000"},
					      {"1.5K", "1500"},     {"250 $", "250"},
					      {"200 cents", "2"},   {"-3", "-3"},
					      {"0.5B", "500000000"}};
	struct map_statement s;
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
		const struct arg *w;
		char digits[32];

		if (!read_and_write(arena_printf(arena,
						 "{'list':'product','where':[{'name':'cost',"
						 "'op':'over','values':['%s']}]}",
						 said[i][0]),
				    NULL, DIALECT_SQLITE, &s, &why, &e))
			fail_msg("%s: %s", said[i][0], e.text);
		w = args_find(&s.values, "w1");
		snprintf(digits, sizeof(digits), "%lld", (long long)w->values[0].number);
		assert_string_equal(digits, said[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reports_unknown_names),        TEST(refuses_to_count_twice),
		TEST(reports_unrelated_names),      TEST(rejects_invalid_values),
		TEST(compares_measures_row_by_row), TEST(shows_measures_that_restrict_a_list),
		TEST(requires_permissions),         TEST(reads_numbers_with_suffixes_and_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
