/* SQLite statements for an entity with declared indexes: rows are summed by day before months, and
 * no rows are looked up by a column with few distinct values. */
#include "map_test.h"

#define SALE    " 'plural':'sale rows'"
#define INDEXES SALE ",'indexes':[['channel','amount'],['day','amount']],'coarse':['channel','day']"

static int set_up_indexes(void **state)
{
	static char text[2 * sizeof(star)];
	const char *at = strstr(star, SALE);

	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - star), star, INDEXES,
		 at + strlen(SALE));
	star_with = text;
	return set_up(state);
}

static void has(const char *query, enum dialect d, const char *part)
{
	const char *text = squeezed(written(query, d).text);

	if (!strstr(text, part))
		fail_msg("%s: %s", query, text);
}

static void lacks(const char *query, enum dialect d, const char *part)
{
	const char *text = squeezed(written(query, d).text);

	if (strstr(text, part))
		fail_msg("%s: %s", query, text);
}

static void sums_days_before_months(void **state)
{
	(void)state;
	has("{'metrics':['amount','average','biggest','sales'],'by':['sale_day.month'],"
	    "'period':{'start':'2025-03-01','end':'2025-03-31'}}",
	    DIALECT_SQLITE,
	    "FROM (SELECT substr(s.day, 1, 7) AS d1, EXACT_SUM(s.m1) AS m1, EXACT_AVG(s.m2) AS m2,"
	    " MAX(s.m3) AS m3, SUM(s.m4) AS m4"
	    " FROM (SELECT t1.day AS day, EXACT_PART(t1.amount) AS m1, EXACT_PART(t1.amount) AS m2,"
	    " MAX(t1.amount) AS m3, COUNT(*) AS m4"
	    " FROM sale t1 WHERE t1.tenant_id = :tenant_id AND t1.day >= :w1 AND t1.day <= :w2"
	    " GROUP BY t1.day) s GROUP BY substr(s.day, 1, 7)) q ORDER BY q.d1");
	has("{'metrics':['amount'],'by':['sale_day.week']}", DIALECT_SQLITE, "EXACT_PART");
	has("{'metrics':['amount'],'by':['sale_day']}", DIALECT_SQLITE,
	    "SUM(t1.amount) AS m1 FROM sale t1 WHERE t1.tenant_id = :tenant_id GROUP BY t1.day)");
}

static void sums_rows_if_sums_of_days_are_not_possible(void **state)
{
	static const char *const queries[] = {
		"{'metrics':['buyers'],'by':['sale_day.month']}",
		"{'metrics':['web_sales'],'by':['sale_day.month']}",
		"{'metrics':['amount'],'by':['sale_day.month','channel']}",
		"{'metrics':['amount'],'by':['sale_day.month','city']}",
		"{'metrics':['amount'],'by':['sale_day.month'],'where':[{'name':'channel','op':'is'"
		","
		"'values':['web']}]}",
		"{'metrics':['amount'],'by':['channel']}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		lacks(queries[i], DIALECT_SQLITE, "EXACT_");
	lacks("{'metrics':['amount'],'by':['sale_day.year'],'where':[{'name':'fresh','op':'is'}]}",
	      DIALECT_SQLITE, "EXACT_");
	for (enum dialect d = DIALECT_MSSQL; d < DIALECT_COUNT; d++)
		if (d != DIALECT_SQLITE)
			lacks("{'metrics':['amount'],'by':['sale_day.month']}", d, "EXACT_");
}

static void scans_instead_of_looking_up_frequent_values(void **state)
{
	static const struct {
		const char *query, *condition;
		enum dialect dialect;
	} cases[] = {
		{"{'metrics':['buyers'],'where':[{'name':'channel','op':'is','values':['web']}]}",
		 "AND +t1.channel = :w1", DIALECT_SQLITE},
		{"{'metrics':['buyers'],'where':[{'name':'channel','op':'is','values':['web']}]}",
		 "AND t1.channel = :w1", DIALECT_POSTGRES},
		{"{'metrics':['buyers'],'period':{'start':'2025-03-01','end':'2025-03-31'}}",
		 "AND +t1.day >= :w1 AND +t1.day <= :w2", DIALECT_SQLITE},
		/* one day has few rows */
		{"{'metrics':['buyers'],'where':[{'name':'sale_day','op':'is','values':['2025-03-"
		 "01'"
		 "]}]}",
		 "AND t1.day = :w1", DIALECT_SQLITE},
		{"{'metrics':['buyers'],'period':{'start':'2025-03-01','end':'2025-03-01'}}",
		 "AND t1.day >= :w1 AND t1.day <= :w2", DIALECT_SQLITE},
		/* an index covers the query */
		{"{'metrics':['amount'],'where':[{'name':'channel','op':'is','values':['web']}]}",
		 "AND t1.channel = :w1", DIALECT_SQLITE},
		{"{'metrics':['amount'],'period':{'start':'2025-03-01','end':'2025-03-31'}}",
		 "AND t1.day >= :w1 AND t1.day <= :w2", DIALECT_SQLITE},
		{"{'metrics':['amount'],'by':['channel'],'where':[{'name':'channel','op':'not',"
		 "'values':['web']}]}",
		 "GROUP BY t1.channel)", DIALECT_SQLITE},
		{"{'metrics':['amount'],'by':['channel'],'period':{'start':'2025-03-01','end':"
		 "'2025-03-31'}}",
		 "GROUP BY +t1.channel)", DIALECT_SQLITE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		has(cases[i].query, cases[i].dialect, cases[i].condition);
}

int main(void)
{
#define INDEXED(name) cmocka_unit_test_setup_teardown(name, set_up_indexes, tear_down)
	const struct CMUnitTest tests[] = {
		INDEXED(sums_days_before_months),
		INDEXED(sums_rows_if_sums_of_days_are_not_possible),
		INDEXED(scans_instead_of_looking_up_frequent_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
