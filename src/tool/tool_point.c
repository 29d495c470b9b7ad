/*
 * Tools that classify values of a column: which ones fit a description, or which class each
 * belongs to. The query over the map has returned the values and the measure of each. A model gets
 * those with the largest measure as numbered lines, in calls without tools, and answers with
 * numbers only. An answer is invalid if an entry is not a number, is no line's number, or occurs
 * twice. The model is then asked once more, and after that the lines are dropped. Code maps numbers
 * to values and binds these, and the database measures each class.
 *
 * Without a model, and where it cannot be asked, values are matched by their words. What a model
 * has found is kept for a while under a hash of the very values and words that it was found of, of
 * its name and of the prompt, so that the same question gives the same.
 */
#include "tool_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/decimal.h"
#include "vesper/frame.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/map.h"
#include "vesper/metric.h"
#include "vesper/prompt.h"
#include "vesper/utf8.h"

#define YES   "yes"
#define MAYBE "maybe"

static const struct metric answers = {
	.name = "vesper_point_answers_total",
	.help = "Answers of a model that was asked to point at values, by what became of them.",
	.labels = {"outcome"},
};

/* One statement: the measure over some values of one class. */
struct chunk {
	size_t total; /* index of the total that it is a part of */
	const struct value *values;
	size_t count;
};

struct pointing {
	struct tool_call *call;
	const struct map_query *query;
	bool is_list; /* classes instead of a description */
	const char *classes[POINT_CLASSES_MAX];
	struct derive_points points;
	const char **values;
	unsigned char *of;
	struct point_words *words; /* of each class; NULL: not read yet */
	size_t from, count;        /* first value and size of the batch */
	bool corrected;            /* the batch was asked once more */
	const char *invalid;       /* why the answer cannot be used; or NULL */
	const char *key;           /* in the cache */
	struct chunk *chunks;
	size_t chunk_count, chunk_next, chunk_sent;
	bool *known; /* of each total: nothing is missing */
	struct decimal *sums;
};

static size_t totals_of(const struct pointing *p)
{
	return p->points.class_count + 2;
}

static size_t total_of(const struct pointing *p, unsigned char of)
{
	return of == POINT_MAYBE ? p->points.class_count + 1 : of;
}

/* ---- before the query ---- */

static bool add_class(struct pointing *p, const char *text)
{
	struct str said = str_trim(str_of(text));

	for (size_t i = 0; i < p->points.class_count; i++)
		if (str_eq_nocase(str_of(p->classes[i]), said))
			return true;
	if (said.n == 0 || p->points.class_count == POINT_CLASSES_MAX)
		return said.n == 0;
	p->classes[p->points.class_count++] = arena_strndup(p->call->arena, said.p, said.n);
	return true;
}

/* The first dimension that is neither a hidden key nor a time. */
static const struct dimension_def *grouped_by(const struct map_query *q)
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

/* A model would be told the beginning alone. */
static bool is_long(const struct pointing *p)
{
	for (size_t i = 0; i < p->points.class_count; i++)
		if (strlen(p->classes[i]) > POINT_VALUE_BYTES)
			return true;
	return false;
}

bool tool_point_begin(struct tool_call *call, const struct map_query *q, struct err *e)
{
	const char *name = call->tool->analysis.points;
	const struct arg *said = name ? args_find(&call->args, name) : NULL;
	const struct dimension_def *d = grouped_by(q);
	struct pointing *p;

	if (!said)
		return true;
	p = arena_alloc(call->arena, sizeof(*p));
	*p = (struct pointing){.call = call, .query = q, .is_list = said->is_list};
	for (size_t i = 0; i < said->count; i++)
		if (!add_class(p, said->values[i].text))
			p->points.class_count = 0;
	p->points.classes = p->classes;
	if (p->points.class_count < (p->is_list ? 2 : 1))
		return refuse_count(call, SAY_ANALYSIS_CLASSES, POINT_CLASSES_MAX, e);
	if (is_long(p))
		return refuse_count(call, SAY_ANALYSIS_LONG, POINT_VALUE_BYTES, e);
	if (!d || d->map.type != COLUMN_TEXT)
		return refuse(call,
			      sentence(call->result->language, SAY_ANALYSIS_NO_TEXTS, call->arena,
				       d ? d->label : name),
			      e);
	call->pointing = p;
	return true;
}

