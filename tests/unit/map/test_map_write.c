/* Statements as text, in three dialects. */
#include "map_test.h"

static void writes(const char *query, enum dialect d, const char *sql)
{
	assert_string_equal(squeezed(written(query, d).text), squeezed(sql));
}

static void joins_with_whole_keys_and_binds_values(void **state)
{
	(void)state;
	for (enum dialect d = DIALECT_MSSQL; d < DIALECT_COUNT; d++)
		writes("{'metrics':['amount'],'by':['city'],'where':[{'name':'color','op':'not',"
		       "'values':['red','blue']}],'top':3}",
		       d,
		       "SELECT q.d1 AS \"City\", q.m1 AS \"Sales amount\""
		       " FROM (SELECT t2.\"Shop City\" AS d1, SUM(t1.amount) AS m1 FROM sale t1"
		       " JOIN shop t2 ON t1.shop = t2.id AND t1.year = t2.year"
		       " AND t2.tenant_id = :tenant_id"
		       " JOIN product t3 ON t1.product = t3.id AND t3.tenant_id = :tenant_id"
		       " WHERE t1.tenant_id = :tenant_id"
		       " AND (t3.color NOT IN (:w1...) OR t3.color IS NULL)"
		       " GROUP BY t2.\"Shop City\") q"
		       " ORDER BY CASE WHEN q.m1 IS NULL THEN 1 ELSE 0 END, q.m1 DESC, q.d1"
		       " OFFSET 0 ROWS FETCH NEXT :w2 ROWS ONLY");
}

/* Otherwise SQLite would look up each row just to read rows in index order. */
static void avoids_sqlite_index_without_all_columns(void **state)
{
	static const struct {
		const char *query, *grouped;
		enum dialect dialect;
	} cases[] = {
		{"{'metrics':['cost'],'by':['color']}", "GROUP BY t1.color)", DIALECT_SQLITE},
		{"{'metrics':['products'],'by':['color']}", "GROUP BY t1.color)", DIALECT_SQLITE},
		{"{'metrics':['cost'],'by':['color'],'where':[{'name':'product_name','op':'is',"
		 "'values':['x']}]}",
		 "GROUP BY +t1.color)", DIALECT_SQLITE},
		{"{'metrics':['cost'],'by':['product_name']}", "GROUP BY +t1.name, +t1.id)",
		 DIALECT_SQLITE},
		{"{'metrics':['cost'],'by':['product_name']}", "GROUP BY t1.name, t1.id)",
		 DIALECT_POSTGRES},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = squeezed(written(cases[i].query, cases[i].dialect).text);

		if (!strstr(text, cases[i].grouped))
			fail_msg("%s: %s", cases[i].query, text);
	}
}

static void uses_exists_across_steps_to_many(void **state)
{
	(void)state;
	writes("{'metrics':['sales'],'where':[{'name':'label_kind','op':'not','values':['x']}]}",
	       DIALECT_POSTGRES,
	       "SELECT CAST(q.m1 AS bigint) AS \"Sales\" FROM (SELECT COUNT(*) AS m1 FROM sale t1"
	       " WHERE t1.tenant_id = :tenant_id AND NOT EXISTS (SELECT 1 FROM shop t2"
	       " JOIN shop_label t3 ON t2.id = t3.shop AND t2.year = t3.year"
	       " AND t3.tenant_id = :tenant_id"
	       " JOIN label t4 ON t3.label = t4.code AND t4.tenant_id = :tenant_id"
	       " WHERE t1.shop = t2.id AND t1.year = t2.year AND t2.tenant_id = :tenant_id"
	       " AND t4.kind = :w1)) q ORDER BY 1"
	       " OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY");
}

