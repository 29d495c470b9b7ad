/* Embeddings over real HTTP: requests, valid and invalid replies, and costs. */
#include <math.h>

#include "call_world.h"
#include "vesper/embed.h"

/* base64 of the floats 3, 4 and of 0, -2, little-endian. */
#define THREE_FOUR "AABAQAAAgEA="
#define ZERO_TWO   "AAAAAAAAAMA="

struct embedding_result {
	struct op *op;
	bool ended;
	float values[8];
	size_t dims;
	struct err err;
};

static void on_embeddings(void *owner, const float *values, size_t dims, const struct err *e)
{
	struct embedding_result *m = owner;

	m->op = NULL;
	m->ended = true;
	m->dims = dims;
	if (e)
		m->err = *e;
	else
		memcpy(m->values, values, 2 * dims * sizeof(*values));
}

static char *replies[8];
static size_t reply_count;

static void add_json_reply(struct tiny_server *s, const char *status, const char *body)
{
	char *text = mem_printf("HTTP/1.1 %s\r\ncontent-type: application/json\r\n"
				"content-length: %zu\r\nconnection: close\r\n\r\n%s",
				status, strlen(body), body);

	replies[reply_count++] = text;
	tiny_server_add(s, (struct tiny_reply){.text = text});
}

static struct llm *open_llm(const struct pair *w, const struct llm_embed_options *embed,
			    struct budget *b, struct err *e)
{
	struct llm_provider_options p[3];
	struct llm_options o = {.providers = p,
				.provider_count = 3,
				.embed = *embed,
				.first_byte_ms = 3000,
				.idle_ms = 3000,
				.breaker_failures = 5,
				.retry_base_ms = 10,
				.budget = b};
	struct llm *llm = NULL;

	pair_providers(w, p);
	p[2] = (struct llm_provider_options){.name = "near", .kind = "vllm", .base_url = w->b.url};
	return llm_new(w->loop, w->http, &o, &llm, e) ? llm : NULL;
}

static const struct llm_embed_options default_embed = {.provider = "near", .model = "nomic"};

static void embed_two(struct pair *w, struct llm *llm, const struct budget_owner *budget_owner,
		      struct embedding_result *m)
{
	static const char *const texts[] = {"a \"b\"", " "};

	*m = (struct embedding_result){0};
	m->op = embed_start(
		llm, &(struct embed_call){.texts = texts, .count = 2, .budget_owner = budget_owner},
		w->arena, on_embeddings, m);
	assert_false(m->ended);
	for (uint64_t begin = loop_now_ms(w->loop);
	     !m->ended && loop_now_ms(w->loop) < begin + 3000;) {
		loop_run_once(w->loop);
		usleep(100);
	}
	assert_true(m->ended);
}

static int teardown(void **state)
{
	while (reply_count > 0)
		mem_free(replies[--reply_count]);
	return pair_teardown(state);
}

/* ---- tests ---- */

static void embeds_two_texts(void **state)
{
	struct pair *w = *state;
	struct err e = {0};
	struct llm *llm = open_llm(w, &default_embed, NULL, &e);
	struct embedding_result m;
	const char *sent;

	assert_non_null(llm);
	assert_string_equal(embed_model(llm), "nomic");
	assert_true(llm_can_answer(llm));
	add_json_reply(&w->b, "200 OK",
		       "{\"data\":[{\"index\":1,\"embedding\":\"" ZERO_TWO
		       "\"},{\"index\":0,\"embedding\":\"" THREE_FOUR "\"}]}");
	embed_two(w, llm, NULL, &m);
	assert_int_equal(m.err.code, ERR_NONE);
	assert_int_equal(m.dims, 2);
	assert_true(fabsf(m.values[0] - 0.6F) < 1e-6F && fabsf(m.values[1] - 0.8F) < 1e-6F);
	assert_true(m.values[2] == 0 && m.values[3] == -1);
	sent = w->b.requests[0];
	assert_non_null(strstr(sent, "POST /v1/embeddings "));
	assert_non_null(strstr(sent, "{\"model\":\"nomic\",\"encoding_format\":\"base64\","
				     "\"input\":[\"a \\\"b\\\"\",\"-\"]}"));
	llm_free(&llm);
}

