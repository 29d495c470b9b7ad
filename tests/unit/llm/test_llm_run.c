/* Retries, circuit breakers, fail-over and pauses of one call. */
#include "call_world.h"
#include "vesper/metric.h"

static void streams_text_and_ends(void **state)
{
	struct scripted *w = *state;
	struct call_outcome s;

	fake_llm_expect(w->fake, LLM_ANSWER, "question");
	fake_llm_text(w->fake, "48");
	fake_llm_text(w->fake, ".73");
	start(w->llm, w->arena, &s, &streamed, 0);
	run(w->loop, &s, 1000);
	assert_true(s.ended && s.shown);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_string_equal(buf_text(&s.text), "48.73");
	assert_string_equal(s.provider, "fake");
	assert_null(fake_llm_complaint(w->fake));
	assert_int_equal(fake_llm_unmet(w->fake), 0);
	buf_deinit(&s.text);
}

static void shown_text_is_not_retried(void **state)
{
	struct scripted *w = *state;
	struct call_outcome s;

	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	fake_llm_text(w->fake, "half");
	fake_llm_fail(w->fake, ERR_UPSTREAM, true);
	start(w->llm, w->arena, &s, &streamed, 0);
	run(w->loop, &s, 3000);
	assert_true(s.ended && s.shown);
	assert_int_equal(s.err.code, ERR_UPSTREAM);
	assert_int_equal(fake_llm_calls(w->fake), 1);
	buf_deinit(&s.text);
}

/* A caller without a text handler has seen nothing, so the failure is retried; usage adds up.
 */
static void failure_without_text_handler_is_retried(void **state)
{
	struct scripted *w = *state;
	struct call_outcome s;

	fake_llm_expect(w->fake, LLM_ANSWER, "system: rules");
	fake_llm_text(w->fake, "half");
	fake_llm_fail(w->fake, ERR_UPSTREAM, true);
	fake_llm_expect(w->fake, LLM_ANSWER, "system: rules");
	fake_llm_text(w->fake, "all");
	fake_llm_text(w->fake, " of it");
	start(w->llm, w->arena, &s, &unstreamed, 0);
	run(w->loop, &s, 3000);
	assert_true(s.ended && !s.shown);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_int_equal(s.blocks, 2);
	assert_int_equal(s.usage.output_tokens, 3);
	buf_deinit(&s.text);
}

static void call_can_be_cancelled_in_every_state(void **state)
{
	struct scripted *w = *state;
	struct call_outcome s;

	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	start(w->llm, w->arena, &s, &streamed, 0);
	op_cancel(&s.op); /* at once */
	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	fake_llm_text(w->fake, "a");
	fake_llm_text(w->fake, "b");
	start(w->llm, w->arena, &s, &streamed, 0);
	s.cancel_on_text = true; /* in the first chunk */
	run(w->loop, &s, 50);
	assert_string_equal(buf_text(&s.text), "a");
	buf_deinit(&s.text);
	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	fake_llm_stall(w->fake);
	start(w->llm, w->arena, &s, &streamed, 0);
	run(w->loop, &s, 50);
	op_cancel(&s.op); /* before any text */
	assert_int_equal(fake_llm_cancelled(w->fake), 3);
	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	fake_llm_fail(w->fake, ERR_UPSTREAM, true);
	start(w->llm, w->arena, &s, &streamed, 0);
	run(w->loop, &s, 50);
	assert_int_equal(fake_llm_calls(w->fake), 4);
	op_cancel(&s.op); /* while it waits for the next attempt */
	run(w->loop, &s, 600);
	assert_false(s.ended);
	assert_int_equal(fake_llm_calls(w->fake), 4);
	buf_deinit(&s.text);
}

static void failures_are_retried_until_an_answer(void **state)
{
	struct pair *w = *state;
	struct call_outcome s;

	add_reply(&w->a, FAILURE("529", ""));
	add_reply(&w->a, FAILURE("500", ""));
	add_reply(&w->a, OK_ANSWER("x"));
	run_call(w, &s);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_string_equal(s.provider, "first");
	assert_int_equal(w->a.request_count, 3);
	assert_int_equal(w->b.request_count, 0);
}

static void fails_over_after_all_attempts(void **state)
{
	struct pair *w = *state;
	struct call_outcome s;

	for (int i = 0; i < LLM_ATTEMPTS_MAX; i++)
		add_reply(&w->a, FAILURE("529", ""));
	add_reply(&w->b, OK_ANSWER("x"));
	run_call(w, &s);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_string_equal(s.provider, "second");
	assert_int_equal(w->a.request_count, LLM_ATTEMPTS_MAX);
}

