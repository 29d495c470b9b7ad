/*
 * Compares the output of projections and views with /openapi.json, field by field: each kind of
 * event with all and with only its required members, each kind of view, and the recorded turns of
 * tests/replay.
 */
#include "turn_log.h"

#include <glob.h>
#include <stdio.h>

#include "port/problem.h"
#include "sample_results.h"
#include "schema_check.h"
#include "vesper/file.h"
#include "vesper/view.h"
#include "vesper/wire.h"

#define ID          "0193b0a0-0000-7000-8000-000000000001"
#define OTHER_ID    "0193b0a0-0000-7000-8000-000000000002"
#define BYTES_MAX   (8 << 20)
#define GOLDEN_GLOB VESPER_SOURCE_DIR "/tests/replay/golden/*.txt"

static struct schema_check doc;
static json_t *doc_root;

static int setup_doc(void **state)
{
	struct err e;

	if (!json_parse_file(VESPER_SOURCE_DIR "/src/transport/rest/openapi.json", &doc_root, &e))
		fail_msg("%s", e.text);
	doc.schemas = json_object_get(json_object_get(doc_root, "components"), "schemas");
	return setup(state);
}

static int teardown_doc(void **state)
{
	json_decref(doc_root);
	return teardown(state);
}

static void check_json(const char *schema, json_t *take)
{
	char *text;

	doc.marks = true;
	*doc.why = '\0';
	if (!schema_check(&doc, json_object_get(doc.schemas, schema), take, schema)) {
		text = json_text(take);
		fail_msg("%s\n%s", doc.why, text);
	}
	json_decref(take);
}

static void check_text(const char *schema, struct str text)
{
	struct err e;
	json_t *v;

	if (!json_parse(text.p, text.n, BYTES_MAX, &v, &e))
		fail_msg("%s: %.*s", e.text, STR_FMT(text));
	check_json(schema, v);
}

/* ---- events ---- */

static struct stream_log *log_new(void)
{
	return stream_open(hub, uuid_new().text, uuid_new().text, &ann, NULL, NULL);
}

static void check_items_of(struct stream_log *log, const struct projection *p, bool merging,
			   const char *schema)
{
	struct wire_reader *r = wire_reader_new(log, p, 0, on_nothing, NULL);
	struct str item;

	while (wire_next(r, merging, &item)) {
		const char *data = memmem(item.p, item.n, "\ndata: ", 7);
		const char *from = data ? data + 7 : item.p;

		check_text(schema, (struct str){from, item.n - (size_t)(from - item.p)});
	}
	wire_reader_free(&r);
}

static void check_problem(struct stream_log *log, struct wire_problem problem)
{
	json_t *body = problem_json(code_of_wire(problem.code), problem.message, "/", "r");
	struct buf text;

	json_set_str(body, "turn_id", stream_turn_id(log));
	json_set_str(body, "session_id", stream_session_id(log));
	buf_init(&text, BYTES_MAX);
	buf_json(&text, body);
	buf_cut(&text, text.n - 1);
	buf_printf(&text, ",%.*s}", STR_FMT(problem.members));
	check_text("Problem", (struct str){buf_text(&text), text.n});
	buf_deinit(&text);
	json_decref(body);
}

static void check_response(struct stream_log *log)
{
	struct stream_watch *w = stream_watch_new(log, 0, on_nothing, NULL);
	struct wire_response *response = wire_response_new();
	const struct stream_entry *entry;
	struct buf text;

	while ((entry = stream_read(w)))
		wire_response_add(response, entry->event);
	buf_init(&text, BYTES_MAX);
	if (wire_response_ok(response)) {
		wire_response_write(response, log, &text);
		check_text("Answer", (struct str){buf_text(&text), text.n});
	} else {
		check_problem(log, wire_response_problem(response));
	}
	buf_deinit(&text);
	wire_response_free(&response);
	stream_watch_free(&w);
}