static void accepts_lists_of_numbers(void **state)
{
	struct pair *w = *state;
	struct llm_embed_options embed = default_embed;
	struct err e = {0};
	struct llm *llm;
	struct embedding_result m;

	embed.dimensions = 2;
	llm = open_llm(w, &embed, NULL, &e);
	assert_non_null(llm);
	add_json_reply(&w->b, "200 OK",
		       "{\"data\":[{\"index\":0,\"embedding\":[3,4.0]},"
		       "{\"index\":1,\"embedding\":[0,0]}]}");
	embed_two(w, llm, NULL, &m);
	assert_int_equal(m.err.code, ERR_NONE);
	assert_true(m.values[2] == 0 && m.values[3] == 0); /* the zero vector stays zero */
	assert_non_null(strstr(w->b.requests[0], "\"dimensions\":2"));
	llm_free(&llm);
}

static void malformed_vectors_are_rejected(void **state)
{
	static const char *const bodies[] = {
		"",
		"[]",
		"{\"data\":{}}",
		"{\"data\":[]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1,0]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":2,\"embedding\":[1]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":-1,\"embedding\":[1]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"embedding\":[1]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":1,\"embedding\":[1,2]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[]},{\"index\":1,\"embedding\":[]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[\"x\"]},{\"index\":1,\"embedding\":[1]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":[1e300]},{\"index\":1,\"embedding\":[1]}]}",
		"{\"data\":[{\"index\":0,\"embedding\":\"AAA\"},{\"index\":1,\"embedding\":[1]}]}",
		/* the bytes of a NaN */
		"{\"data\":[{\"index\":0,\"embedding\":\"AADAfw==\"},{\"index\":1,\"embedding\":[1]"
		"}"
		"]}",
		"{\"error\":{\"message\":\"no such model\",\"type\":\"not_found_error\"}}",
	};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct pair *w;
		struct err e = {0};
		struct llm *llm;
		struct embedding_result m;
		void *world;

		pair_setup(&world);
		w = world;
		llm = open_llm(w, &default_embed, NULL, &e);
		add_json_reply(&w->b, "200 OK", bodies[i]);
		embed_two(w, llm, NULL, &m);
		if (m.err.code != ERR_UPSTREAM)
			fail_msg("%s: %s", bodies[i], m.err.text);
		assert_int_equal(w->b.request_count, 1);
		llm_free(&llm);
		mem_free(replies[--reply_count]);
		pair_teardown(&world);
	}
	(void)state;
}

static void transient_errors_are_retried(void **state)
{
	struct pair *w = *state;
	struct err e = {0};
	struct llm *llm = open_llm(w, &default_embed, NULL, &e);
	struct embedding_result m;

	add_json_reply(&w->b, "503 Busy", "{}");
	add_json_reply(
		&w->b, "200 OK",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":1,\"embedding\":[1]}]}");
	embed_two(w, llm, NULL, &m);
	assert_int_equal(m.err.code, ERR_NONE);
	assert_int_equal(w->b.request_count, 2);
	add_json_reply(&w->b, "400 Bad", "{\"error\":{\"message\":\"too long\"}}");
	embed_two(w, llm, NULL, &m);
	assert_int_equal(m.err.code, ERR_INPUT);
	assert_int_equal(w->b.request_count, 3);
	llm_free(&llm);
}

static void many_texts_are_sent_in_batches(void **state)
{
	struct pair *w = *state;
	struct err e = {0};
	struct llm *llm = open_llm(w, &default_embed, NULL, &e);
	const char *texts[EMBED_BATCH + 1];
	struct embedding_result m = {0};
	struct buf body;

	for (size_t i = 0; i <= EMBED_BATCH; i++)
		texts[i] = "x";
	buf_init(&body, 1 << 20);
	for (size_t i = 0; i < EMBED_BATCH; i++)
		buf_printf(&body, "%s{\"index\":%zu,\"embedding\":[1]}", i ? "," : "{\"data\":[",
			   i);
	buf_str(&body, "]}");
	add_json_reply(&w->b, "200 OK", buf_text(&body));
	add_json_reply(&w->b, "200 OK", "{\"data\":[{\"index\":0,\"embedding\":[-1]}]}");
	m.op = embed_start(llm, &(struct embed_call){.texts = texts, .count = EMBED_BATCH + 1},
			   w->arena, on_embeddings, &m);
	for (uint64_t begin = loop_now_ms(w->loop);
	     !m.ended && loop_now_ms(w->loop) < begin + 3000;)
		loop_run_once(w->loop);
	assert_int_equal(m.err.code, ERR_NONE);
	assert_int_equal(m.dims, 1);
	assert_int_equal(w->b.request_count, 2);
	buf_deinit(&body);
	llm_free(&llm);
}

