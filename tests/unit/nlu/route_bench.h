/* Questions asked of the real catalogue, with the names that the demo has, and judged by their
 * labels. */
#ifndef TESTS_ROUTE_BENCH_H
#define TESTS_ROUTE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/nlu.h"
#include "vesper/mem.h"

#define NAMES    VESPER_SOURCE_DIR "/tests/route/names.json"
#define FILE_CAP (1 << 20)
#define TENANT   "t"

struct bench {
	struct catalog *catalog;
	struct nlu *nlu;
	struct principal who;
	const json_t *names;
	struct refusal refusal; /* of the question that was understood last */
	bool refused;
	int64_t spent_us;
	int asked;
};

static inline json_t *standing_of(const struct understanding *u)
{
	json_t *standing = nlu_session_context(u), *ask = json_object(), *options = json_array();

	for (size_t i = 0; i < u->ask.option_count; i++)
		json_push_take(options, json_pack("{s:s,s:s}", "value", u->ask.options[i].value,
						  "label", u->ask.options[i].label));
	json_set_str(ask, "filter", u->ask.filter);
	json_set_take(ask, "options", options);
	if (u->ask.text)
		json_set_take(standing, "ask", ask);
	else
		json_decref(ask);
	return standing;
}

static inline void understand(struct bench *b, const struct catalog_view *may, const json_t *line,
			      struct arena *a, struct understanding *u)
{
	const json_t *history = json_object_get(line, "history");
	size_t n = json_array_size(history);
	json_t *standing = NULL;

	for (size_t i = 0; i <= n; i++) {
		const json_t *text =
			i < n ? json_array_get(history, i) : json_object_get(line, "question");
		struct nlu_input in = {.question = json_string_value(text),
				       .tenant = TENANT,
				       .may = may,
				       .today = {2026, 2, 27},
				       .session_context = standing,
				       .edited_filters =
					       i == n ? json_object_get(line, "edits") : NULL};
		int64_t began = clock_mono_us();

		nlu_understand(b->nlu, &in, a, u);
		b->spent_us += clock_mono_us() - began;
		b->asked++;
		b->refused = nlu_refuse(b->nlu, &in, u, a, &b->refusal);
		if (i < n) {
			json_decref(standing);
			standing = standing_of(u);
		}
	}
	json_decref(standing);
}

static inline bool right_tools(const struct understanding *u, const json_t *line)
{
	const json_t *want = json_object_get(line, "tools");
	json_int_t calls = json_integer_value(json_object_get(line, "calls"));

	if (calls > 0 ? u->tool_count != (size_t)calls : u->tool_count != json_array_size(want))
		return false;
	for (size_t i = 0; i < u->tool_count; i++)
		if (strcmp(u->tools[i].tool->name,
			   json_string_value(json_array_get(want, calls > 0 ? 0 : i))) != 0)
			return false;
	return true;
}

/* Lists are sets: the order in which names are found is no part of what was meant. */
static inline json_t *sorted(const json_t *list)
{
	json_t *out = json_array();
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)list, i, item) {
		size_t at = 0;
		char *text = json_text(item), *other = NULL;

		for (; at < json_array_size(out); at++) {
			other = json_text(json_array_get(out, at));
			if (strcmp(other, text) > 0)
				break;
			mem_free(other);
			other = NULL;
		}
		mem_free(other);
		mem_free(text);
		json_array_insert(out, at, (json_t *)item);
	}
	return out;
}

static inline bool same_filters(const json_t *want, const json_t *got)
{
	const json_t *value;
	const char *name;
	bool same = json_object_size(want) == json_object_size(got);

	json_object_foreach((json_t *)want, name, value) {
		const json_t *other = json_object_get(got, name);
		json_t *a, *b;

		if (json_decimal_text(other)) {
			same = same && json_is_number(value) &&
			       json_number_value(value) == atof(json_decimal_text(other));
			continue;
		}
		if (!json_is_array(value)) {
			same = same && json_equal(value, other);
			continue;
		}
		a = sorted(value);
		b = sorted(other);
		same = same && json_equal(a, b);
		json_decref(a);
		json_decref(b);
	}
	return same;
}

static inline bool right_rest(const struct understanding *u, const json_t *line,
			      const json_t *route)
{
	const json_t *filters = json_object_get(line, "filters");
	const char *ask = json_string_value(json_object_get(line, "ask"));
	bool unknown = json_is_true(json_object_get(line, "unknown"));

	if (filters && !same_filters(filters, json_object_get(route, "filters")))
		return false;
	if (!ask)
		return u->ask.text == NULL;
	return u->ask.text && u->ask.filter && strcmp(u->ask.filter, ask) == 0 &&
	       u->ask.unknown == unknown;
}

static inline bool list_holds(const char *const *list, const char *text)
{
	for (; list && *list; list++)
		if (strcmp(*list, text) == 0)
			return true;
	return false;
}

