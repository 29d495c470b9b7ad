/*
 * Tools that classify values of a column: which ones fit a description, or which class each
 * belongs to. The query over the map has returned the values and the measure of each. A model
 * classifies the values (tool_point_model.c). If no model is available, the words of the values are
 * matched instead. Then queries compute the measure of each class, with the values of the class as
 * bound parameters.
 */
#include "tool_point_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/decimal.h"
#include "vesper/frame.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/map.h"

/* One statement: the measure over some values of one class. */
struct chunk {
	size_t total; /* index of the total that it is a part of */
	const struct value *values;
	size_t count;
};

static size_t total_count(const struct classification *p)
{
	return p->result.class_count + 2;
}

static size_t total_index(const struct classification *p, unsigned char class)
{
	return class == CLASS_MAYBE ? p->result.class_count + 1 : class;
}

/* ---- before the query ---- */

static bool add_class(struct classification *p, const char *text)
{
	struct str given = str_trim(str_of(text));

	for (size_t i = 0; i < p->result.class_count; i++)
		if (str_eq_nocase(str_of(p->classes[i]), given))
			return true;
	if (given.n == 0 || p->result.class_count == CLASSIFY_CLASSES_MAX)
		return given.n == 0;
	p->classes[p->result.class_count++] = arena_strndup(p->call->arena, given.p, given.n);
	return true;
}

/* The first dimension that is neither a hidden key nor a time. */
static const struct dimension_def *grouped_dimension(const struct map_query *q)
{
	for (size_t i = 0; i < q->by_count; i++)
		if (!q->by[i].hidden && !q->by[i].grain)
			return q->by[i].dimension;
	return NULL;
}

static bool refuse(struct tool_call *call, const char *detail, struct err *e)
{
	return tool_map_refuse(call, MAP_BAD_VALUE, detail, e);
}

static bool refuse_count(struct tool_call *call, enum sentence what, int count, struct err *e)
{
	return refuse(call,
		      sentence(call->result->language, what, call->arena,
			       arena_printf(call->arena, "%d", count)),
		      e);
}

/* A model gets only the first CLASSIFY_VALUE_BYTES of a text. */
static bool has_long_class(const struct classification *p)
{
	for (size_t i = 0; i < p->result.class_count; i++)
		if (strlen(p->classes[i]) > CLASSIFY_VALUE_BYTES)
			return true;
	return false;
}

bool tool_classify_begin(struct tool_call *call, const struct map_query *q, struct err *e)
{
	const char *name = call->tool->analysis.points;
	const struct arg *given = name ? args_find(&call->args, name) : NULL;
	const struct dimension_def *d = grouped_dimension(q);
	struct classification *p;

	if (!given)
		return true;
	p = arena_alloc(call->arena, sizeof(*p));
	*p = (struct classification){.call = call, .query = q, .is_list = given->is_list};
	for (size_t i = 0; i < given->count; i++)
		if (!add_class(p, given->values[i].text))
			p->result.class_count = 0;
	p->result.classes = p->classes;
	if (p->result.class_count < (p->is_list ? 2 : 1))
		return refuse_count(call, SAY_ANALYSIS_CLASSES, CLASSIFY_CLASSES_MAX, e);
	if (has_long_class(p))
		return refuse_count(call, SAY_ANALYSIS_LONG, CLASSIFY_VALUE_BYTES, e);
	if (!d || d->map.type != COLUMN_TEXT)
		return refuse(call,
			      sentence(call->result->language, SAY_ANALYSIS_NO_TEXTS, call->arena,
				       d ? d->label : name),
			      e);
	call->classification = p;
	return true;
}

/* ---- totals by class ---- */

static void finish(struct classification *p)
{
	struct tool_call *call = p->call;
	struct derive_context *c = arena_alloc(call->arena, sizeof(*c));
	const char **totals = arena_alloc(call->arena, total_count(p) * sizeof(*totals));
	char text[DECIMAL_TEXT_BYTES];

	for (size_t i = 0; i < total_count(p); i++) {
		decimal_text_short(p->sums[i], text);
		totals[i] = p->known[i] ? arena_strdup(call->arena, text) : NULL;
	}
	p->result.totals = totals;
	*c = *call->result->context;
	c->points = &p->result;
	call->result->context = c;
	tool_call_end(call);
}