/* NULL is a group, too. SQLite joins it with IS, for which it can use an index. */
static void uses_the_last_count_of_a_stock(void **state)
{
#define LAST_COUNT(same)                                                                           \
	"SELECT q.d1 AS \"Color\", q.m1 AS \"Pieces\" FROM (SELECT t2.color AS d1,"                \
	" SUM(t1.pieces) AS m1 FROM stock t1"                                                      \
	" JOIN product t2 ON t1.product = t2.id AND t2.tenant_id = :tenant_id"                     \
	" JOIN (SELECT t4.color AS k1, MAX(t3.month) AS k0 FROM stock t3"                          \
	" JOIN product t4 ON t3.product = t4.id AND t4.tenant_id = :tenant_id"                     \
	" WHERE t3.tenant_id = :tenant_id GROUP BY t4.color) v2"                                   \
	" ON v2.k0 = t1.month AND " same " WHERE t1.tenant_id = :tenant_id GROUP BY t2.color) q"   \
	" ORDER BY CASE WHEN q.m1 IS NULL THEN 1 ELSE 0 END, q.m1 DESC, q.d1"                      \
	" OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY"
	static const char query[] = "{'metrics':['pieces'],'by':['color']}";

	(void)state;
	writes(query, DIALECT_SQLITE, LAST_COUNT("v2.k1 IS t2.color"));
	writes(query, DIALECT_MSSQL,
	       LAST_COUNT("(v2.k1 = t2.color OR (v2.k1 IS NULL AND t2.color IS NULL))"));
}

/* A ratio divides its two sums, and stays exact in dialects with integer division. */
static void divides_sums_for_a_ratio(void **state)
{
	(void)state;
	assert_non_null(strstr(written("{'metrics':['web_share']}", DIALECT_MSSQL).text,
			       "100 * CAST(q.m1 AS decimal(38,10)) / "
			       "NULLIF(CAST(q.m2 AS decimal(38,10)), 0) AS \"Web_share\""));
	assert_non_null(strstr(written("{'metrics':['web_share']}", DIALECT_SQLITE).text,
			       "100 * CAST(q.m1 AS real) / NULLIF(CAST(q.m2 AS real), 0)"));
	assert_non_null(strstr(written("{'metrics':['average']}", DIALECT_MSSQL).text,
			       "AVG(CAST(t1.amount AS decimal(38,10)))"));
}

static void compares_two_periods(void **state)
{
	const struct map_statement s =
		written("{'metrics':['amount'],'by':['color'],'period':{'start':'2025-03-01','end':"
			"'2025-03-31'},'compare':'previous_period'}",
			DIALECT_POSTGRES);

	(void)state;
	assert_int_equal(s.column_count, 3);
	assert_string_equal(s.columns[2].label, "Sales amount before");
	assert_true(s.columns[2].is_before);
	assert_string_equal(args_find(&s.values, "w1")->values[0].text, "2025-03-01");
	assert_string_equal(args_find(&s.values, "w3")->values[0].text, "2025-01-29");
	assert_string_equal(args_find(&s.values, "w4")->values[0].text, "2025-02-28");
}

/* Two products with the same name stay separate. */
static void separates_rows_with_the_same_title(void **state)
{
	(void)state;
	writes("{'metrics':['amount'],'by':['product_name'],'top':2}", DIALECT_SQLITE,
	       "SELECT q.d1 AS \"Product_name\", q.m1 AS \"Sales amount\" FROM (SELECT t2.name AS "
	       "d1,"
	       " t2.id AS d2, SUM(t1.amount) AS m1 FROM sale t1"
	       " JOIN product t2 ON t1.product = t2.id AND t2.tenant_id = :tenant_id"
	       " WHERE t1.tenant_id = :tenant_id GROUP BY t2.name, t2.id) q"
	       " ORDER BY CASE WHEN q.m1 IS NULL THEN 1 ELSE 0 END, q.m1 DESC, q.d1, q.d2"
	       " OFFSET 0 ROWS FETCH NEXT :w1 ROWS ONLY");
}

static void keeps_rows_without_a_partner(void **state)
{
	(void)state;
	writes("{'metrics':['paid'],'by':['color']}", DIALECT_MSSQL,
	       "SELECT q.d1 AS \"Color\", q.m1 AS \"Paid\" FROM (SELECT t3.color AS d1,"
	       " SUM(t1.paid) AS m1 FROM refund t1 LEFT JOIN sale t2 ON t1.sale = t2.id AND"
	       " t2.tenant_id = :tenant_id LEFT JOIN product t3 ON t2.product = t3.id AND"
	       " t3.tenant_id = :tenant_id WHERE t1.tenant_id = :tenant_id GROUP BY t3.color) q"
	       " ORDER BY CASE WHEN q.m1 IS NULL THEN 1 ELSE 0 END, q.m1 DESC, q.d1"
	       " OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY");
	writes("{'metrics':['paid'],'where':[{'name':'channel','op':'is','values':['web']}]}",
	       DIALECT_MSSQL,
	       "SELECT q.m1 AS \"Paid\" FROM (SELECT SUM(t1.paid) AS m1 FROM refund t1 LEFT JOIN"
	       " sale t2 ON t1.sale = t2.id AND t2.tenant_id = :tenant_id WHERE t1.tenant_id ="
	       " :tenant_id AND t2.channel = :w1) q ORDER BY 1 OFFSET 0 ROWS FETCH NEXT"
	       " :row_limit ROWS ONLY");
}

