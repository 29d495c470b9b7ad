/* Parses messages of MCP clients: both eras, mixed and malformed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "rest/dialect/mcp_read.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define NAMESPACE "io.modelcontextprotocol/"
#define ENVELOPE(version, capabilities)                                                            \
	"\"_meta\":{\"" NAMESPACE "protocolVersion\":\"" version "\",\"" NAMESPACE                 \
	"clientInfo\":{},\"" NAMESPACE "clientCapabilities\":" capabilities "}"
#define CALL(params)                                                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" params "}}"

static struct arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = arena_new(1 << 12);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static bool try(const char *text, struct mcp_headers headers, struct mcp_call *out,
		struct mcp_fault *fault)
{
	json_t *body;

	assert_true(json_parse(text, strlen(text), 1 << 20, &body, NULL));
	return mcp_read(json_own(arena, body), &headers, arena, out, fault);
}

static struct mcp_call accept(const char *text, struct mcp_headers headers)
{
	struct mcp_fault fault;
	struct mcp_call call;

	if (!try(text, headers, &call, &fault))
		fail_msg("%s: %d %s", text, fault.code, fault.message);
	return call;
}

static void reject(const char *text, struct mcp_headers headers, int code, const char *named)
{
	struct mcp_fault fault;
	struct mcp_call call;

	if (try(text, headers, &call, &fault))
		fail_msg("accepted: %s", text);
	assert_int_equal(fault.code, code);
	assert_int_equal(fault.status, 400);
	if (!strstr(fault.message, named))
		fail_msg("%s: \"%s\" does not name %s", text, fault.message, named);
}

static const struct mcp_headers none = {NULL, NULL, NULL};
static const struct mcp_headers legacy = {MCP_LEGACY_VERSION, NULL, NULL};
static const struct mcp_headers modern_call = {MCP_MODERN_VERSION, "tools/call", "a"};

static void reads_requests_of_both_eras(void **state)
{
	struct mcp_call c = accept(CALL("\"name\":\"a\",\"_meta\":{\"progressToken\":0}"), none);

	(void)state;
	assert_true(c.kind == MCP_REQUEST && !c.modern && !c.supports_forms);
	assert_int_equal(json_integer_value(c.progress_token), 0);
	c = accept(CALL("\"name\":\"a\"," ENVELOPE(MCP_MODERN_VERSION, "{}")), modern_call);
	assert_true(c.modern && !c.supports_forms && !c.progress_token);
}

static void forms_need_the_client_capability(void **state)
{
	static const struct {
		const char *message;
		bool has_forms;
	} cases[] = {
		{CALL("\"name\":\"a\"," ENVELOPE(MCP_MODERN_VERSION, "{\"elicitation\":{}}")),
		 true},
		{CALL("\"name\":\"a\"," ENVELOPE(MCP_MODERN_VERSION,
						 "{\"elicitation\":{\"form\":{}}}")),
		 true},
		{CALL("\"name\":\"a\"," ENVELOPE(MCP_MODERN_VERSION,
						 "{\"elicitation\":{\"url\":{}}}")),
		 false},
		{CALL("\"name\":\"a\"," ENVELOPE(MCP_MODERN_VERSION, "{\"elicitation\":1}")),
		 false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(accept(cases[i].message, modern_call).supports_forms,
				 cases[i].has_forms);
}

/* A request with several errors gets the first one in this order. */
static void errors_are_reported_in_fixed_order(void **state)
{
	(void)state;
	reject("[{\"jsonrpc\":\"2.0\"}]", none, MCP_INVALID_REQUEST, "Batches");
	reject("{\"id\":null,\"method\":7}", none, MCP_INVALID_REQUEST, "jsonrpc");
	reject("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":7}", none, MCP_INVALID_REQUEST, "id");
	reject("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", none, MCP_INVALID_REQUEST, "method");
	reject("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[]}",
	       (struct mcp_headers){"x", NULL, NULL}, MCP_INVALID_PARAMS, "params");
	reject(CALL(ENVELOPE("1999-01-01", "7")), modern_call, MCP_UNSUPPORTED_VERSION,
	       "1999-01-01");
	reject(CALL(ENVELOPE(MCP_MODERN_VERSION, "7")), (struct mcp_headers){"y", NULL, NULL},
	       MCP_UNSUPPORTED_VERSION, "y");
	reject(CALL(ENVELOPE(MCP_MODERN_VERSION, "7")), legacy, MCP_HEADER_MISMATCH, "Version");
	reject(CALL(ENVELOPE(MCP_MODERN_VERSION, "7")), none, MCP_HEADER_MISMATCH, "Version");
	reject(CALL(ENVELOPE(MCP_LEGACY_VERSION, "{}")), modern_call, MCP_HEADER_MISMATCH, "_meta");
	reject(CALL("\"name\":\"a\"," ENVELOPE(MCP_MODERN_VERSION, "7")),
	       (struct mcp_headers){MCP_MODERN_VERSION, "tools/list", "a"}, MCP_HEADER_MISMATCH,
	       "Mcp-Method");
	reject(CALL("\"name\":\"b\"," ENVELOPE(MCP_MODERN_VERSION, "7")), modern_call,
	       MCP_HEADER_MISMATCH, "Mcp-Name");
	reject(CALL("\"name\":\"a\"," ENVELOPE(MCP_MODERN_VERSION, "7")), modern_call,
	       MCP_INVALID_PARAMS, "clientCapabilities");
	reject(CALL("\"_meta\":{\"progressToken\":[]}"), none, MCP_INVALID_PARAMS, "progressToken");
}