static void add_total(struct classification *p, const struct chunk *c, const struct table *t)
{
	const char *cell = t->row_count > 0 && t->column_count > 0 ? t->rows[0][0] : NULL;
	struct decimal part;

	p->known[c->total] = p->known[c->total] && cell && decimal_parse(cell, &part) &&
			     decimal_add(p->sums[c->total], part, &p->sums[c->total]);
}

static void send_chunks(struct classification *p);

static void on_totals(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct tool_call *call = owner;
	struct classification *p = call->classification;

	call->query = NULL;
	if (e) {
		log_warn("tool.failed", "%s/points: %s", call->tool->name, e->text);
		call->result->outcome = tool_outcome_of_db(call, e);
		call->derives = false;
		source_batches_free(batches, count);
		tool_call_end(call);
		return;
	}
	assert(count == p->chunk_sent);
	for (size_t i = 0; i < count; i++)
		add_total(p, &p->chunks[p->chunk_next + i], batches[i].table);
	source_batches_free(batches, count);
	p->chunk_next += count;
	if (p->chunk_next < p->chunk_count)
		send_chunks(p);
	else
		finish(p);
}

/* Runs the query again for these values only, without its groups. */
static bool write_chunk(struct classification *p, const struct chunk *c, size_t number,
			struct source_statement *out, struct err *e)
{
	struct tool_call *call = p->call;
	struct map_query *q = arena_alloc(call->arena, sizeof(*q));
	struct map_statement s;
	struct map_problem why = {0};

	*q = *p->query;
	q->by_count = q->order_count = 0;
	q->having_count = 0; /* the values already satisfy it, and it may use another metric */
	q->metric_count = 1;
	if (q->where_count == MAP_WHERE_MAX)
		return err_set(e, ERR_INPUT, "too many conditions");
	q->where[q->where_count++] = (struct map_where){.name = grouped_dimension(p->query)->name,
							.dimension = grouped_dimension(p->query),
							.op = OP_IS,
							.values = c->values,
							.count = c->count,
							.source = MAP_EXPLICIT};
	return map_write(call->box->map, q, call->source->dialect, call->arena, &s, &why, e) &&
	       tool_map_statement(
		       call, &s,
		       arena_printf(call->arena, "%s/class_%zu", call->tool->name, number), 1, out,
		       e);
}

static void fail(struct classification *p, const struct err *e)
{
	struct tool_call *call = p->call;

	log_warn("tool.failed", "%s: %s", call->tool->name, e->text);
	call->result->outcome = tool_outcome_of(call, e);
	call->derives = false;
	tool_call_end(call);
}

static void send_chunks(struct classification *p)
{
	struct source_statement sent[SOURCE_STATEMENTS_MAX];
	size_t n = 0;
	struct err e = {0};

	for (; n < SOURCE_STATEMENTS_MAX && p->chunk_next + n < p->chunk_count; n++)
		if (!write_chunk(p, &p->chunks[p->chunk_next + n], p->chunk_next + n + 1, &sent[n],
				 &e)) {
			fail(p, &e);
			return;
		}
	p->chunk_sent = n;
	tool_call_send(p->call, p->call->source, sent, n, p->call->timeout_ms, on_totals);
}

/* A measure that is not additive cannot be combined from several statements, so its total is
 * unknown. */
static void add_chunks(struct classification *p, size_t total)
{
	struct tool_call *call = p->call;
	struct value *values = arena_alloc(call->arena, (p->result.count + 1) * sizeof(*values));
	size_t n = 0;

	for (size_t i = 0; i < p->result.count; i++)
		if (p->value_class[i] != CLASS_DROPPED &&
		    total_index(p, p->value_class[i]) == total)
			values[n++] = value_text(p->values[i]);
	p->known[total] = n <= LIST_ARG_MAX || call->result->context->is_additive;
	for (size_t from = 0; from < n; from += LIST_ARG_MAX)
		p->chunks[p->chunk_count++] = (struct chunk){
			total, values + from, n - from < LIST_ARG_MAX ? n - from : LIST_ARG_MAX};
	if (n == 0)
		p->known[total] = true; /* no value belongs to it */
}