/* Ends the log with this event and reads it through every projection. */
static void check_log(struct stream_log *log, const struct event *last)
{
	emit(log, last);
	check_items_of(log, &wire_chat, false, "Frame");
	check_items_of(log, &wire_chat, true, "Frame");
	check_items_of(log, &wire_sse, false, "StreamEvent");
	check_response(log);
	stream_release(&log);
}

static void emit_view_json(struct stream_log *log, json_t *take)
{
	char *text = json_text(take);

	emit_view(log, json_string_value(json_object_get(take, "view_id")), text);
	mem_free(text);
	json_decref(take);
}

static void emit_as_view(struct stream_log *log, const struct buf *view)
{
	emit_view(log, "c1-v1", buf_text(view));
}

static struct event minimal_run_finished(void)
{
	return (struct event){.kind = EVENT_RUN_FINISHED,
			      .u.run_finished = {.session_id = ID,
						 .message_id = OTHER_ID,
						 .status = "ok",
						 .provider = "rules"}};
}

static struct event full_run_finished(void)
{
	struct event e = minimal_run_finished();
	struct event_run_finished *f = &e.u.run_finished;

	f->model = "m";
	f->receipt_id = ID;
	f->approved = STR("{\"name\":\"price\",\"approved_by\":\"ann\","
			  "\"approved_at\":\"2026-02-27T09:00:00.000Z\"}");
	f->latency_ms = 1;
	f->status = "partial";
	f->links = STR("[{\"report_key\":\"k\",\"report_name\":\"n\",\"menu_key\":\"m\",\"url\":"
		       "\"https://example.com\"}]");
	f->suggestions = STR("[{\"label\":\"l\",\"question\":\"q\",\"priority\":\"primary\"}]");
	f->usage = STR("{\"calls\":1,\"input_tokens\":2,\"cache_read_tokens\":3,"
		       "\"cache_write_tokens\":4,\"output_tokens\":5,\"by\":{\"route\":{"
		       "\"calls\":1,\"input_tokens\":1,\"output_tokens\":1},\"agent\":{\"calls\":1,"
		       "\"input_tokens\":1,\"output_tokens\":1},\"answer\":{\"calls\":1,"
		       "\"input_tokens\":1,\"output_tokens\":1}},\"cost_usd\":0.5,\"budget\":{"
		       "\"scope\":\"user\",\"period\":\"day\",\"unit\":\"usd\","
		       "\"used_percent\":90}}");
	f->checked = STR(
		"{\"policy\":\"flag\",\"bound\":1,\"unbound\":0,\"unchecked\":0,"
		"\"items\":[{\"kind\":\"bound\",\"start\":0,\"len\":1,\"ref\":{\"call\":"
		"\"c1\"},\"text\":\"7\"},{\"kind\":\"cite\",\"start\":2,\"len\":3,\"n\":1,\"text\":"
		"\"[1]\"}],\"citations\":{\"valid\":1,\"invalid\":0,\"missing\":0,\"unverified\":0,"
		"\"mismatch\":0}"
		","
		"\"sources\":[{\"n\":1,\"document\":\"Policy\",\"uid\":\"" ID "\",\"version\":\"" ID
		"\",\"heading\":\"H\",\"quote\":\"words\",\"start\":0,\"end\":5}]}");
	f->outcomes = STR("[{\"call\":\"c1\",\"agent\":\"a\",\"tool\":\"t\",\"outcome\":\"rows\","
			  "\"rows\":1,\"truncated\":true,\"truncation_reason\":\"row cap\"}]");
	f->tasks = STR("{\"completed\":1,\"failed\":1,\"skipped\":0}");
	f->error = STR("{\"code\":\"timeout\",\"message\":\"Too slow.\"}");
	return e;
}