static void permanent_failure_fails_over_without_retry(void **state)
{
	struct pair *w = *state;
	const char *const permanent[] = {
		FAILURE("401", ""),
		FAILURE("429", "retry-after: 21\r\n"), /* longer than a user waits */
		FAILURE("500", "x-should-retry: false\r\n"),
		"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nhi",
	};

	for (size_t i = 0; i < 4; i++) {
		struct call_outcome s;

		add_reply(&w->a, permanent[i]);
		add_reply(&w->b, OK_ANSWER("x"));
		run_call(w, &s);
		assert_int_equal(s.err.code, ERR_NONE);
		assert_string_equal(s.provider, "second");
		assert_int_equal(w->a.request_count, i + 1);
		if (i == 1) { /* keeps the breaker closed */
			add_reply(&w->a, OK_ANSWER("x"));
			run_call(w, &s);
			w->a.reply_count--;
			w->a.request_count--;
			mem_free(w->a.requests[w->a.request_count]);
		}
	}
}

/* Another service may accept a rejected request: it goes to the next provider without a retry. */
static void rejected_request_goes_to_the_next_provider(void **state)
{
	struct pair *w = *state;

	for (size_t i = 0; i < 5; i++) { /* the breaker stays closed, too */
		struct call_outcome s;

		add_reply(&w->a, FAILURE("400", ""));
		add_reply(&w->b, OK_ANSWER("x"));
		run_call(w, &s);
		assert_int_equal(s.err.code, ERR_NONE);
		assert_string_equal(s.provider, "second");
		assert_int_equal(w->a.request_count, i + 1);
		assert_int_equal(w->b.request_count, i + 1);
	}
}

static void retry_after_is_respected(void **state)
{
	struct pair *w = *state;
	struct call_outcome s;
	int64_t begin = clock_mono_ms();

	add_reply(&w->a, FAILURE("429", "retry-after-ms: 150\r\n"));
	add_reply(&w->a, OK_ANSWER("x"));
	run_call(w, &s);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_true(clock_mono_ms() - begin >= 148);
}

static void call_fails_if_all_providers_are_unavailable(void **state)
{
	struct pair *w = *state;
	struct call_outcome s;

	clock_freeze_ms(1772182800000);
	for (int i = 0; i < LLM_ATTEMPTS_MAX; i++) {
		add_reply(&w->a, FAILURE("529", ""));
		add_reply(&w->b, FAILURE("503", ""));
	}
	assert_true(llm_is_usable(w->llm));
	run_call(w, &s);
	assert_int_equal(s.err.code, ERR_UPSTREAM);
	assert_non_null(strstr(s.err.text, "second: 503"));
	assert_false(llm_is_usable(w->llm)); /* three failures each: both breakers are open */
	run_call(w, &s);
	assert_int_equal(s.err.code, ERR_UPSTREAM);
	assert_string_equal(s.provider, "");
	assert_non_null(strstr(s.err.text, "no model provider"));
	assert_int_equal(w->a.request_count + w->b.request_count, 2 * LLM_ATTEMPTS_MAX);
}

static const char *first_note;
static enum health_state first_state;

static void on_health(void *owner, const char *check, enum health_state state, const char *note)
{
	(void)owner;
	if (strcmp(check, "llm:first") == 0) {
		first_state = state;
		first_note = note;
	}
}

static void successful_probe_closes_the_breaker(void **state)
{
	struct pair *w = *state;
	struct call_outcome s, other;

	clock_freeze_ms(1772182800000);
	for (int i = 0; i < LLM_ATTEMPTS_MAX; i++)
		add_reply(&w->a, FAILURE("529", ""));
	add_reply(&w->b, OK_ANSWER("x"));
	run_call(w, &s);
	health_each(on_health, NULL);
	assert_int_equal(first_state, HEALTH_DEGRADED);
	assert_non_null(strstr(first_note, "529"));
	add_reply(&w->b, OK_ANSWER("x"));
	run_call(w, &s); /* the first is skipped */
	assert_string_equal(s.provider, "second");
	assert_int_equal(w->a.request_count, LLM_ATTEMPTS_MAX);

	clock_advance_ms(60000);
	tiny_server_add(&w->a, (struct tiny_reply){.text = OK_ANSWER("x"), .delay_ms = 80});
	add_reply(&w->b, OK_ANSWER("x"));
	start(w->llm, w->arena, &s, &streamed, 0);     /* the probe */
	start(w->llm, w->arena, &other, &streamed, 0); /* goes to the other provider meanwhile */
	run(w->loop, &other, 1000);
	assert_string_equal(other.provider, "second");
	run(w->loop, &s, 1000);
	assert_string_equal(s.provider, "first");
	buf_deinit(&s.text);
	buf_deinit(&other.text);
	health_each(on_health, NULL);
	assert_int_equal(first_state, HEALTH_OK);
	add_reply(&w->a, OK_ANSWER("x"));
	run_call(w, &s);
	assert_string_equal(s.provider, "first");
}