static void lists_with_metrics_of_other_entities(void **state)
{
	(void)state;
	writes("{'list':'product','show':['color'],'having':[{'name':'reviews','op':'at_least',"
	       "'values':[2]}],'order':[{'name':'color','dir':'desc'}]}",
	       DIALECT_MSSQL,
	       "SELECT t1.name AS \"Product\", t1.color AS \"Color\","
	       " COALESCE(h1.m1, 0) AS \"Reviews\" FROM product t1"
	       " LEFT JOIN (SELECT t3.id AS k1, COUNT(*) AS m1 FROM review t2"
	       " JOIN product t3 ON t2.product = t3.id AND t3.tenant_id = :tenant_id"
	       " WHERE t2.tenant_id = :tenant_id GROUP BY t3.id) h1 ON h1.k1 = t1.id"
	       " WHERE t1.tenant_id = :tenant_id AND COALESCE(h1.m1, 0) >= :w1"
	       " ORDER BY CASE WHEN t1.color IS NULL THEN 1 ELSE 0 END, t1.color DESC, t1.name,"
	       " t1.id OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY");
}

/* All comparisons of a named condition apply to the same row, of the counted entity or of one that
 * belongs to it. An unknown comparison counts as false. */
static void named_condition_applies_to_one_row(void **state)
{
	const struct map_statement s = written(
		"{'metrics':['sales'],'where':[{'name':'fresh','op':'is'}]}", DIALECT_SQLITE);

	(void)state;
	assert_string_equal(args_find(&s.values, "w1")->values[0].text, "2026-01-28");
	assert_int_equal(args_find(&s.values, "w1")->values[0].type, VALUE_DATE);
	assert_string_equal(args_find(&s.values, "w2")->values[0].text, "web");
	writes("{'metrics':['sales'],'where':[{'name':'fresh','op':'is'}]}", DIALECT_SQLITE,
	       "SELECT CAST(q.m1 AS integer) AS \"Sales\" FROM (SELECT COUNT(*) AS m1 FROM sale t1"
	       " WHERE t1.tenant_id = :tenant_id AND t1.day >= :w1"
	       " AND (t1.channel <> :w2 OR t1.channel IS NULL)) q ORDER BY 1"
	       " OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY");
	for (enum dialect d = DIALECT_MSSQL; d < DIALECT_COUNT; d++)
		assert_non_null(strstr(
			written("{'metrics':['sales'],'where':[{'name':'fresh','op':'not'}]}", d)
				.text,
			"AND CASE WHEN t1.day >= :w1 AND (t1.channel <> :w2 OR"
			" t1.channel IS NULL) THEN 1 ELSE 0 END = 0"));
	writes("{'list':'product','show':['color'],'where':[{'name':'fresh','op':'is'},"
	       "{'name':'praised','op':'not'}]}",
	       DIALECT_POSTGRES,
	       "SELECT t1.name AS \"Product\", t1.color AS \"Color\" FROM product t1"
	       " WHERE t1.tenant_id = :tenant_id"
	       " AND EXISTS (SELECT 1 FROM sale t2 WHERE t2.product = t1.id"
	       " AND t2.tenant_id = :tenant_id AND t2.day >= :w1"
	       " AND (t2.channel <> :w2 OR t2.channel IS NULL))"
	       " AND NOT EXISTS (SELECT 1 FROM review t3 WHERE t3.product = t1.id"
	       " AND t3.tenant_id = :tenant_id AND t3.stars >= :w3)"
	       " ORDER BY t1.name, t1.id OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY");
}