/* ---- what the database counts ---- */

static void end(struct pointing *p)
{
	struct tool_call *call = p->call;
	struct derive_context *c = arena_alloc(call->arena, sizeof(*c));
	const char **totals = arena_alloc(call->arena, totals_of(p) * sizeof(*totals));
	char text[DECIMAL_TEXT_BYTES];

	for (size_t i = 0; i < totals_of(p); i++) {
		decimal_text_short(p->sums[i], text);
		totals[i] = p->known[i] ? arena_strdup(call->arena, text) : NULL;
	}
	p->points.totals = totals;
	*c = *call->result->context;
	c->points = &p->points;
	call->result->context = c;
	tool_call_end(call);
}

static void add_total(struct pointing *p, const struct chunk *c, const struct table *t)
{
	const char *cell = t->row_count > 0 && t->column_count > 0 ? t->rows[0][0] : NULL;
	struct decimal part;

	p->known[c->total] = p->known[c->total] && cell && decimal_parse(cell, &part) &&
			     decimal_add(p->sums[c->total], part, &p->sums[c->total]);
}

static void send_chunks(struct pointing *p);

static void on_counts(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct tool_call *call = owner;
	struct pointing *p = call->pointing;

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
		end(p);
}

/* Runs the query again for these values only, without its groups. */
static bool write_chunk(struct pointing *p, const struct chunk *c, size_t number,
			struct source_statement *out, struct err *e)
{
	struct tool_call *call = p->call;
	struct map_query *q = arena_alloc(call->arena, sizeof(*q));
	struct map_statement s;
	struct map_problem why = {0};

	*q = *p->query;
	q->by_count = q->order_count = 0;
	q->having_count = 0; /* the values have passed it, and it may be of another metric */
	q->metric_count = 1;
	if (q->where_count == MAP_WHERE_MAX)
		return err_set(e, ERR_INPUT, "too many conditions");
	q->where[q->where_count++] = (struct map_where){.name = grouped_by(p->query)->name,
							.dimension = grouped_by(p->query),
							.op = OP_IS,
							.values = c->values,
							.count = c->count,
							.source = MAP_SAID};
	return map_write(call->box->map, q, call->source->dialect, call->arena, &s, &why, e) &&
	       tool_map_statement(
		       call, &s,
		       arena_printf(call->arena, "%s/class_%zu", call->tool->name, number), 1, out,
		       e);
}

static void fail(struct pointing *p, const struct err *e)
{
	struct tool_call *call = p->call;

	log_warn("tool.failed", "%s: %s", call->tool->name, e->text);
	call->result->outcome = tool_outcome_of(call, e);
	call->derives = false;
	tool_call_end(call);
}

static void send_chunks(struct pointing *p)
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
	tool_call_send(p->call, p->call->source, sent, n, p->call->timeout_ms, on_counts);
}

/* A measure that does not add up cannot be combined from several statements; its total is
 * unknown. */
static void add_chunks(struct pointing *p, size_t total)
{
	struct tool_call *call = p->call;
	struct value *values = arena_alloc(call->arena, (p->points.count + 1) * sizeof(*values));
	size_t n = 0;

	for (size_t i = 0; i < p->points.count; i++)
		if (p->of[i] != POINT_DROPPED && total_of(p, p->of[i]) == total)
			values[n++] = value_text(p->values[i]);
	p->known[total] = n <= LIST_ARG_MAX || call->result->context->is_additive;
	for (size_t from = 0; from < n; from += LIST_ARG_MAX)
		p->chunks[p->chunk_count++] = (struct chunk){
			total, values + from, n - from < LIST_ARG_MAX ? n - from : LIST_ARG_MAX};
	if (n == 0)
		p->known[total] = true; /* no value belongs to it */
}

static void count_classes(struct pointing *p)
{
	struct tool_call *call = p->call;
	size_t totals = totals_of(p), most = totals + POINT_VALUES_MAX / LIST_ARG_MAX + 1;

	p->chunks = arena_alloc(call->arena, most * sizeof(*p->chunks));
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
		end(p);
}

/* ---- by words ---- */