static void emit_start(struct stream_log *log)
{
	static const char *const phases[] = {"understanding", "planning",   "running", "writing",
					     "checking",      "recovering", "moved"};

	emit(log, &(struct event){.kind = EVENT_RUN_STARTED,
				  .u.run_started = {ID, ID, OTHER_ID, "mine"}});
	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++)
		emit(log, &(struct event){.kind = EVENT_STATUS, .u.status = {phases[i], "text"}});
	emit(log, &(struct event){
			  .kind = EVENT_FILTERS,
			  .u.filters.filters = STR(
				  "[{\"name\":\"n\",\"value\":[1],\"label\":\"l\",\"source\":"
				  "\"said\",\"said\":\"s\",\"editable\":true,\"param\":\"p\"}]")});
}

static void emit_steps(struct stream_log *log)
{
	emit(log,
	     &(struct event){.kind = EVENT_PLAN,
			     .u.plan.body = STR(
				     "{\"plan_id\":\"p1\",\"origin\":\"flow\",\"flow\":\"f\","
				     "\"tasks\":[{\"id\":\"t\",\"kind\":\"tool\",\"agent\":"
				     "\"a\",\"tool\":\"t\",\"about\":\"x\",\"depends_on\":[\"u\"],"
				     "\"condition\":\"c\",\"wave\":1}]}")});
	emit(log, &(struct event){.kind = EVENT_STEP_STARTED,
				  .u.step_started = {"c1", "agent", "tool", "tool", "text", "t1",
						     "t1", STR("{}")}});
	emit(log, &(struct event){.kind = EVENT_STEP_STARTED,
				  .u.step_started = {.step_id = "c2", .text = "text"}});
	for (int k = 0; k < OUTCOME_KIND_COUNT; k++)
		emit(log, &(struct event){
				  .kind = EVENT_STEP_FINISHED,
				  .u.step_finished = {.step_id = "c1",
						      .agent = "agent",
						      .tool = "tool",
						      .text = "text",
						      .task = "t1",
						      .parent = "t1",
						      .state = k ? "failed" : "completed",
						      .outcome = outcome_name((enum outcome_kind)k),
						      .rows = k - 1}});
}

static void emit_stages(struct stream_log *log)
{
	static const char *const outputs[][2] = {{"guardrail", "{\"passed\":true}"},
						 {"planning", "{\"tasks\":2}"},
						 {"chart", "{\"chart_type\":\"bar\"}"},
						 {"chart", "{\"chart_type\":null}"}};
	struct event e = {
		.kind = EVENT_USAGE,
		.u.usage = {.role = "answer",
			    .budget = 1,
			    .used = 2,
			    .estimate = true,
			    .by = STR("{\"prompt\":0,\"schema\":0,\"examples\":0,\"history\":0,"
				      "\"results\":0,\"documents\":0,\"question\":2}")}};

	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		emit(log, &(struct event){.kind = EVENT_STAGE_STARTED,
					  .u.stage_started = {"s1", outputs[i][0], "text"}});
		emit(log, &(struct event){.kind = EVENT_STAGE_FINISHED,
					  .u.stage_finished = {"s1", outputs[i][0], "text",
							       i ? "completed" : "failed",
							       str_of(outputs[i][1])}});
	}
	emit(log, &e);
	e.u.usage.estimate = false;
	e.u.usage.model = "m";
	emit(log, &e);
}

static void emit_marked_text(struct stream_log *log)
{
	static const char *const kinds[] = {"bound", "unbound", "withheld", "unchecked", "cite"};

	emit_text(log, "It ");
	emit_text(log, "was ");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		emit(log, &(struct event){.kind = EVENT_TEXT_DELTA,
					  .u.text_delta = {.text = STR("7"),
							   .marked = true,
							   .mark = {.kind = kinds[i],
								    .why = i == 3 ? "rank" : NULL,
								    .len = 1,
								    .n = i == 4,
								    .has_ref = i == 0,
								    .call = "c1",
								    .column = "Price",
								    .formula = "3 + 4"}}});
}