static void cancelled_probe_allows_another(void **state)
{
	struct pair *w = *state;
	struct call_outcome s;

	clock_freeze_ms(1772182800000);
	for (int i = 0; i < LLM_ATTEMPTS_MAX; i++)
		add_reply(&w->a, FAILURE("529", ""));
	add_reply(&w->b, OK_ANSWER("x"));
	run_call(w, &s);
	clock_advance_ms(60000);
	start(w->llm, w->arena, &s, &streamed, 0);
	op_cancel(&s.op);
	add_reply(&w->a, OK_ANSWER("x"));
	run_call(w, &s);
	assert_string_equal(s.provider, "first");
}

static void deadline_limits_the_waits(void **state)
{
	struct pair *w = *state;
	struct call_outcome s;
	int64_t begin = clock_mono_ms();

	add_reply(&w->a, FAILURE("529", "retry-after-ms: 5000\r\n"));
	add_reply(&w->b, FAILURE("529", "retry-after-ms: 5000\r\n"));
	start(w->llm, w->arena, &s, &streamed, begin + 1000);
	run(w->loop, &s, 3000);
	assert_int_equal(s.err.code, ERR_UPSTREAM); /* not ERR_TIMEOUT */
	buf_deinit(&s.text);

	tiny_server_add(&w->a, (struct tiny_reply){
				       .text = "",
				       .hang = true}); /* the deadline passes during an attempt */
	begin = clock_mono_ms();
	start(w->llm, w->arena, &s, &streamed, begin + 100);
	run(w->loop, &s, 3000);
	assert_int_equal(s.err.code, ERR_TIMEOUT);
	assert_int_equal(w->b.request_count, 1); /* no time for a retry */
	buf_deinit(&s.text);
}

static void attempts_and_tokens_are_counted(void **state)
{
	struct pair *w = *state;
	struct call_outcome s;
	int64_t before = metric_get("vesper_llm_attempts_total{provider=\"first\",result=\"ok\"}");
	int64_t tokens = metric_get("vesper_llm_tokens_total{provider=\"first\",kind=\"output\"}");

	add_reply(&w->a, OK_ANSWER("x"));
	run_call(w, &s);
	assert_int_equal(metric_get("vesper_llm_attempts_total{provider=\"first\",result=\"ok\"}"),
			 before + 1);
	assert_int_equal(metric_get("vesper_llm_tokens_total{provider=\"first\",kind=\"output\"}"),
			 tokens + 1);
}

/* ---- paused answers ---- */

static void paused_answer_is_continued(void **state)
{
	struct scripted *w = *state;
	struct call_outcome s;

	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	fake_llm_text(w->fake, "It was ");
	fake_llm_stop(w->fake, LLM_STOP_PAUSE);
	fake_llm_expect(w->fake, LLM_ANSWER, "user: question\nassistant: It was \n");
	fake_llm_text(w->fake, "48.73 ");
	fake_llm_stop(w->fake, LLM_STOP_PAUSE);
	fake_llm_expect(w->fake, LLM_ANSWER, "user: question\nassistant: It was \n48.73 \n");
	fake_llm_text(w->fake, "in 2025.");
	start(w->llm, w->arena, &s, &streamed, 0);
	run(w->loop, &s, 1000);
	assert_null(fake_llm_complaint(w->fake));
	assert_int_equal(s.err.code, ERR_NONE);
	assert_string_equal(buf_text(&s.text), "It was 48.73 in 2025.");
	assert_int_equal(s.stop, LLM_STOP_END);
	assert_int_equal(s.blocks, 3);
	assert_int_equal(s.usage.output_tokens, 3);
	assert_int_equal(s.usage.continued, 2);
	buf_deinit(&s.text);
}

static void continuations_are_limited(void **state)
{
	struct scripted *w = *state;
	struct call_outcome s;

	for (int i = 0; i <= LLM_PAUSES_MAX + 1; i++) {
		fake_llm_expect(w->fake, LLM_ANSWER, NULL);
		fake_llm_text(w->fake, "x");
		fake_llm_stop(w->fake, LLM_STOP_PAUSE);
	}
	start(w->llm, w->arena, &s, &unstreamed, 0);
	run(w->loop, &s, 1000);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_int_equal(s.stop, LLM_STOP_PAUSE);
	assert_int_equal(fake_llm_calls(w->fake), 1 + LLM_PAUSES_MAX);
	assert_int_equal(s.usage.continued, LLM_PAUSES_MAX);
	buf_deinit(&s.text);
}