static void read_words(struct pointing *p)
{
	struct tool_call *call = p->call;

	p->words = arena_alloc(call->arena, p->points.class_count * sizeof(*p->words));
	for (size_t i = 0; i < p->points.class_count; i++)
		point_words_read(call->box->options.catalog, p->classes[i], call->arena,
				 &p->words[i]);
}

/* 1: the value has all words. POINT_MAYBE: it has some words or similar ones. */
static unsigned char fit_description(const struct pointing *p, const char *value)
{
	unsigned points = point_words_fit(&p->words[0], value);

	if (points > 0 && points == 2 * p->words[0].count)
		return 1;
	return points > 0 ? POINT_MAYBE : POINT_NONE;
}

/* The class with the best score; none if two classes share it. */
static unsigned char best_class(const struct pointing *p, const char *value)
{
	unsigned best = 0;
	unsigned char of = POINT_NONE;

	for (size_t i = 0; i < p->points.class_count; i++) {
		unsigned points = point_words_fit(&p->words[i], value);

		if (points > best)
			of = (unsigned char)(i + 1);
		else if (points == best)
			of = POINT_NONE;
		if (points > best)
			best = points;
	}
	return of;
}

/* Handles one batch per loop iteration, so that the loop is not blocked. */
static void on_words(void *owner)
{
	struct pointing *p = owner;
	size_t to = p->from + POINT_BATCH;

	if (!p->words)
		read_words(p);
	for (; p->from < to && p->from < p->points.count; p->from++) {
		const char *value = p->values[p->from];

		p->of[p->from] = p->is_list ? best_class(p, value) : fit_description(p, value);
	}
	if (p->from < p->points.count)
		loop_defer(p->call->box->options.loop, &p->call->later, on_words, p);
	else
		count_classes(p);
}

static void by_words(struct pointing *p)
{
	p->points.by_model = false;
	p->from = 0;
	memset(p->of, POINT_NONE, p->points.count);
	loop_defer(p->call->box->options.loop, &p->call->later, on_words, p);
}

/* ---- reading an answer ---- */

static const char *member_of(const struct pointing *p, size_t i)
{
	static const char *const classes[POINT_CLASSES_MAX] = {"1", "2", "3", "4",  "5",  "6",
							       "7", "8", "9", "10", "11", "12"};

	if (p->is_list)
		return classes[i];
	return i == 0 ? YES : MAYBE;
}

static size_t member_count(const struct pointing *p)
{
	return p->is_list ? p->points.class_count : 2;
}

static unsigned char class_of(const struct pointing *p, size_t member)
{
	return !p->is_list && member == 1 ? POINT_MAYBE : (unsigned char)(member + 1);
}

/* Stores the lines of one list. NULL: the list is valid. Otherwise the reason, which never contains
 * the model's text. */
static const char *take_lines(const struct pointing *p, const json_t *list, unsigned char class,
			      unsigned char *of)
{
	const json_t *line;
	size_t i;

	if (!json_is_array(list))
		return "a list is missing";
	json_array_foreach((json_t *)list, i, line) {
		json_int_t n = json_integer_value(line);

		if (!json_is_integer(line))
			return "what is no line number stands in a list";
		if (n < 1 || (size_t)n > p->count)
			return "a number is no line's";
		if (of[n - 1] != POINT_NONE)
			return "a line stands there twice";
		of[n - 1] = class;
	}
	return NULL;
}

static const char *take_answer(const struct pointing *p, const json_t *root, unsigned char *of)
{
	const char *invalid = NULL;

	if (!json_is_object(root))
		return "it is no object";
	if (json_object_size(root) != member_count(p))
		return "other lists stand there than were asked for";
	for (size_t i = 0; i < member_count(p) && !invalid; i++)
		invalid = take_lines(p, json_object_get(root, member_of(p, i)), class_of(p, i), of);
	return invalid;
}

/* ---- asking the model ---- */

static const char *prompt_of(const struct tool_call *call)
{
	return prompt_fill(call->box->options.catalog, "points", NULL, 0, call->arena);
}