static void cancel_ends_the_request(void **state)
{
	struct pair *w = *state;
	struct err e = {0};
	struct llm *llm = open_llm(w, &default_embed, NULL, &e);
	static const char *const texts[] = {"x"};
	struct embedding_result m = {0};

	tiny_server_add(&w->b, (struct tiny_reply){.text = "", .hang = true});
	m.op = embed_start(llm, &(struct embed_call){.texts = texts, .count = 1}, w->arena,
			   on_embeddings, &m);
	for (int i = 0; i < 20; i++)
		loop_run_once(w->loop);
	op_cancel(&m.op);
	assert_false(m.ended);
	assert_int_equal(http_running(w->http), 0);
	llm_free(&llm);
}

static void budget_limits_embeddings(void **state)
{
	struct pair *w = *state;
	const struct budget_limit limit = {.scope = BUDGET_USER, .period = BUDGET_DAY, .tokens = 6};
	const struct budget_owner budget_owner = {"t", "u", "r"};
	struct budget *b = budget_new(NULL, 0, &limit, 1);
	struct err e = {0};
	struct llm *llm = open_llm(w, &default_embed, b, &e);
	struct budget_state s;
	struct embedding_result m;

	add_json_reply(
		&w->b, "200 OK",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":1,\"embedding\":[1]}],"
		"\"usage\":{\"prompt_tokens\":6}}");
	embed_two(w, llm, &budget_owner, &m);
	assert_int_equal(m.err.code, ERR_NONE);
	assert_true(llm_budget_state(llm, &budget_owner, &s));
	assert_int_equal(s.used_percent, 100);
	embed_two(w, llm, &budget_owner, &m);
	assert_int_equal(m.err.code, ERR_QUOTA);
	assert_int_equal(w->b.request_count, 1);
	llm_free(&llm);
	budget_free(&b);
}

/* A provider that has only an embedding model is never used for answers. */
static void embedding_provider_is_never_used_for_answers(void **state)
{
	struct pair *w = *state;
	const struct llm_provider_options near = {
		.name = "near", .kind = "ollama", .base_url = w->b.url};
	const struct llm_options o = {
		.providers = &near, .provider_count = 1, .embed = default_embed};
	struct llm *llm = NULL;
	struct err e = {0};
	struct embedding_result m;

	assert_true(llm_new(w->loop, w->http, &o, &llm, &e));
	assert_false(llm_can_answer(llm));
	assert_false(llm_is_usable(llm));
	assert_false(llm_can_answer(NULL));
	assert_null(llm_model(NULL, LLM_ROUTE));
	add_json_reply(
		&w->b, "200 OK",
		"{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":1,\"embedding\":[1]}]}");
	embed_two(w, llm, NULL, &m);
	assert_int_equal(m.err.code, ERR_NONE);
	llm_free(&llm);
}

static void settings_are_checked(void **state)
{
	struct pair *w = *state;
	const struct {
		struct llm_embed_options embed;
		const char *error; /* NULL: valid */
		bool has_model;
	} rows[] = {
		{{0}, NULL, false},
		{{.provider = "near", .model = "m"}, NULL, true},
		{{.provider = "near"}, "no model for the role \"embed\"", false},
		{{.model = "m"}, "has a model, but no provider", false},
		{{.provider = "far", .model = "m"}, "which is not configured", false},
		{{.provider = "first", .model = "m"}, "offers no embeddings", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = {0};
		struct llm_provider_options p[3];
		struct llm_options o = {
			.providers = p, .provider_count = 3, .embed = rows[i].embed};
		struct llm *llm = NULL;

		pair_providers(w, p);
		p[2] = (struct llm_provider_options){
			.name = "near", .kind = "openai", .base_url = w->b.url, .key = "k"};
		assert_int_equal(llm_new(w->loop, w->http, &o, &llm, &e), !rows[i].error);
		assert_int_equal(embed_model(llm) != NULL, rows[i].has_model);
		if (rows[i].error && !strstr(e.text, rows[i].error))
			fail_msg("%s", e.text);
		llm_free(&llm);
	}
	assert_null(embed_model(NULL));
}

#define WITH_PAIR(test) cmocka_unit_test_setup_teardown(test, pair_setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAIR(embeds_two_texts),
		WITH_PAIR(accepts_lists_of_numbers),
		cmocka_unit_test(malformed_vectors_are_rejected),
		WITH_PAIR(transient_errors_are_retried),
		WITH_PAIR(many_texts_are_sent_in_batches),
		WITH_PAIR(cancel_ends_the_request),
		WITH_PAIR(budget_limits_embeddings),
		WITH_PAIR(embedding_provider_is_never_used_for_answers),
		WITH_PAIR(settings_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