/* The continuation fails: shown text stays; without shown text, it is retried from the pause. */
static void failure_after_a_pause_is_retried_from_the_pause(void **state)
{
	struct scripted *w = *state;

	for (int shown = 0; shown < 2; shown++) {
		size_t before = fake_llm_calls(w->fake);
		struct call_outcome s;

		fake_llm_expect(w->fake, LLM_ANSWER, NULL);
		fake_llm_text(w->fake, "one ");
		fake_llm_stop(w->fake, LLM_STOP_PAUSE);
		fake_llm_expect(w->fake, LLM_ANSWER, "assistant: one ");
		fake_llm_fail(w->fake, ERR_UPSTREAM, true);
		if (!shown) {
			fake_llm_expect(w->fake, LLM_ANSWER, "assistant: one ");
			fake_llm_text(w->fake, "two");
		}
		start(w->llm, w->arena, &s, shown ? &streamed : &unstreamed, 0);
		run(w->loop, &s, 3000);
		assert_null(fake_llm_complaint(w->fake));
		assert_int_equal(s.err.code, shown ? ERR_UPSTREAM : ERR_NONE);
		assert_int_equal(s.shown, shown);
		assert_int_equal(fake_llm_calls(w->fake) - before, shown ? 2 : 3);
		assert_int_equal(s.blocks, shown ? 0 : 2);
		buf_deinit(&s.text);
	}
}

static void call_can_be_cancelled_after_a_pause(void **state)
{
	struct scripted *w = *state;
	struct call_outcome s;

	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	fake_llm_text(w->fake, "one ");
	fake_llm_stop(w->fake, LLM_STOP_PAUSE);
	fake_llm_expect(w->fake, LLM_ANSWER, NULL);
	fake_llm_stall(w->fake);
	start(w->llm, w->arena, &s, &streamed, 0);
	while (fake_llm_calls(w->fake) < 2)
		loop_run_once(w->loop);
	op_cancel(&s.op);
	run(w->loop, &s, 50);
	assert_false(s.ended);
	assert_int_equal(fake_llm_cancelled(w->fake), 1);
	buf_deinit(&s.text);
}

/* clang-format off */
#define STREAM "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
#define BLOCK(i, block) "data: {\"type\":\"content_block_start\",\"index\":" i ",\"content_block\":" block "}\n\n"
#define DELTA(i, delta) "data: {\"type\":\"content_block_delta\",\"index\":" i ",\"delta\":" delta "}\n\n"
#define PAUSE(usage) "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"pause_turn\"},\"usage\":" usage "}\n\n"

static const char searches[] = STREAM
	BLOCK("0", "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}")
	DELTA("0", "{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}")
	DELTA("0", "{\"type\":\"signature_delta\",\"signature\":\"S==\"}")
	BLOCK("1", "{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{}}")
	DELTA("1", "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"query\\\":\"}")
	DELTA("1", "{\"type\":\"input_json_delta\",\"partial_json\":\"\\\"NP15\\\"}\"}")
	BLOCK("2", "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"encrypted_content\":\"E=\"}]}")
	BLOCK("3", "{\"type\":\"text\",\"text\":\"\",\"citations\":null}")
	DELTA("3", "{\"type\":\"citations_delta\",\"citation\":{\"type\":\"page\",\"n\":1}}")
	DELTA("3", "{\"type\":\"text_delta\",\"text\":\"found\"}")
	PAUSE("{\"output_tokens\":1}");
static const char continuation[] = ",{\"role\":\"assistant\",\"content\":["
	"{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"S==\"},"
	"{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{\"query\":\"NP15\"}},"
	"{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"encrypted_content\":\"E=\"}]},"
	"{\"type\":\"text\",\"text\":\"found\",\"citations\":[{\"type\":\"page\",\"n\":1}]}]}]}";
/* clang-format on */

/* Opaque blocks of the service are sent back, too. */
static void extra_members_are_returned_unchanged(void **state)
{
	struct pair *w = *state;
	struct call_outcome s;

	add_reply(&w->a, searches);
	add_reply(&w->a, OK_ANSWER("x"));
	run_call(w, &s);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_int_equal(s.blocks, 5);
	assert_int_equal(w->a.request_count, 2);
	assert_non_null(strstr(w->a.requests[1], continuation));
}

