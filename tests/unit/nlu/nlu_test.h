/* One question, understood with the catalogue of goods. */
#ifndef TESTS_KNOW_TEST_H
#define TESTS_KNOW_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "english.h"
#include "goods_catalog.h"
#include "nlu_int.h"
#include "vesper/json.h"
#include "vesper/mem.h"

/* ---- one test's things ---- */

struct fixture {
	struct nlu *nlu;
	struct arena *arena;
	struct catalog_view view;
	json_t *standing;
	struct understanding u;
};

static const char *const all_permissions[] = {"parcels"};
static const struct principal everybody = {
	.user = "u", .tenant = "t", .permissions = all_permissions, .permission_count = 1};
static const struct principal nobody = {.user = "n", .tenant = "t"};

/* The catalogue with the language, which is read once a program. */
static inline const struct catalog *speaking(struct catalog *c)
{
	static const struct language *language;

	if (!language) {
		static struct arena *kept;

		kept = arena_new(1 << 24);
		language = english(kept);
	}
	c->language = language;
	return c;
}

static inline int fixture_setup(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	f->nlu = nlu_new(speaking(&goods_catalog));
	f->arena = arena_new(1 << 24);
	catalog_for(&goods_catalog, &everybody, f->arena, &f->view);
	*state = f;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	json_decref(f->standing);
	nlu_free(&f->nlu);
	arena_free(&f->arena);
	mem_free(f);
	return 0;
}

static const struct date fixture_today = {2026, 2, 27};

static inline const struct understanding *fixture_edit(struct fixture *f, const char *question,
						       const char *filters)
{
	struct nlu_input in = {.question = question,
			       .may = &f->view,
			       .today = fixture_today,
			       .session_context = f->standing};

	if (filters) {
		json_t *edited;
		struct err e;

		assert_true(json_parse(filters, strlen(filters), 4096, &edited, &e));
		in.edited_filters = json_own(f->arena, edited);
	}
	nlu_understand(f->nlu, &in, f->arena, &f->u);
	return &f->u;
}

static inline const struct understanding *fixture_ask(struct fixture *f, const char *question)
{
	return fixture_edit(f, question, NULL);
}

/* As a turn does it: what was understood stands, with what was asked back. */
static inline void fixture_store_context(struct fixture *f)
{
	json_decref(f->standing);
	f->standing = nlu_session_context(&f->u);
	if (f->u.ask.text) {
		json_t *ask = json_object(), *options = json_array();

		for (size_t i = 0; i < f->u.ask.option_count; i++)
			json_push_take(options,
				       json_pack("{s:s,s:s}", "value", f->u.ask.options[i].value,
						 "label", f->u.ask.options[i].label));
		json_set_str(ask, "ask_id", "a");
		json_set_str(ask, "filter", f->u.ask.filter);
		json_set_take(ask, "options", options);
		json_set_take(f->standing, "ask", ask);
	}
}

static inline void fixture_ask_and_store(struct fixture *f, const char *question)
{
	fixture_ask(f, question);
	fixture_store_context(f);
}

/* The route object without its confidence, as text. */
static inline const char *fixture_route(struct fixture *f, const char *question)
{
	json_t *route = nlu_route_json(fixture_ask(f, question));
	const char *copy;
	char *text;

	json_object_del(route, "confidence");
	text = json_text(route);
	copy = arena_strdup(f->arena, text);
	mem_free(text);
	json_decref(route);
	return copy;
}

static inline const char *fixture_words(struct fixture *f, const struct value *v)
{
	const struct reading r = {.nlu = f->nlu, .arena = f->arena};

	return value_display_text(&r, v);
}

/* "name arg=value arg=a,b; name …" of the calls. */
static inline const char *calls_text(struct fixture *f, const struct understanding *u)
{
	struct buf b;
	const char *text;

	buf_init(&b, 65536);
	for (size_t i = 0; i < u->tool_count; i++) {
		const struct args *args = &u->tools[i].args;

		buf_printf(&b, "%s%s", i ? "; " : "", u->tools[i].tool->name);
		for (size_t n = 0; n < args->count; n++) {
			buf_printf(&b, " %s=", args->items[n].name);
			for (size_t v = 0; v < args->items[n].count; v++)
				buf_printf(&b, "%s%s", v ? "," : "",
					   fixture_words(f, &args->items[n].values[v]));
		}
	}
	text = arena_strdup(f->arena, buf_text(&b));
	buf_deinit(&b);
	return text;
}

static inline const char *fixture_calls(struct fixture *f, const char *question)
{
	return calls_text(f, fixture_ask(f, question));
}

static inline const struct filter *filter_of(const struct understanding *u, const char *name)
{
	for (size_t i = 0; i < u->filter_count; i++)
		if (strcmp(u->filters[i].name, name) == 0)
			return &u->filters[i];
	return NULL;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

#endif