static void emit_asks(struct stream_log *log)
{
	emit(log,
	     &(struct event){
		     .kind = EVENT_ASK,
		     .u.ask = {"Which?",
			       STR("{\"ask_id\":\"" ID "\",\"prompt\":\"Which?\",\"input\":"
				   "\"multiple\",\"options\":[{\"value\":\"v\",\"label\":\"l\","
				   "\"group\":\"g\"}],\"min\":1,\"max\":2,\"min_date\":"
				   "\"2026-01-01\",\"max_date\":\"2026-01-02\",\"filter\":"
				   "\"f\",\"hint\":\"h\",\"skip\":{\"value\":\"v\",\"label\":"
				   "\"l\"},\"expires_at\":\"2026-01-01T00:00:00Z\"}")}});
	emit(log, &(struct event){.kind = EVENT_ASK,
				  .u.ask = {"When?", STR("{\"ask_id\":\"" ID
							 "\",\"prompt\":\"When?\",\"input\":"
							 "\"date\",\"filter\":\"f\",\"expires_at\":"
							 "\"2026-01-01T00:00:00Z\"}")}});
}

static void every_event_matches_the_schema(void **state)
{
	struct stream_log *log = log_new();
	struct event last = full_run_finished();

	(void)state;
	emit_start(log);
	emit_steps(log);
	emit_stages(log);
	emit_marked_text(log);
	emit(log, &(struct event){.kind = EVENT_VIEW,
				  .u.view = {"b-v1", "agent", "t1",
					     STR("{\"view_type\":\"base\",\"view_id\":\"b-v1\","
						 "\"text\":\"words\"}")}});
	emit_asks(log);
	check_log(log, &last);
	log = log_new();
	emit(log,
	     &(struct event){.kind = EVENT_RUN_STARTED, .u.run_started = {ID, ID, OTHER_ID, NULL}});
	last = minimal_run_finished();
	check_log(log, &last);
}

static void every_error_matches_the_schema(void **state)
{
	const struct view_error error = {.code = "TIMEOUT", .text = "Too slow."};
	json_t *view = view_error(&error, "error-v1");
	char *text = json_text(view);

	(void)state;
	for (int c = 0; c < CODE_COUNT; c++) {
		struct event last = {.kind = EVENT_ERROR,
				     .u.error = {.code = code_row((enum code)c)->wire,
						 .message = "Sorry.",
						 .retry_after_ms = c,
						 .detail_turn_id = c % 2 ? ID : NULL}};

		if (c % 3)
			last.u.error.suggestions = STR("[\"Ask again.\"]");
		if (c % 3)
			last.u.error.view = str_of(text);
		check_log(log_new(), &last);
		check_json("Problem", problem_json((enum code)c, NULL, "/", "r"));
	}
	mem_free(text);
	json_decref(view);
}

/* ---- views ---- */

static const struct sample_column hour_columns[] = {
	{"Vendor", NULL, COLUMN_TEXT},
	{"Hour", NULL, COLUMN_INT},
	{"AvgPrice", "$/MWh", COLUMN_DECIMAL},
};
static const char *const hour_cells[] = {"Ascend", "1",      "48.7300", "Ascend", "2",
					 "49.5",   "Ascend", "3",       "50.25"};

static void emit_table_views(struct stream_log *log)
{
	struct arena *a = arena_new(1 << 20);
	struct table *t = sample_table(hour_columns, 3, hour_cells, 3);
	struct result *r = asked_result(a, t);
	struct buf text;

	buf_init(&text, BYTES_MAX);
	r->task = "t1";
	r->sql = "SELECT 1";
	view_data(&text, r, t, "c1-v1", a);
	emit_as_view(log, &text);
	buf_reset(&text);
	assert_true(view_chart(&text, r, "c1-v2", CHART_NO_PREFERENCE));
	emit_as_view(log, &text);
	result_facts_truncated(r, a);
	buf_reset(&text);
	assert_true(view_chart(&text, r, "c1-v2", CHART_NO_PREFERENCE));
	emit_as_view(log, &text);
	t->truncated = true;
	t->truncation = "row cap";
	buf_reset(&text);
	view_data(&text, r, t, "c1-v1", a);
	emit_as_view(log, &text);
	buf_deinit(&text);
	arena_free(&a);
}