/* Another provider starts without the blocks of the first. */
static void paused_blocks_are_not_sent_to_another_provider(void **state)
{
	struct pair *w = *state;
	struct call_outcome s;

	add_reply(&w->a, searches);
	add_reply(&w->a, FAILURE("401", ""));
	add_reply(&w->b, OK_ANSWER("x"));
	start(w->llm, w->arena, &s, &unstreamed, 0);
	run(w->loop, &s, 5000);
	assert_int_equal(s.err.code, ERR_NONE);
	assert_string_equal(s.provider, "second");
	assert_int_equal(s.blocks, 1);
	assert_null(strstr(w->b.requests[0], "assistant"));
	buf_deinit(&s.text);
}

static void on_entry(void *owner, const struct budget_entry *entry)
{
	size_t *reservations = owner;

	*reservations += entry->hold;
}

/* Each request has a reservation; if the budget does not allow a continuation, the shown text stays
 * and no other provider repeats it. */
static void budget_limits_continuations(void **state)
{
	static const struct budget_owner ann = {"acme", "ann", "analyst"};
	const struct budget_limit limit = {BUDGET_USER, NULL, BUDGET_DAY, 10000, 0};
	struct pair *w = *state;
	struct llm_provider_options p[2];
	struct budget *budget = budget_new(NULL, 0, &limit, 1);
	size_t reservations = 0;
	const struct llm_options o = {.providers = p,
				      .provider_count = 2,
				      .budget = budget,
				      .ledger = on_entry,
				      .ledger_owner = &reservations};
	struct llm_block question = {.kind = LLM_TEXT, .text = "question"};
	struct llm_message message = {LLM_USER, &question, 1};
	const struct llm_call call = {.role = LLM_ANSWER,
				      .messages = &message,
				      .message_count = 1,
				      .max_tokens = 3000,
				      .budget_owner = &ann};
	struct llm *llm;
	struct call_outcome s = {0};

	pair_providers(w, p);
	assert_true(llm_new(w->loop, w->http, &o, &llm, NULL));
	buf_init(&s.text, 1000);
	for (int i = 0; i < 3; i++)
		add_reply(&w->a, STREAM BLOCK("0", "{\"type\":\"text\",\"text\":\"a\"}")
					 PAUSE("{\"input_tokens\":100,\"output_tokens\":3900}"));
	s.op = llm_start(llm, &call, w->arena, &streamed, &s);
	run(w->loop, &s, 5000);
	assert_int_equal(s.err.code, ERR_QUOTA);
	assert_true(s.shown);
	assert_string_equal(buf_text(&s.text), "aa");
	assert_string_equal(s.provider, "first");
	assert_int_equal(w->a.request_count, 2);
	assert_int_equal(w->b.request_count, 0);
	assert_int_equal(reservations, 2);
	assert_int_equal(s.usage.output_tokens, 7800);
	buf_deinit(&s.text);
	llm_free(&llm);
	budget_free(&budget);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(streams_text_and_ends, scripted_setup,
						scripted_teardown),
		cmocka_unit_test_setup_teardown(shown_text_is_not_retried, scripted_setup,
						scripted_teardown),
		cmocka_unit_test_setup_teardown(failure_without_text_handler_is_retried,
						scripted_setup, scripted_teardown),
		cmocka_unit_test_setup_teardown(call_can_be_cancelled_in_every_state,
						scripted_setup, scripted_teardown),
		cmocka_unit_test_setup_teardown(failures_are_retried_until_an_answer, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(fails_over_after_all_attempts, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(permanent_failure_fails_over_without_retry,
						pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(rejected_request_goes_to_the_next_provider,
						pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(retry_after_is_respected, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(call_fails_if_all_providers_are_unavailable,
						pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(successful_probe_closes_the_breaker, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(cancelled_probe_allows_another, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(deadline_limits_the_waits, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(attempts_and_tokens_are_counted, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(paused_answer_is_continued, scripted_setup,
						scripted_teardown),
		cmocka_unit_test_setup_teardown(continuations_are_limited, scripted_setup,
						scripted_teardown),
		cmocka_unit_test_setup_teardown(failure_after_a_pause_is_retried_from_the_pause,
						scripted_setup, scripted_teardown),
		cmocka_unit_test_setup_teardown(call_can_be_cancelled_after_a_pause, scripted_setup,
						scripted_teardown),
		cmocka_unit_test_setup_teardown(extra_members_are_returned_unchanged, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(paused_blocks_are_not_sent_to_another_provider,
						pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(budget_limits_continuations, pair_setup,
						pair_teardown),
	};

	log_capture(on_log, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
