/* A list over the map that exceeds the row limit of the pack's protocol: its first rows, the counts
 * by facet value, and the query of each choice. */
#include "tool_test.h"

#define SHOWN 2

static const char catalogue[] =
	"{'views': [{'name': 'dbo.prices', 'about': 'of the tool that is there'},"
	"{'name': 'thing', 'about': 'x', 'columns': ['tenant_id', {'name':'id','type':'int'},"
	" 'name', 'color', {'name':'weight','type':'int'}]}],"
	"'entities': [{'name':'thing','about':'x','view':'thing','key':['id'],'title':'name',"
	" 'facets':['color','weight'],'show':['color']}],"
	"'dimensions': [{'name': 'market', 'label': 'market', 'values': ['East', 'West']},"
	"{'name': 'hub', 'label': 'hub', 'parent': 'market',"
	" 'values': {'East': ['E1', 'E2'], 'West': ['W1']}},"
	"{'name': 'file', 'filter': 'file_name', 'view': 'dbo.prices', 'column': 'file'},"
	"{'name':'color','label':'color','entity':'thing','column':'color','load':false},"
	"{'name':'weight','label':'weight','entity':'thing','column':'weight','type':'int',"
	" 'bins':[0,10,100]}],"
	"'protocol': {'max_rounds': 3, 'max_tables_per_request': 2, 'select_limit': 2,"
	" 'steps': [{'id': 'look', 'about': 'x', 'may_call': {'query_things': 'look'}}]},"
	" 'calendar': {'peak_first_hour': 7, 'peak_last_hour': 22}}";

#define TOOL                                                                                       \
	"-- tool: query_things\n-- about: x\n-- permission: chat:read\n-- map: query\n"            \
	"-- param query text required The question as JSON\n"

static void write_with_quotes(const char *path, const char *text)
{
	char *quoted = mem_strdup(text);

	for (char *p = quoted; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	temp_root_write(&root, path, quoted);
	mem_free(quoted);
}

static int set_up_map(void **state)
{
	struct err e = {0};
	char *domain;

	set_up(state);
	write_with_quotes("config/energy/catalogue.json", catalogue);
	temp_root_write(&root, "sql/energy/prices/query_things.sql", TOOL);
	domain = mem_printf("%.*s  - query_things\n%s",
			    (int)(strstr(SMALL_DOMAIN, "order:") - SMALL_DOMAIN), SMALL_DOMAIN,
			    strstr(SMALL_DOMAIN, "order:"));
	temp_root_write(&root, SMALL_DOMAIN_PATH, domain);
	mem_free(domain);
	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	return 0;
}

static const struct result *list_things(const char *query)
{
	char *text = mem_printf("{'query': %s}", query);
	const struct result *r = call_tool("query_things", text);

	mem_free(text);
	return r;
}

/* Three rows; the source marks the table as truncated. */
static void record_three_rows(void)
{
	recording_db_table(&recorded, "Thing|Color", "a|red", "b|red", "c|blue", NULL);
	recorded.tables[0]->truncated = true;
}

static const struct suggestion *find_suggestion(const struct result *r, const char *label)
{
	for (size_t i = 0; i < r->outcome.suggestion_count; i++)
		if (strcmp(r->outcome.suggestions[i].label, label) == 0)
			return &r->outcome.suggestions[i];
	return NULL;
}

static void counts_long_list_by_its_facets(void **state)
{
	const struct suggestion *s;
	const struct result *r;

	(void)state;
	record_three_rows();
	recording_db_table(&recorded, "Color|Things", "red|4", "blue|3", "|1", NULL);
	recording_db_table(&recorded, "Weight|Things", "10|5", "0|2", "100|1", NULL);
	r = list_things("{'list': 'thing'}");
	assert_int_equal(recorded.queries, 2);
	assert_int_equal(recorded.statement_count, 2);
	assert_string_equal(recorded.statements[0].name, "query_things/color");
	assert_int_equal(r->tables[0]->total_rows, 8); /* includes the one without a color */
	assert_true(r->tables[0]->is_total_exact);
	assert_string_equal(r->outcome.param, "query");
	assert_non_null(strstr(r->outcome.detail, "8"));
	s = find_suggestion(r, "red (4)");
	assert_non_null(s);
	assert_string_equal(s->group, "color");
	assert_non_null(strstr(s->value, "\"where\":[{\"name\":\"color\",\"op\":\"is\","
					 "\"values\":[\"red\"]}]"));
	/* NULL is not a choice */
	assert_int_equal(r->outcome.suggestion_count, 5);
	assert_string_equal(r->outcome.suggestions[2].group, "weight");
	assert_non_null(strstr(r->outcome.suggestions[2].value, "\"op\":\"between\",\"values\":"
								"[\"0\",\"9\"]"));
	assert_non_null(strstr(r->outcome.suggestions[4].value,
			       "\"op\":\"at_least\",\"values\":[\"100\"]"));
}

/* A chosen facet is not offered again. A list that fits or has a limit is not counted. */
static void counts_only_lists_that_can_be_narrowed(void **state)
{
	const struct result *r;

	(void)state;
	record_three_rows();
	recording_db_table(&recorded, "Weight|Things", "0|5", NULL);
	r = list_things(
		"{'list': 'thing', 'where': [{'name': 'color', 'op': 'is', 'values': ['red']}]}");
	assert_int_equal(recorded.statement_count, 1);
	assert_string_equal(recorded.statements[0].name, "query_things/weight");
	assert_non_null(strstr(recorded.statements[0].text, "color"));
	assert_int_equal(r->outcome.suggestion_count, 1);
	recorded.queries = 0;
	recording_db_table(&recorded, "Thing|Color", "a|red", NULL);
	r = list_things("{'list': 'thing'}");
	assert_int_equal(recorded.queries, 1);
	assert_int_equal(r->outcome.suggestion_count, 0);
	recorded.queries = 0;
	record_three_rows();
	r = list_things("{'list': 'thing', 'top': 2}");
	assert_int_equal(recorded.queries, 1);
}

/* If counting fails, the first rows are still the answer. */
static void failed_counts_keep_first_rows(void **state)
{
	static const struct err failure = {.code = ERR_UPSTREAM, .text = "lost"};
	const struct result *r;

	(void)state;
	record_three_rows();
	recorded.err = &failure;
	recorded.err_after = 1;
	r = list_things("{'list': 'thing'}");
	assert_int_equal(r->outcome.kind, OUTCOME_ROWS);
	assert_int_equal(r->outcome.suggestion_count, 0);
	assert_null(r->outcome.param);
	assert_true(r->tables[0]->row_count >= SHOWN);
}

#define TEST_MAP(name) cmocka_unit_test_setup_teardown(name, set_up_map, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_MAP(counts_long_list_by_its_facets),
		TEST_MAP(counts_only_lists_that_can_be_narrowed),
		TEST_MAP(failed_counts_keep_first_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