static void header_name_may_be_base64_encoded(void **state)
{
	static const char *const texts =
		CALL("\"name\":\"\xC3\xA4\"," ENVELOPE(MCP_MODERN_VERSION, "{}"));

	(void)state;
	accept(texts, (struct mcp_headers){MCP_MODERN_VERSION, "tools/call", "=?base64?w6Q=?="});
	reject(texts, (struct mcp_headers){MCP_MODERN_VERSION, "tools/call", "=?base64?w6Q="},
	       MCP_HEADER_MISMATCH, "Mcp-Name");
	reject(texts, (struct mcp_headers){MCP_MODERN_VERSION, "tools/call", NULL},
	       MCP_HEADER_MISMATCH, "Mcp-Name");
}

static void notifications_need_no_headers(void **state)
{
	struct mcp_call c = accept("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}",
				   (struct mcp_headers){MCP_MODERN_VERSION, NULL, NULL});

	(void)state;
	assert_int_equal(c.kind, MCP_NOTIFICATION);
	assert_int_equal(accept("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{}}", legacy).kind,
			 MCP_RESPONSE);
}

static void id_is_a_number_or_a_string(void **state)
{
	static const char *const texts[] = {"0", "-7", "\"\"", "\"0\""};
	static const char *const invalid[] = {"null", "1.0", "true", "[]", "{}"};
	char message[100];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(message, sizeof(message),
			 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", texts[i]);
		assert_non_null(accept(message, none).id);
	}
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		snprintf(message, sizeof(message),
			 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", invalid[i]);
		reject(message, none, MCP_INVALID_REQUEST, "id");
	}
}

/* ---- vesper_ask ---- */

static bool try_ask(const char *text, struct dialect_request *out, struct err *e)
{
	json_t *args;

	assert_true(json_parse(text, strlen(text), 1 << 20, &args, NULL));
	return mcp_ask_read(json_own(arena, args), out, e);
}

static void reads_a_question_or_an_answer(void **state)
{
	struct dialect_request d;
	struct err e;

	(void)state;
	assert_true(try_ask("{\"question\":\"q\",\"session\":\"s\",\"request_id\":\"r\",\"x\":1}",
			    &d, &e));
	assert_string_equal(d.content, "q");
	assert_string_equal(d.external_id, "s");
	assert_string_equal(d.client_msg_id, "r");
	assert_true(try_ask(
		"{\"question\":\"q\",\"session\":\"s\",\"ask_id\":\"a\",\"values\":[\"1\"]}", &d,
		&e));
	assert_null(d.content);
	assert_string_equal(d.ask_id, "a");
	assert_int_equal(json_array_size(d.values), 1);
}

