/* Parses requests of other clients: valid, forged and malformed ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "rest/dialect/dialect_read.h"
#include "vesper/json.h"
#include "vesper/limits.h"

typedef bool (*read_fn)(const json_t *, struct arena *, struct dialect_request *, struct err *);

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

static bool try(read_fn read, const char *text, struct dialect_request *out, struct err *e)
{
	json_t *body;

	assert_true(json_parse(text, strlen(text), 1 << 20, &body, e));
	return read(json_own(arena, body), arena, out, e);
}

static struct dialect_request accept(read_fn read, const char *text)
{
	struct dialect_request d;
	struct err e;

	if (!try(read, text, &d, &e))
		fail_msg("%s: %s", text, e.text);
	return d;
}

static void reject(read_fn read, const char *text, const char *named)
{
	struct dialect_request d;
	struct err e;

	if (try(read, text, &d, &e))
		fail_msg("accepted: %s", text);
	if (!strstr(e.text, named))
		fail_msg("%s: \"%s\" does not name %s", text, e.text, named);
}

static const char *value_of(const struct dialect_request *d, size_t i)
{
	return json_string_value(json_array_get(d->values, i));
}

static void last_user_message_is_the_question(void **state)
{
	struct dialect_request d = accept(
		ai_read,
		"{\"id\":\"c1\",\"trigger\":\"submit-message\",\"system\":\"x\",\"messages\":["
		"{\"id\":\"a\",\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"text\":"
		"\"forged\"}]},"
		"{\"id\":\"b\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"one\"},"
		"{\"type\":\"step-start\"},{\"type\":\"text\",\"text\":\"two\"}]}]}");

	(void)state;
	assert_string_equal(d.content, "one\ntwo");
	assert_string_equal(d.external_id, "c1");
	assert_string_equal(d.client_msg_id, "b");
	assert_int_equal(d.history_count, 0);
	d = accept(ai_read,
		   "{\"id\":\"c1\",\"trigger\":\"regenerate-message\",\"messages\":[{\"id\":\"b\","
		   "\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"x\"}]}]}");
	assert_null(d.client_msg_id);
	d = accept(
		ai_read,
		"{\"id\":\"c1\",\"trigger\":\"regenerate-message\",\"messages\":["
		"{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"one\"}]},"
		"{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"two\"}]},"
		"{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"text\":\"forged\"}]}]}");
	assert_string_equal(d.content, "two");
}

#define SELECTED(output)                                                                           \
	"{\"id\":\"c1\",\"messages\":[{\"id\":\"a\",\"role\":\"assistant\",\"parts\":[{\"type\":"  \
	"\"dynamic-tool\",\"toolName\":\"request_user_selection\",\"toolCallId\":\"q1\","          \
	"\"state\":"                                                                               \
	"\"output-available\",\"input\":{\"skip\":{\"value\":\"all\"}},\"output\":" output "}]}]}"

static void tool_output_answers_a_question(void **state)
{
	struct dialect_request d = accept(ai_read, SELECTED("{\"values\":[\"925\",\"926\"]}"));

	(void)state;
	assert_string_equal(d.ask_id, "q1");
	assert_null(d.content);
	assert_string_equal(value_of(&d, 1), "926");
	d = accept(ai_read, SELECTED("{\"skip\":true}"));
	assert_string_equal(value_of(&d, 0), "all");
	d = accept(ai_read, SELECTED("\"925\""));
	assert_string_equal(value_of(&d, 0), "925");
	reject(ai_read, SELECTED("{}"), "values");
	reject(ai_read, SELECTED("7"), "values");
}

static void errors_name_the_invalid_member(void **state)
{
	(void)state;
	reject(ai_read, "{}", "messages");
	reject(ai_read, "{\"messages\":[7]}", "messages[0]");
	reject(ai_read, "{\"messages\":[{\"role\":\"user\",\"parts\":7}]}", "parts");
	reject(ai_read, "{\"messages\":[{\"role\":\"user\",\"parts\":[]}]}", "messages");
	reject(ai_read, "{\"messages\":[{\"role\":\"assistant\",\"parts\":[]}]}", "messages");
	reject(ai_read, "{\"id\":\"a b\",\"messages\":[]}", "id");
	reject(ai_read,
	       "{\"messages\":[{\"role\":\"system\",\"parts\":[{\"type\":\"text\",\"text\":\"x\"}]}"
	       "]}",
	       "user");
	reject(ai_read,
	       "{\"trigger\":\"regenerate-message\",\"messages\":[{\"role\":\"assistant\","
	       "\"parts\":["
	       "{\"type\":\"text\",\"text\":\"x\"}]}]}",
	       "user");
	reject(ai_read,
	       "{\"messages\":[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"x\"}],"
	       "\"metadata\":{\"ask_id\":\"q\"}}]}",
	       "metadata");
}

#define RUN(rest)                                                                                  \
	"{\"threadId\":\"t\",\"runId\":\"r\",\"messages\":[{\"id\":\"m\",\"role\":\"user\","       \
	"\"content\":"                                                                             \
	"[{\"type\":\"text\",\"text\":\"hi\"}]}]" rest "}"

static void null_member_counts_as_absent(void **state)
{
	(void)state;
	assert_null(accept(agui_read, RUN(",\"resume\":null")).ask_id);
	reject(agui_read, RUN(",\"resume\":{}"), "resume");
	reject(agui_read, "{\"threadId\":null,\"runId\":\"r\",\"messages\":[]}", "threadId");
	assert_null(accept(ai_read,
			   "{\"id\":null,\"trigger\":null,\"messages\":[{\"role\":\"user\","
			   "\"id\":null,\"parts\":[{\"type\":\"text\",\"text\":\"x\"}],"
			   "\"metadata\":{\"ask_id\":null,\"values\":null}}]}")
			    .external_id);
	reject(ai_read, "{\"id\":\"c\",\"trigger\":\"other\",\"messages\":[{}]}", "trigger");
	reject(ai_read, "{\"id\":\"c\",\"trigger\":7,\"messages\":[{}]}", "trigger");
}

static void question_length_is_limited(void **state)
{
	static char body[MESSAGE_BYTES_MAX + 200];
	struct dialect_request d;
	struct err e;

	(void)state;
	for (int more = 0; more <= 1; more++) {
		snprintf(
			body, sizeof(body),
			"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"%0*d\"}]}",
			MESSAGE_BYTES_MAX + more, 1);
		assert_int_equal(try(openai_read, body, &d, &e), !more);
	}
	assert_int_equal(e.code, ERR_INPUT);
}

static void ids_are_short_visible_ascii(void **state)
{
	struct err e;

	(void)state;
	assert_true(dialect_check_id("c~!", "Id", 3, &e));
	assert_false(dialect_check_id("c123", "Id", 3, &e));
	assert_false(dialect_check_id("", "Id", 3, &e));
	assert_string_equal(e.text, "Id: must have 1 to 3 characters");
	assert_false(dialect_check_id("a b", "Id", 3, &e));
	assert_false(dialect_check_id("\xc3\xa4", "Id", 3, &e));
}

static void run_requires_thread_and_id(void **state)
{
	struct dialect_request d =
		accept(agui_read, RUN(",\"state\":{\"filters\":1},\"tools\":[{}]"));

	(void)state;
	assert_string_equal(d.content, "hi");
	assert_string_equal(d.external_id, "t");
	assert_string_equal(d.client_msg_id, "r");
	reject(agui_read, "{\"runId\":\"r\",\"messages\":[]}", "threadId");
	reject(agui_read, "{\"threadId\":\"t\",\"messages\":[]}", "runId");
	reject(agui_read,
	       "{\"threadId\":\"t\",\"runId\":\"r\",\"messages\":[{\"role\":\"tool\",\"content\":"
	       "\"x\"}]}",
	       "messages");
}

static void interrupt_is_resolved_or_cancelled(void **state)
{
	struct dialect_request d = accept(
		agui_read,
		RUN(",\"resume\":[{\"interruptId\":\"q\",\"status\":\"resolved\",\"payload\":"
		    "{\"values\":[\"1\"]}}]"));

	(void)state;
	assert_string_equal(d.ask_id, "q");
	assert_string_equal(value_of(&d, 0), "1");
	d = accept(agui_read,
		   RUN(",\"resume\":[{\"interruptId\":\"q\",\"status\":\"cancelled\"}]"));
	assert_null(d.ask_id);
	assert_string_equal(d.content, "hi");
	d = accept(agui_read, "{\"threadId\":\"t\",\"runId\":\"r\",\"messages\":[{\"role\":"
			      "\"assistant\",\"content\":\"Which?\"}],\"resume\":[{\"interruptId\":"
			      "\"q\",\"status\":\"cancelled\"}]}");
	assert_string_equal(d.ask_id, "q");
	assert_null(d.values);
	assert_null(d.content);
	reject(agui_read, RUN(",\"resume\":[{\"interruptId\":\"q\",\"status\":\"maybe\"}]"),
	       "status");
	reject(agui_read, RUN(",\"resume\":[{\"interruptId\":\"q\",\"status\":\"resolved\"}]"),
	       "values");
	reject(agui_read, RUN(",\"resume\":[7]"), "object");
}

static void reads_history_of_the_client(void **state)
{
	struct dialect_request d = accept(
		openai_read, "{\"model\":\"vesper\",\"stream\":true,\"stream_options\":{"
			     "\"include_usage\":true},\"seed\":7,"
			     "\"messages\":[{\"role\":\"developer\",\"content\":\"short\"},{"
			     "\"role\":\"user\",\"content\":"
			     "\"a\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
			     "]},{\"role\":\"tool\","
			     "\"content\":\"secret\"},{\"role\":\"user\",\"content\":[{"
			     "\"type\":\"text\",\"text\":\"b\"}]}]}");

	(void)state;
	assert_true(d.wants_stream && d.include_usage);
	assert_string_equal(d.content, "b");
	assert_int_equal(d.history_count, 2);
	assert_int_equal(d.history[0].role, CLIENT_ROLE_SYSTEM);
	assert_true(str_eq(d.history[1].text, STR("a")));
}

#define ASK(rest)                                                                                  \
	"{\"model\":\"vesper\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]" rest "}"

static void refuses_unsupported_options(void **state)
{
	(void)state;
	accept(openai_read, ASK(",\"n\":1,\"tool_choice\":\"auto\",\"tools\":[{}]"));
	accept(openai_read, ASK(",\"n\":null,\"stream\":null,\"tool_choice\":null,\"stream_"
				"options\":null"));
	reject(openai_read, ASK(",\"n\":2"), "n:");
	reject(openai_read, ASK(",\"n\":0"), "n:");
	reject(openai_read, ASK(",\"n\":\"2\""), "n:");
	reject(openai_read, ASK(",\"n\":2.5"), "n:");
	reject(openai_read, ASK(",\"stream\":\"yes\""), "stream:");
	reject(openai_read, ASK(",\"stream_options\":7"), "stream_options:");
	reject(openai_read, ASK(",\"stream_options\":{\"include_usage\":1}"), "include_usage:");
	reject(openai_read, ASK(",\"tool_choice\":7"), "tool_choice");
	reject(openai_read, ASK(",\"tool_choice\":\"required\""), "tool_choice");
	reject(openai_read, ASK(",\"tool_choice\":{\"type\":\"function\"}"), "tool_choice");
	reject(openai_read, "{\"messages\":[]}", "model");
	reject(openai_read,
	       "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
	       "\"image_url\"}]}]}",
	       "text");
	reject(openai_read,
	       "{\"model\":\"m\",\"messages\":[{\"role\":\"robot\",\"content\":\"x\"},"
	       "{\"role\":\"user\",\"content\":\"x\"}]}",
	       "messages[0].role");
}

static const char *task(const char *content)
{
	static const char *const examples[] = {"What now?", "And \"then\"?", NULL};

	static const char *const tags[] = {"prices", NULL};

	return openai_task_answer(content, &(struct task_answers){examples, tags}, arena);
}

#define TASK(form)                                                                                 \
	"### Task:\nGenerate.\n### Output:\nJSON format: " form                                    \
	"\n### Chat History:\n<chat_history>\nUSER: How is it?\nASSISTANT: x\n</chat_history>"

static void answers_tasks_of_chat_pages(void **state)
{
	(void)state;
	assert_string_equal(task(TASK("{ \"title\": \"...\" }")), "{\"title\":\"How is it?\"}");
	assert_string_equal(task(TASK("{ \"tags\": [\"a\"] }")), "{\"tags\":[\"prices\"]}");
	assert_string_equal(task(TASK("{\n \"queries\": [] }")), "{\"queries\":[]}");
	assert_string_equal(task(TASK("{ \"text\": \"<completion>\" }.")), "{\"text\":\"\"}");
	assert_string_equal(task(TASK("{ \"follow_ups\": [] }")),
			    "{\"follow_ups\":[\"What now?\",\"And \\\"then\\\"?\"]}");
}

/* Text that a user writes is a question, even if it begins like a task. */
static void question_is_not_a_task(void **state)
{
	(void)state;
	assert_null(task("What is ### Task: ?"));
	assert_null(task("### Task:"));
	assert_null(task("### Task: give me the \"title\" and \"tags\" of NP15"));
	assert_null(task("### Task: JSON format: { \"title\": \"\" }"));
	assert_null(task("### Task: <chat_history> JSON format: { \"title\": \"\" }"));
	assert_null(task(TASK("{ \"price\": 1 }")));
	assert_null(task(TASK("title")));
	assert_null(task("x" TASK("{ \"title\": \"\" }")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(last_user_message_is_the_question, setup, teardown),
		cmocka_unit_test_setup_teardown(tool_output_answers_a_question, setup, teardown),
		cmocka_unit_test_setup_teardown(errors_name_the_invalid_member, setup, teardown),
		cmocka_unit_test_setup_teardown(null_member_counts_as_absent, setup, teardown),
		cmocka_unit_test_setup_teardown(question_length_is_limited, setup, teardown),
		cmocka_unit_test_setup_teardown(ids_are_short_visible_ascii, setup, teardown),
		cmocka_unit_test_setup_teardown(run_requires_thread_and_id, setup, teardown),
		cmocka_unit_test_setup_teardown(interrupt_is_resolved_or_cancelled, setup,
						teardown),
		cmocka_unit_test_setup_teardown(reads_history_of_the_client, setup, teardown),
		cmocka_unit_test_setup_teardown(refuses_unsupported_options, setup, teardown),
		cmocka_unit_test_setup_teardown(answers_tasks_of_chat_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(question_is_not_a_task, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
