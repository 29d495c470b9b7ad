/* Providers and roles, as read from the configuration. */
#include "call_world.h"

static void invalid_provider_options_are_rejected(void **state)
{
	struct pair *w = *state;
	struct llm_provider_options p = {
		.name = "x", .kind = "gopher", .base_url = "http://h", .key = "k", .version = "v"};
	struct llm_options o = {.providers = &p};
	struct llm *llm = w->llm;
	struct err e = {0};

	assert_true(
		llm_new(w->loop, w->http, &o, &llm, &e)); /* no provider: no model, but no error */
	assert_null(llm);
	assert_false(llm_is_usable(NULL));
	o.provider_count = 1;
	assert_false(llm_new(w->loop, w->http, &o, &llm, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_string_equal(e.text, "model provider x: unknown kind \"gopher\"");
	p.kind = "anthropic";
	p.name = "a\"b";
	assert_false(llm_new(w->loop, w->http, &o, &llm, &e));
	assert_non_null(strstr(e.text, "the name must be"));
}

/* Which of three providers (two kinds) a role uses first, and with which model. */
static void role_selects_providers_and_models(void **state)
{
	struct pair *w = *state;
	const struct llm_provider_options p[] = {
		{.name = "a",
		 .kind = "anthropic",
		 .base_url = w->a.url,
		 .key = "k",
		 .version = "2026-10-21"},
		{.name = "b", .kind = "openai", .base_url = w->b.url, .key = "k"},
		{.name = "c",
		 .kind = "openai",
		 .base_url = w->b.url,
		 .key = "k",
		 .models = {"own", "own", "own"}},
	};
	const struct {
		const char *first, *model;
		bool uses_second;
		const char *expected;
	} rows[] = {
		{NULL, "claude-x", false, "\"model\":\"claude-x\""},
		{"b", "gpt-x", true, "\"model\":\"gpt-x\""},
		{"b", NULL, true, "\"model\":\"gpt-5\""},
		{" c , a", "claude-x", true, "\"model\":\"own\""},
		{"a,c", NULL, false, "\"model\":\"claude-sonnet-4-6\""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tiny_server *server = rows[i].uses_second ? &w->b : &w->a;
		struct llm_options o = {.providers = p, .provider_count = 3};
		size_t before = server->request_count;
		struct llm *llm;
		struct call_outcome s;

		o.roles[LLM_ANSWER].providers = rows[i].first;
		o.roles[LLM_ANSWER].model = rows[i].model;
		assert_true(llm_new(w->loop, w->http, &o, &llm, NULL));
		add_reply(server, FAILURE("200", "")); /* only the request matters */
		start(llm, w->arena, &s, &unstreamed, clock_mono_ms() + 500);
		while (server->request_count == before)
			loop_run_once(w->loop);
		assert_non_null(strstr(server->requests[before], rows[i].expected));
		assert_non_null(strstr(rows[i].expected, llm_model(llm, LLM_ANSWER)));
		op_cancel(&s.op);
		buf_deinit(&s.text);
		llm_free(&llm);
	}
}

static void role_with_unknown_provider_is_rejected(void **state)
{
	struct pair *w = *state;
	const struct llm_provider_options p = {
		.name = "a", .kind = "ollama", .models = {"m", "m", "m"}};
	struct llm_options o = {.providers = &p, .provider_count = 1};
	struct err e = {0};
	struct llm *llm;

	o.roles[LLM_AGENT].providers = "a, z";
	assert_false(llm_new(w->loop, w->http, &o, &llm, &e));
	assert_string_equal(e.text, "role \"agent\" uses provider \"z\", which is not configured");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(role_selects_providers_and_models, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(role_with_unknown_provider_is_rejected, pair_setup,
						pair_teardown),
		cmocka_unit_test_setup_teardown(invalid_provider_options_are_rejected, pair_setup,
						pair_teardown),
	};

	log_capture(on_log, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