static const json_t *format_of(struct pointing *p)
{
	json_t *members = json_object(), *names = json_array();

	for (size_t i = 0; i < member_count(p); i++) {
		const char *member = member_of(p, i);

		json_push_take(names, json_str(member));
		json_object_set_new(members, member,
				    json_make({"type", json_str("array")},
					      {"items", json_make({"type", json_str("integer")})}));
	}
	return json_own(p->call->arena,
			json_make({"type", json_str("object")}, {"properties", members},
				  {"required", names}, {"additionalProperties", json_false()}));
}

/* Quotes a text so that it cannot close the element around it. */
static void put_quoted(struct buf *b, const char *text)
{
	struct buf quoted;

	buf_init(&quoted, 8 * POINT_VALUE_BYTES + 8 * TEXT_ARG_BYTES_MAX);
	buf_json_str(&quoted, text, utf8_cut(text, strlen(text), POINT_VALUE_BYTES));
	for (const char *c = buf_text(&quoted); *c; c++)
		if (*c == '<')
			buf_str(b, "\\u003c");
		else
			buf_char(b, *c);
	buf_deinit(&quoted);
}

static const char *message_of(const struct pointing *p)
{
	const char *text;
	struct buf b;

	buf_init(&b, LLM_REQUEST_BYTES_MAX);
	if (p->is_list) {
		buf_str(&b, "Classes:\n");
		for (size_t i = 0; i < p->points.class_count; i++) {
			buf_printf(&b, "%zu: ", i + 1);
			put_quoted(&b, p->classes[i]);
			buf_char(&b, '\n');
		}
	} else {
		buf_str(&b, "Description: ");
		put_quoted(&b, p->classes[0]);
		buf_char(&b, '\n');
	}
	buf_str(&b, "<data>\n");
	for (size_t i = 0; i < p->count; i++) {
		buf_printf(&b, "%zu: ", i + 1);
		put_quoted(&b, p->values[p->from + i]);
		buf_char(&b, '\n');
	}
	buf_str(&b, "</data>");
	if (p->invalid)
		buf_printf(&b, "\nAgain: %s", p->invalid);
	text = arena_strdup(p->call->arena, buf_text(&b));
	buf_deinit(&b);
	return text;
}

static void ask_batch(struct pointing *p);

static void keep(const struct pointing *p)
{
	const struct tool_call *call = p->call;

	for (size_t i = 0; i < p->points.count; i++)
		if (p->of[i] == POINT_DROPPED)
			return; /* the next call may get more */
	if (call->box->options.cache)
		cache_set(call->box->options.cache, (struct cache_key){call->who->tenant, p->key},
			  p->of, p->points.count, POINT_KEPT_MS);
}

/* Continues with the next batch, or with the totals. */
static void next_batch(struct pointing *p)
{
	p->from += p->count;
	p->corrected = false;
	p->invalid = NULL;
	if (p->from < p->points.count) {
		ask_batch(p);
		return;
	}
	keep(p);
	count_classes(p);
}

static void count_answer(const char *outcome)
{
	metric_add(&answers, &outcome, 1);
}

static void on_answer(void *owner, const struct llm_answer *answer, bool shown, const struct err *e)
{
	struct pointing *p = owner;
	struct tool_call *call = p->call;
	const char *text;
	json_t *root = NULL;

	(void)shown;
	call->query = NULL;
	if (call->model.used)
		call->model.used(call->model.owner, &answer->usage);
	if (e) {
		log_warn("tool.points", "%s: %s", call->tool->name, e->text);
		count_answer("failed");
		p->points.failed = true;
		by_words(p);
		return;
	}
	text = llm_answer_text(answer, call->arena);
	memset(p->of + p->from, POINT_NONE, p->count);
	if (!json_parse(text, strlen(text), LLM_TOOL_INPUT_BYTES_MAX, &root, NULL))
		root = NULL;
	p->invalid = take_answer(p, root, p->of + p->from);
	json_decref(root);
	count_answer(!p->invalid ? "used" : p->corrected ? "dropped" : "corrected");
	if (p->invalid)
		log_warn("tool.points", "%s: %s", call->tool->name, p->invalid);
	if (p->invalid && !p->corrected) {
		p->corrected = true;
		ask_batch(p);
		return;
	}
	if (p->invalid)
		memset(p->of + p->from, POINT_DROPPED, p->count);
	next_batch(p);
}