static void errors_name_the_invalid_argument(void **state)
{
	static const char *const wrong[][2] = {
		{"{}", "question"},
		{"{\"question\":\" \\n\"}", "question"},
		{"{\"question\":7}", "question"},
		{"{\"question\":\"q\",\"session\":\"\"}", "session"},
		{"{\"question\":\"q\",\"session\":\"a b\"}", "session"},
		{"{\"question\":\"q\",\"request_id\":[]}", "request_id"},
		{"{\"ask_id\":\"a\",\"values\":[]}", "session"},
		{"{\"ask_id\":\"a\",\"session\":\"s\",\"values\":\"1\"}", "values"},
	};
	struct dialect_request d;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (try_ask(wrong[i][0], &d, &e))
			fail_msg("accepted: %s", wrong[i][0]);
		assert_non_null(strstr(e.text, wrong[i][1]));
	}
}

static void form_values_keep_their_order(void **state)
{
	static const char *const forms[][2] = {
		{"{\"a\":\"1\"}", "[\"1\"]"},
		{"{\"a\":[\"1\",\"2\"]}", "[\"1\",\"2\"]"},
		{"{\"a\":[]}", "[]"},
		{"{\"to\":\"2\",\"from\":\"1\"}", "[\"1\",\"2\"]"},
		{"{\"from\":\"1\"}", "[\"1\"]"},
		{"{}", NULL},
		{"[]", NULL},
		{"{\"a\":1}", NULL},
		{"{\"a\":[1]}", NULL},
		{"{\"a\":\"1\",\"b\":\"2\"}", NULL},
		{"{\"from\":\"1\",\"to\":2}", NULL},
		{"{\"from\":\"1\",\"to\":\"2\",\"a\":\"3\"}", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		json_t *content, *values;

		assert_true(json_parse(forms[i][0], strlen(forms[i][0]), 100, &content, NULL));
		values = mcp_form_values(content);
		if (forms[i][1]) {
			char *text = json_text(values);

			assert_string_equal(text, forms[i][1]);
			mem_free(text);
		} else {
			assert_null(values);
		}
		json_decref(values);
		json_decref(content);
	}
}

/* ---- Lists ---- */

static void long_lists_are_paged(void **state)
{
	enum { COUNT = 2 * MCP_LIST_MAX + 1 };
	static const char *const invalid[] = {"", "x", "0", "-1", "201", "9999999999", "1 "};
	json_t *cursor = NULL;
	size_t from, to = 0, pages = 0;

	(void)state;
	do {
		char text[20];

		assert_true(mcp_page(cursor, COUNT, &from, &to));
		assert_int_equal(from, pages++ * MCP_LIST_MAX);
		assert_true(to > from && to - from <= MCP_LIST_MAX);
		json_decref(cursor);
		snprintf(text, sizeof(text), "%zu", to);
		cursor = json_str(text);
	} while (to < COUNT);
	assert_int_equal(pages, 3);
	json_decref(cursor);
	assert_true(mcp_page(NULL, 0, &from, &to));
	assert_true(from == 0 && to == 0);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		cursor = json_str(invalid[i]);
		assert_false(mcp_page(cursor, COUNT, &from, &to));
		json_decref(cursor);
	}
	cursor = json_int(1);
	assert_false(mcp_page(cursor, COUNT, &from, &to));
	json_decref(cursor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_requests_of_both_eras),
		cmocka_unit_test(forms_need_the_client_capability),
		cmocka_unit_test(errors_are_reported_in_fixed_order),
		cmocka_unit_test(header_name_may_be_base64_encoded),
		cmocka_unit_test(notifications_need_no_headers),
		cmocka_unit_test(id_is_a_number_or_a_string),
		cmocka_unit_test(reads_a_question_or_an_answer),
		cmocka_unit_test(errors_name_the_invalid_argument),
		cmocka_unit_test(form_values_keep_their_order),
		cmocka_unit_test(long_lists_are_paged),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