void classify_measure_classes(struct classification *p)
{
	struct tool_call *call = p->call;
	size_t totals = total_count(p),
	       chunks_max = totals + CLASSIFY_VALUES_MAX / LIST_ARG_MAX + 1;

	p->chunks = arena_alloc(call->arena, chunks_max * sizeof(*p->chunks));
	p->known = arena_alloc(call->arena, totals * sizeof(*p->known));
	p->sums = arena_alloc(call->arena, totals * sizeof(*p->sums));
	for (size_t i = 0; i < totals; i++) {
		p->sums[i] = decimal_int(0);
		p->known[i] = false;
		if (i > 0 || p->is_list) /* values that do not fit a description are not measured */
			add_chunks(p, i);
	}
	if (p->chunk_count > 0)
		send_chunks(p);
	else
		finish(p);
}

/* ---- by words ---- */

static void read_words(struct classification *p)
{
	struct tool_call *call = p->call;

	p->words = arena_alloc(call->arena, p->result.class_count * sizeof(*p->words));
	for (size_t i = 0; i < p->result.class_count; i++)
		class_words_read(call->box->options.catalog, p->classes[i], call->arena,
				 &p->words[i]);
}

/* 1: the value has all words. CLASS_MAYBE: it has some words or similar ones. */
static unsigned char match_description(const struct classification *p, const char *value)
{
	unsigned score = class_words_score(&p->words[0], value);

	if (score > 0 && score == 2 * p->words[0].count)
		return 1;
	return score > 0 ? CLASS_MAYBE : CLASS_NONE;
}

/* The class with the best score; none if two classes share it. */
static unsigned char best_class(const struct classification *p, const char *value)
{
	unsigned best = 0;
	unsigned char class = CLASS_NONE;

	for (size_t i = 0; i < p->result.class_count; i++) {
		unsigned score = class_words_score(&p->words[i], value);

		if (score > best)
			class = (unsigned char)(i + 1);
		else if (score == best)
			class = CLASS_NONE;
		if (score > best)
			best = score;
	}
	return class;
}

/* Handles one batch per loop iteration, so that the loop is not blocked. */
static void on_words(void *owner)
{
	struct classification *p = owner;
	size_t to = p->from + CLASSIFY_BATCH_LINES;

	if (!p->words)
		read_words(p);
	for (; p->from < to && p->from < p->result.count; p->from++) {
		const char *value = p->values[p->from];

		p->value_class[p->from] =
			p->is_list ? best_class(p, value) : match_description(p, value);
	}
	if (p->from < p->result.count)
		loop_defer(p->call->box->options.loop, &p->call->deferred, on_words, p);
	else
		classify_measure_classes(p);
}

void classify_by_words(struct classification *p)
{
	p->result.by_model = false;
	p->from = 0;
	memset(p->value_class, CLASS_NONE, p->result.count);
	loop_defer(p->call->box->options.loop, &p->call->deferred, on_words, p);
}

static void on_values(struct tool_call *call, const char **values, size_t count, size_t distinct)
{
	struct classification *p = call->classification;

	p->value_class = arena_alloc(call->arena, count + 1);
	memset(p->value_class, CLASS_NONE, count + 1);
	p->result.values = p->values = values;
	p->result.of = p->value_class;
	p->result.count = count;
	p->result.distinct = distinct;
	if (count == 0) {
		classify_by_words(p);
		return;
	}
	classify_by_model(p);
}

void tool_classify_run(struct tool_call *call)
{
	/* In a sample, the most frequent values are unknown. */
	if (call->result->frames[0]->sampled) {
		tool_call_end(call);
		return;
	}
	tool_count_values(call, call->result->context->groups, on_values);
}