static void emit_outcome_views(struct stream_log *log)
{
	static const struct suggestion candidate = {"v", "l", "g"};

	for (int k = OUTCOME_ROWS + 1; k < OUTCOME_KIND_COUNT; k++) {
		struct arena *a = arena_new(1 << 20);
		struct result *r = asked_result(a, NULL);

		r->outcome = (struct outcome){.kind = (enum outcome_kind)k,
					      .retryable = true,
					      .param = "hub_zone",
					      .range_min = "2024",
					      .range_max = "2027",
					      .detail = "Nothing.",
					      .suggestions = &candidate,
					      .suggestion_count = 1};
		emit_view_json(log, view_outcome(r, "c1-v1"));
		arena_free(&a);
	}
}

static void every_view_matches_the_schema(void **state)
{
	const char *advice[] = {"Ask for one year.", NULL};
	const struct view_error error = {
		.code = "AMBIGUOUS_REFERENCE", .text = "Which?", .suggestions = advice};
	struct stream_log *log = log_new();
	struct event last = minimal_run_finished();

	(void)state;
	emit_table_views(log);
	emit_outcome_views(log);
	emit_view_json(log, view_error(&error, "error-v1"));
	emit_view_json(log, json_make({"view_type", json_str("component")},
				      {"view_id", json_str("show1-v1")},
				      {"component", json_str("Card")}, {"props", json_object()},
				      {"text", json_str("2 projects")}, {"alt", json_str("Cards")},
				      {"calls", json_list_of(json_str("c1"))}));
	check_log(log, &last);
}

/* ---- recorded turns ---- */

static void check_line(char *line, bool is_response)
{
	static const char stored[] = "views: ";
	json_t *views, *one;
	size_t i;

	for (char *at = line; (at = strstr(at, "_ms\":N")); at++)
		at[5] = '0'; /* the recording has no durations */
	if (str_starts(str_of(line), STR("data: "))) {
		check_text("StreamEvent", str_of(line + strlen("data: ")));
	} else if (is_response) {
		check_text("Answer", str_of(line));
	} else if (str_starts(str_of(line), str_of(stored))) {
		assert_true(json_parse(line + strlen(stored), strlen(line) - strlen(stored),
				       BYTES_MAX, &views, NULL));
		json_array_foreach(views, i, one)
			check_json("View", json_incref(one));
		json_decref(views);
	}
}

static void every_recorded_turn_matches_the_schema(void **state)
{
	glob_t found;

	(void)state;
	assert_int_equal(glob(GOLDEN_GLOB, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *in = fopen(found.gl_pathv[i], "r");
		char *line = NULL;
		bool is_response = false;
		size_t capacity = 0;
		ssize_t n;

		assert_non_null(in);
		while ((n = getline(&line, &capacity, in)) > 0) {
			line[n - 1] = '\0';
			check_line(line, is_response);
			is_response = strcmp(line, "== whole") == 0;
		}
		free(line);
		fclose(in);
	}
	globfree(&found);
}

/* Must run last: a member that no test above has seen is never written, or lacks a test. */
static void schema_has_no_unused_member(void **state)
{
	static const char *const schemas[] = {"StreamEvent", "Frame", "Answer", "Problem"};
	struct buf unseen;

	(void)state;
	buf_init(&unseen, BYTES_MAX);
	for (size_t i = 0; i < sizeof(schemas) / sizeof(*schemas); i++)
		unseen_members(&doc, json_object_get(doc.schemas, schemas[i]), schemas[i], &unseen);
	assert_string_equal(buf_text(&unseen), "");
	buf_deinit(&unseen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_matches_the_schema),
		cmocka_unit_test(every_error_matches_the_schema),
		cmocka_unit_test(every_view_matches_the_schema),
		cmocka_unit_test(every_recorded_turn_matches_the_schema),
		cmocka_unit_test(schema_has_no_unused_member),
	};

	return cmocka_run_group_tests(tests, setup_doc, teardown_doc);
}
