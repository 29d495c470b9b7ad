/* Exchange recordings, and a model that replays them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llm_int.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

struct world {
	struct loop *loop;
	struct arena *arena;
	json_t *exchanges;
	struct llm *llm;
	struct llm_replay *replay;
	struct buf text;
	struct llm_answer answer;
	struct err err;
	bool ended;
};

static const struct llm_block question = {.kind = LLM_TEXT, .text = "What was the price?"};
static const struct llm_block other = {.kind = LLM_TEXT, .text = "Another prompt"};
static const struct llm_message messages[] = {{LLM_USER, &question, 1}},
				others[] = {{LLM_USER, &other, 1}};

static struct llm_call call_of(const struct llm_message *m, const char *turn_id)
{
	return (struct llm_call){.role = LLM_ANSWER,
				 .messages = m,
				 .message_count = 1,
				 .user_hash = "of-somebody",
				 .turn_id = turn_id};
}

static void record_exchange(struct world *w, const struct llm_call *call,
			    const struct llm_answer *answer, const struct err *e)
{
	char hash[HASH_HEX_BYTES];
	json_t *exchange = exchange_json(call, answer, e, hash);

	json_object_set_new(w->exchanges, hash, exchange);
}

static int setup(void **state)
{
	struct world *w = mem_alloc(sizeof(*w));

	assert_true(loop_new(&w->loop, NULL));
	w->arena = arena_new(1 << 20);
	w->exchanges = json_object();
	w->llm = llm_from_exchanges(w->loop, w->exchanges, &w->replay);
	buf_init(&w->text, 65536);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	llm_free(&w->llm);
	json_decref(w->exchanges);
	buf_deinit(&w->text);
	loop_free(&w->loop);
	arena_free(&w->arena);
	mem_free(w);
	health_reset();
	metric_reset();
	return 0;
}

static void on_text(void *owner, const char *text, size_t len)
{
	buf_add(&((struct world *)owner)->text, text, len);
}

static void on_end(void *owner, const struct llm_answer *answer, bool shown, const struct err *e)
{
	struct world *w = owner;

	(void)shown;
	w->answer = *answer;
	w->err = e ? *e : (struct err){0};
	w->ended = true;
}

static void run_call(struct world *w, const struct llm_call *call)
{
	static const struct llm_handler handler = {on_text, on_end};

	buf_reset(&w->text);
	w->ended = false;
	llm_start(w->llm, call, w->arena, &handler, w);
	assert_false(w->ended);
	while (!w->ended)
		loop_run_once(w->loop);
}

static void recorded_answer_is_replayed(void **state)
{
	struct world *w = *state;
	json_t *input = json_pack("{s:i}", "year", 2025);
	const struct llm_block blocks[] = {
		{.kind = LLM_OPAQUE, .raw = input},
		{.kind = LLM_TEXT, .text = "It was \xE2\x82\xAC"},
		{.kind = LLM_TOOL_USE, .id = "toolu_1", .name = "get", .input = input}};
	const struct llm_answer answer = {.stop = LLM_STOP_TOOL_USE,
					  .usage = {1, 2, 3, 4, 0, 0},
					  .model = "m-1",
					  .blocks = blocks,
					  .count = 3};
	struct llm_call call = call_of(messages, "t1");

	record_exchange(w, &call, &answer, NULL);
	llm_replay_turn(w->replay, "t1");
	call.user_hash = "of-somebody-else"; /* the user makes no difference */
	run_call(w, &call);
	assert_int_equal(w->err.code, ERR_NONE);
	assert_string_equal(buf_text(&w->text), "It was \xE2\x82\xAC");
	assert_int_equal(w->answer.stop, LLM_STOP_TOOL_USE);
	assert_string_equal(w->answer.model, "m-1");
	assert_int_equal(w->answer.usage.output_tokens, 4);
	assert_int_equal(w->answer.count, 2); /* thinking is not recorded */
	assert_string_equal(w->answer.blocks[1].name, "get");
	assert_int_equal(json_integer_value(json_object_get(w->answer.blocks[1].input, "year")),
			 2025);
	assert_int_equal(llm_replay_get_counts(w->replay).exact, 1);
	json_decref(input);
}

static void trail_lists_all_calls(void **state)
{
	struct world *w = *state;
	const struct llm_block block = {.kind = LLM_TEXT, .text = "x"};
	const struct llm_answer answer = {
		.usage = {1, 2, 3, 4, 0, 0}, .model = "m-1", .blocks = &block, .count = 1};
	struct llm_trail trail = {0};
	struct llm_call first = call_of(messages, "t1"), second = call_of(others, "t2");
	char hash[HASH_HEX_BYTES];

	first.trail = second.trail = &trail;
	record_exchange(w, &first, &answer, NULL);
	llm_replay_turn(w->replay, "t1");
	run_call(w, &first);
	run_call(w, &second); /* which has no recording */
	exchange_hash(&first, hash);
	assert_string_equal(trail.first->hash, hash);
	assert_non_null(json_object_get(w->exchanges, trail.first->hash));
	assert_string_equal(trail.first->model, "m-1");
	assert_string_equal(trail.first->provider, "replay");
	assert_int_equal(trail.first->usage.output_tokens, 4);
	assert_ptr_equal(trail.first->next, trail.last);
	assert_string_not_equal(trail.last->hash, hash);
	assert_null(trail.last->model);
	assert_null(trail.last->next);
}

/* A request without a recording gets another exchange of the same turn, once; otherwise none. */
static void exchange_of_the_same_turn_substitutes(void **state)
{
	struct world *w = *state;
	const struct llm_block block = {.kind = LLM_TEXT, .text = "x"};
	const struct llm_answer answer = {.blocks = &block, .count = 1};
	struct llm_call recorded = call_of(messages, "t1"), changed = call_of(others, "t1");

	record_exchange(w, &recorded, &answer, NULL);
	llm_replay_turn(w->replay, "t1");
	run_call(w, &changed);
	assert_string_equal(buf_text(&w->text), "x");
	run_call(w, &changed);
	assert_int_equal(w->err.code, ERR_UPSTREAM);
	assert_int_equal(llm_replay_get_counts(w->replay).stood_in, 1);
	assert_int_equal(llm_replay_get_counts(w->replay).missing, 1);
	llm_replay_turn(w->replay, "t2");
	run_call(w, &changed);
	assert_int_equal(w->err.code, ERR_UPSTREAM);
}

static void failures_are_recorded(void **state)
{
	struct world *w = *state;
	const struct llm_answer nothing = {0};
	const struct err e = {.code = ERR_UPSTREAM, .text = "it was down"};
	struct llm_call call = call_of(messages, "t1");

	record_exchange(w, &call, &nothing, &e);
	llm_replay_turn(w->replay, "t1");
	run_call(w, &call);
	assert_int_equal(w->err.code, ERR_UPSTREAM);
	assert_non_null(strstr(w->err.text, "it was down"));
}

static void on_log(void *owner, const char *line)
{
	(void)owner;
	(void)line;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(recorded_answer_is_replayed, setup, teardown),
		cmocka_unit_test_setup_teardown(trail_lists_all_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(exchange_of_the_same_turn_substitutes, setup,
						teardown),
		cmocka_unit_test_setup_teardown(failures_are_recorded, setup, teardown),
	};

	log_capture(on_log, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