/* The dimension of a filter of values that are left out, or NULL. */
static inline const char *left_out_of(const struct catalog *c, const char *filter)
{
	for (size_t t = 0; t < c->tool_count; t++) {
		const struct param_def *p = tool_param_of_filter(&c->tools[t], filter);

		if (p && p->slot == SLOT_NOT)
			return p->entity;
	}
	return NULL;
}

/* One of the texts that a parameter lists. */
static inline bool is_listed(const struct catalog *c, const struct filter *f, const char *text)
{
	for (size_t t = 0; t < c->tool_count; t++) {
		const struct param_def *p = tool_param_of_filter(&c->tools[t], f->name);

		if (p && list_holds(p->values, text))
			return true;
	}
	return false;
}

/* Is the value one of the catalogue's or the tenant's? Numbers, days and orders come from the
 * grammar. */
static inline bool is_known(const struct bench *b, const struct filter *f, const struct value *v)
{
	const struct catalog *c = b->catalog;
	const char *left_out = left_out_of(c, f->name);
	/* what a query over the map leaves out */
	const char *of = f->name + (f->fixed && strncmp(f->name, "not_", 4) == 0 ? 4 : 0);

	if (v->type == VALUE_INT || v->type == VALUE_DATE || v->type == VALUE_DECIMAL ||
	    v->type == VALUE_BOOL)
		return true;
	if (strcmp(v->text, ORDER_ASC) == 0 || strcmp(v->text, ORDER_DESC) == 0)
		return strcmp(f->name, "order") == 0;
	if (is_listed(c, f, v->text))
		return true;
	for (size_t i = 0; v->text && i < c->dimension_count; i++) {
		const struct dimension_def *d = &c->dimensions[i];
		const json_t *learned = json_object_get(b->names, d->name), *name;
		size_t n;

		if (left_out ? strcmp(d->name, left_out) != 0
			     : strncmp(d->filter, of, strlen(d->filter)) != 0)
			continue;
		if (list_holds(d->values, v->text))
			return true;
		json_array_foreach((json_t *)learned, n, name)
			if (strcmp(json_string_value(name), v->text) == 0)
				return true;
	}
	return false;
}

static inline void nothing_is_made_up(const struct bench *b, const struct understanding *u,
				      const char *question)
{
	for (size_t i = 0; i < u->filter_count; i++)
		for (size_t v = 0; v < u->filters[i].count; v++)
			if (!is_known(b, &u->filters[i], &u->filters[i].values[v]))
				fail_msg("\"%s\": %s is \"%s\"", question, u->filters[i].name,
					 u->filters[i].values[v].text);
}

static inline void learn_names(struct bench *b, struct arena *a)
{
	const char *text, *dimension, **values;
	const json_t *list, *name;
	json_t *names;
	struct err e;
	size_t i;

	assert_true(file_read(NAMES, FILE_CAP, a, &text, &e));
	assert_true(json_parse(text, strlen(text), FILE_CAP, &names, &e));
	b->names = json_own(a, names);
	json_object_foreach(names, dimension, list) {
		values = arena_alloc(a, sizeof(*values) * (json_array_size(list) + 1));
		json_array_foreach(list, i, name)
			values[i] = json_string_value(name);
		assert_true(entity_index_load(nlu_names(b->nlu), TENANT, dimension, values,
					      json_array_size(list)));
	}
}

/* Packs of these roots; NULL: those that are default. No names are learned. */
static inline void bench_open_packs(struct bench *b, const char *const *roots,
				    const struct pack_list *packs)
{
	struct err e;

	if (!catalog_load(roots, packs, &b->catalog, &e))
		fail_msg("%s", e.text);
	b->who = (struct principal){.user = "u", .tenant = TENANT};
	b->who.permissions = catalog_role(b->catalog, "admin");
	while (b->who.permissions && b->who.permissions[b->who.permission_count])
		b->who.permission_count++;
	b->nlu = nlu_new(b->catalog);
}

static inline void bench_open(struct bench *b, struct arena *a)
{
	bench_open_packs(b, (const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL);
	learn_names(b, a);
}

static inline void bench_close(struct bench *b)
{
	nlu_free(&b->nlu);
	catalog_unref(&b->catalog);
}

/* Each line of a file, parsed. */
static inline void each_line(struct bench *b, const char *path, struct arena *a,
			     void (*judge)(struct bench *b, const json_t *line, void *owner),
			     void *owner)
{
	struct str rest, row;
	const char *text;
	struct err e;

	assert_true(file_read(path, FILE_CAP, a, &text, &e));
	rest = str_of(text);
	while (str_split(&rest, '\n', &row)) {
		json_t *line;

		if (str_trim(row).n == 0)
			continue;
		assert_true(json_parse(row.p, row.n, FILE_CAP, &line, &e));
		judge(b, line, owner);
		json_decref(line);
	}
}

#endif