static void ask_batch(struct pointing *p)
{
	static const struct llm_handler handler = {.on_end = on_answer};
	struct tool_call *call = p->call;
	size_t left = p->points.count - p->from;
	struct llm_block *system = arena_alloc(call->arena, sizeof(*system));
	struct llm_block *user = arena_alloc(call->arena, sizeof(*user));
	struct llm_message *message = arena_alloc(call->arena, sizeof(*message));

	p->count = left < POINT_BATCH ? left : POINT_BATCH;
	*system = (struct llm_block){.kind = LLM_TEXT, .text = prompt_of(call), .cache = true};
	*user = (struct llm_block){.kind = LLM_TEXT, .text = message_of(p)};
	*message = (struct llm_message){.speaker = LLM_USER, .blocks = user, .count = 1};
	call->query = llm_start(call->model.llm,
				&(struct llm_call){.role = LLM_ROUTE,
						   .system = system,
						   .system_count = 1,
						   .messages = message,
						   .message_count = 1,
						   .format = format_of(p),
						   .max_tokens = POINT_TOKENS_MAX,
						   .deadline_ms = call->model.deadline_ms,
						   .budget_owner = call->model.budget_owner,
						   .turn_id = call->turn_id,
						   .trail = call->model.trail},
				call->arena, &handler, p);
}

static bool may_ask(const struct tool_call *call)
{
	const struct tool_model *m = &call->model;

	return llm_usable(m->llm) &&
	       (!m->budget_owner || llm_affordable(m->llm, m->budget_owner, LLM_ROUTE));
}

/* ---- the cache ---- */

static const char *key_of(const struct pointing *p)
{
	char hash[HASH_HEX_BYTES];
	const struct tool_call *call = p->call;
	const char *prompt = prompt_of(call), *model = llm_model(call->model.llm, LLM_ROUTE);
	struct buf b;

	buf_init(&b, SIZE_MAX);
	buf_printf(&b, "%s\n%s\n%zu:%s", p->is_list ? "classes" : "description", model ? model : "",
		   strlen(prompt), prompt);
	for (size_t i = 0; i < p->points.class_count; i++)
		buf_printf(&b, "\n%zu:%s", strlen(p->classes[i]), p->classes[i]);
	for (size_t i = 0; i < p->points.count; i++)
		buf_printf(&b, "\n%zu=%s", strlen(p->values[i]), p->values[i]);
	hash_sha256_hex(b.p, b.n, hash);
	buf_deinit(&b);
	return arena_printf(call->arena, "points:%s", hash);
}

static bool is_found(const struct pointing *p, struct str found)
{
	if (!found.p || found.n != p->points.count)
		return false;
	for (size_t i = 0; i < found.n; i++) {
		unsigned char of = (unsigned char)found.p[i];

		if (of > p->points.class_count && !(of == POINT_MAYBE && !p->is_list))
			return false;
	}
	return true;
}

static void on_found(void *owner, struct str found)
{
	struct pointing *p = owner;

	p->call->query = NULL;
	if (is_found(p, found)) {
		memcpy(p->of, found.p, found.n);
		p->points.by_model = true;
		count_classes(p);
	} else if (may_ask(p->call)) {
		p->points.by_model = true;
		ask_batch(p);
	} else {
		p->points.failed = llm_answers(p->call->model.llm);
		by_words(p);
	}
}

static void on_values(struct tool_call *call, const char **values, size_t count, size_t distinct)
{
	struct pointing *p = call->pointing;

	p->of = arena_alloc(call->arena, count + 1);
	memset(p->of, POINT_NONE, count + 1);
	p->points.values = p->values = values;
	p->points.of = p->of;
	p->points.count = count;
	p->points.distinct = distinct;
	if (count == 0) {
		by_words(p);
		return;
	}
	p->key = key_of(p);
	if (call->box->options.cache)
		call->query = cache_get(call->box->options.cache,
					(struct cache_key){call->who->tenant, p->key}, on_found, p);
	else
		on_found(p, (struct str){0});
}

void tool_point_run(struct tool_call *call)
{
	if (call->result->frames[0]->sampled) { /* which are the commonest is not known */
		tool_call_end(call);
		return;
	}
	tool_point_count(call, call->result->context->groups, on_values);
}