static void writes_time_buckets_by_dialect(void **state)
{
	static const struct {
		enum grain grain;
		const char *text[DIALECT_COUNT];
	} cases[] = {
		{GRAIN_MONTH,
		 {"CONVERT(char(7), d, 126)", "to_char(d, 'YYYY-MM')", "substr(d, 1, 7)"}},
		{GRAIN_YEAR,
		 {"YEAR(d)", "CAST(EXTRACT(YEAR FROM d) AS int)", "CAST(substr(d, 1, 4) AS int)"}},
		{GRAIN_WEEKDAY,
		 {"((DATEPART(weekday, d) + @@DATEFIRST - 2) % 7 + 1)",
		  "CAST(EXTRACT(ISODOW FROM d) AS int)",
		  "((CAST(strftime('%w', d) AS int) + 6) % 7 + 1)"}},
		{GRAIN_QUARTER,
		 {"CONCAT(YEAR(d), '-Q', DATEPART(quarter, d))", "to_char(d, 'YYYY-\"Q\"Q')",
		  "substr(d, 1, 4) || '-Q' || ((CAST(substr(d, 6, 2) AS int) + 2) / 3)"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (enum dialect d = DIALECT_MSSQL; d < DIALECT_COUNT; d++)
			assert_string_equal(map_grain(d, cases[i].grain, COLUMN_DATE, "d", arena),
					    cases[i].text[d]);
}

/* Texts for prompts contain columns only of requested tables, whose number is limited. */
static void lists_columns_of_requested_tables_only(void **state)
{
	const char *const two[] = {"shop", "label"};
	struct map_problem why;
	struct err e = {0};
	struct buf text;

	(void)state;
	buf_init(&text, MAP_TEXT_BYTES_MAX);
	map_compact(map, NULL, &text);
	assert_null(strstr(buf_text(&text), "Shop City"));
	assert_null(strstr(buf_text(&text), "shop_label"));
	assert_non_null(strstr(buf_text(&text), "shop -> label*\n"));
	buf_reset(&text);
	assert_true(map_schema(map, NULL, two, 2, &text, &why, &e));
	assert_non_null(strstr(buf_text(&text), "Shop City"));
	assert_non_null(strstr(buf_text(&text), "via shop_label: shop.id = shop_label.shop"));
	assert_null(strstr(buf_text(&text), "amount"));
	assert_false(map_schema(map, NULL, (const char *const[]){"shops"}, 1, &text, &why, &e));
	assert_false(map_schema(map, NULL, two, MAP_SCHEMA_TABLES_MAX + 1, &text, &why, &e));
	buf_deinit(&text);
}

/* A query that code derived from another one may compare or sort by a metric that it does not
 * request. */
static void refuses_comparing_unrequested_metrics(void **state)
{
	static const char *const queries[] = {
		"{'metrics':['sales','amount'],'by':['color'],'having':[{'name':'amount',"
		"'op':'over','values':[1]}]}",
		"{'metrics':['sales','web_share'],'by':['color'],'order':[{'name':'web_share','dir'"
		":'desc'}]}",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct map_query q;
		struct map_problem why = {0};
		struct map_statement s;
		struct err e = {0};

		assert_true(read_only(queries[i], NULL, &q, &why, &e));
		assert_true(map_write(map, &q, DIALECT_SQLITE, arena, &s, &why, &e));
		q.metric_count = 1;
		assert_false(map_write(map, &q, DIALECT_SQLITE, arena, &s, &why, &e));
		assert_string_equal(why.code, MAP_BAD_VALUE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(joins_with_whole_keys_and_binds_values),
		TEST(avoids_sqlite_index_without_all_columns),
		TEST(uses_exists_across_steps_to_many),
		TEST(uses_the_last_count_of_a_stock),
		TEST(divides_sums_for_a_ratio),
		TEST(compares_two_periods),
		TEST(separates_rows_with_the_same_title),
		TEST(keeps_rows_without_a_partner),
		TEST(lists_with_metrics_of_other_entities),
		TEST(named_condition_applies_to_one_row),
		TEST(writes_time_buckets_by_dialect),
		TEST(lists_columns_of_requested_tables_only),
		TEST(refuses_comparing_unrequested_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
