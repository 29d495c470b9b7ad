/* Turns as MCP results in both protocol versions, byte for byte, streamed and whole. */
#include "dialect_story.h"

#include "vesper/json.h"

static void append_state(const void *owner, struct str ask, struct buf *out)
{
	struct str id;

	assert_true(json_member(ask, "ask_id", &id));
	buf_printf(out, "%s:%.*s", (const char *)owner, (int)json_inside(id).n, json_inside(id).p);
}

static const struct wire_mcp legacy = {.id = STR("0"), .progress_token = STR("\"p\"")};
static const struct wire_mcp modern = {.id = STR("\"a\\\"b\""),
				       .progress_token = STR("7"),
				       .modern = true,
				       .state = append_state,
				       .state_owner = "sealed"};

static char *golden(struct arena *a, const char *era, const char *story)
{
	const char *path = arena_printf(
		a, VESPER_SOURCE_DIR "/tests/unit/wire/golden/mcp_%s_%s.txt", era, story);
	const char *text;
	struct err e;

	assert_true(file_read(path, 1 << 16, a, &text, &e));
	return arena_strdup(a, text);
}

static char *response_of(const struct stream_log *log, const struct wire_head *head)
{
	struct buf out;
	char *output;

	buf_init(&out, 1 << 20);
	assert_true(wire_mcp_response(log, head, &out));
	output = mem_printf("data: %s\n\n", buf_text(&out));
	buf_deinit(&out);
	return output;
}

/* The last item of the stream is the whole answer. */
static void check(struct stream_log *log, const char *era, const struct wire_mcp *mcp,
		  const char *story)
{
	const struct wire_head head = {.mcp = mcp};
	struct arena *a = arena_new(1 << 16);
	char *expected = golden(a, era, story);
	char *whole = response_of(log, &head);
	size_t n = strlen(expected), whole_n = strlen(whole);

	for (int i = 0; i < 2; i++) {
		char *output = story_output(log, &wire_mcp, &head);

		assert_string_equal(output, expected);
		mem_free(output);
	}
	assert_true(whole_n <= n);
	assert_string_equal(expected + n - whole_n, whole);
	mem_free(whole);
	arena_free(&a);
	stream_release(&log);
}

static void writes_all_turns_in_both_protocol_versions(void **state)
{
	static const struct {
		const char *name;
		struct stream_log *(*make_log)(void);
	} stories[] = {{"answer", story_answer},
		       {"cited", story_cited},
		       {"ask", story_ask},
		       {"cancelled", story_cancelled},
		       {"failed", story_failed}};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(stories) / sizeof(stories[0]); i++) {
		void *none = NULL;

		setup(&none);
		check(stories[i / 2].make_log(), i % 2 ? "modern" : "legacy",
		      i % 2 ? &modern : &legacy, stories[i / 2].name);
		teardown(&none);
	}
}

/* The schema of a question's form, as JSON. Free with mem_free. */
static char *form_of(const char *body)
{
	const struct wire_head head = {.mcp = &modern};
	struct stream_log *log = story_begin();
	json_t *root, *requests;
	struct err e;
	char *whole, *schema;

	emit(log,
	     &(struct event){.kind = EVENT_ASK, .u.ask = {.prompt = "?", .body = str_of(body)}});
	story_end(log, "ask");
	whole = response_of(log, &head);
	assert_true(json_parse(whole + strlen("data: "), strlen(whole) - strlen("data: "), 1 << 20,
			       &root, &e));
	requests = json_object_get(json_object_get(root, "result"), "inputRequests");
	schema = json_text(json_object_get(
		json_object_get(json_object_get(requests, "q"), "params"), "requestedSchema"));
	json_decref(root);
	mem_free(whole);
	stream_release(&log);
	return schema;
}

static void each_input_type_has_a_form(void **state)
{
#define ASK(more) "{\"ask_id\":\"q\",\"prompt\":\"?\"," more ",\"filter\":\"day\"}"
#define FORM(fields, required)                                                                     \
	"{\"type\":\"object\",\"properties\":{" fields "},\"required\":[" required "]}"
#define DAY "{\"type\":\"string\",\"format\":\"date\"}"
	static const struct {
		const char *ask, *form;
	} forms[] = {
		{ASK("\"input\":\"single\",\"hint\":\"h\""),
		 FORM("\"day\":{\"type\":\"string\",\"description\":\"h\"}", "\"day\"")},
		{ASK("\"input\":\"single\",\"options\":[{\"value\":\"1\",\"label\":\"One\"},"
		     "{\"value\":\"2\"}]"),
		 FORM("\"day\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"1\",\"title\":\"One\"},"
		      "{\"const\":\"2\",\"title\":\"2\"}]}",
		      "\"day\"")},
		{ASK("\"input\":\"multiple\",\"options\":[{\"value\":\"1\"}],\"min\":1,\"max\":2"),
		 FORM("\"day\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":2,\"items\":"
		      "{\"anyOf\":[{\"const\":\"1\",\"title\":\"1\"}]}}",
		      "\"day\"")},
		{ASK("\"input\":\"date\",\"min_date\":\"2025-01-01\""),
		 FORM("\"day\":" DAY, "\"day\"")},
		{ASK("\"input\":\"date_range\""),
		 FORM("\"from\":" DAY ",\"to\":" DAY, "\"from\",\"to\"")},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		void *none = NULL;
		char *form;

		setup(&none);
		form = form_of(forms[i].ask);
		assert_string_equal(form, forms[i].form);
		mem_free(form);
		teardown(&none);
	}
}

/* ---- pictures ---- */

static bool draw_chart(struct str view, struct buf *out)
{
	struct str id;

	assert_true(json_member(view, "view_id", &id));
	if (str_eq(json_inside(id), STR("none")))
		return false;
	buf_add(out, json_inside(id).p, json_inside(id).n);
	return true;
}

static void charts_are_sent_as_pictures(void **state)
{
	static const struct wire_mcp shown = {.id = STR("1"), .picture = draw_chart};
	static const struct wire_head head = {.mcp = &shown};
	void *none = NULL;
	struct stream_log *log;
	char *whole;

	(void)state;
	setup(&none);
	log = story_begin();
	emit_view(log, "c", "{\"view_type\":\"chart\",\"view_id\":\"first\"}");
	emit_view(log, "n", "{\"view_type\":\"chart\",\"view_id\":\"none\"}");
	emit_view(log, "c", "{\"view_type\":\"chart\",\"view_id\":\"second\"}");
	emit_view(log, "t", "{\"view_type\":\"plan\",\"view_id\":\"third\"}");
	story_end(log, "ok");
	whole = response_of(log, &head);
	assert_non_null(strstr(whole,
			       "\"content\":[{\"type\":\"image\",\"data\":\"second\","
			       "\"mimeType\":\"image/svg+xml\"},{\"type\":\"resource_link\""));
	mem_free(whole);
	stream_release(&log);
	teardown(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_all_turns_in_both_protocol_versions),
		cmocka_unit_test(each_input_type_has_a_form),
		cmocka_unit_test(charts_are_sent_as_pictures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
