/*
 * Applies the session context to a question. A follow-up ("and for SP15?") reuses the tool and the
 * filters. An incomplete question takes only the values that it lacks, and a complete one takes
 * nothing. Explicit facts replace carried ones, and carried facts that depend on them are dropped:
 * a new market drops the old hub-zone.
 */
#include "nlu_int.h"

#include <string.h>

#include "vesper/json.h"

/* ---- reading the session context ---- */

bool followup_is_date(const struct nlu *k, const char *filter)
{
	const struct param_def *p = params_first_with_filter(k, filter);

	return strcmp(filter, FILTER_START) == 0 || strcmp(filter, FILTER_END) == 0 ||
	       (p && p->type == PARAM_DATE);
}

struct value followup_value(const struct nlu *k, const char *filter, const json_t *v,
			    struct arena *a)
{
	const struct param_def *p = params_first_with_filter(k, filter);
	bool is_date = followup_is_date(k, filter);

	if (p && p->type == PARAM_DECIMAL && json_decimal_text(v))
		return value_decimal(arena_strdup(a, json_decimal_text(v)));
	if (p && p->type == PARAM_DECIMAL && json_is_integer(v))
		return value_decimal(
			arena_printf(a, "%" JSON_INTEGER_FORMAT, json_integer_value(v)));
	if (p && p->type == PARAM_DECIMAL && json_is_real(v))
		return value_decimal(arena_printf(a, "%.15g", json_real_value(v)));
	if (json_is_integer(v))
		return value_int(json_integer_value(v));
	if (json_is_boolean(v))
		return value_bool(json_is_true(v));
	if (!json_is_string(v))
		return value_null();
	return is_date ? value_date(arena_strdup(a, json_string_value(v)))
		       : value_text(arena_strdup(a, json_string_value(v)));
}

const struct dimension_def *followup_dimension(const struct catalog *c, const char *filter)
{
	for (size_t i = 0; i < c->dimension_count; i++)
		if (strcmp(c->dimensions[i].filter, filter) == 0)
			return &c->dimensions[i];
	return NULL;
}

const char *followup_filter_name(const struct nlu *k, const char *name, struct arena *a)
{
	return followup_dimension(k->catalog, name) || params_first_with_filter(k, name)
		       ? arena_strdup(a, name)
		       : arena_strdup(a, filter_singular(name, a));
}

void session_context_read(const struct reading *r, struct session_context *out)
{
	const struct catalog *c = r->nlu->catalog;
	const json_t *filters = json_object_get(r->in->session_context, "filters"), *value, *item;
	const json_t *tools = json_object_get(r->in->session_context, "tools");
	const char *name;
	size_t i;

	*out = (struct session_context){
		.ask = json_object_get(r->in->session_context, "ask"),
		.intent = json_string_value(json_object_get(r->in->session_context, "intent"))};
	json_object_foreach((json_t *)filters, name, value) {
		const char *filter = followup_filter_name(r->nlu, name, r->arena);
		const struct dimension_def *d = followup_dimension(c, filter);

		if (!json_is_array(value))
			facts_add(&out->facts, r->arena, filter, d,
				  followup_value(r->nlu, filter, value, r->arena), SOURCE_CARRIED);
		else
			json_array_foreach(value, i, item)
				facts_add(&out->facts, r->arena, filter, d,
					  followup_value(r->nlu, filter, item, r->arena),
					  SOURCE_CARRIED);
	}
	out->query = metrics_query_read(
		json_string_value(json_object_get(r->in->session_context, CONTEXT_QUERY)),
		r->arena);
	json_array_foreach(tools, i, item) {
		const struct tool_def *t =
			json_is_string(item) ? catalog_tool(c, json_string_value(item)) : NULL;

		if (t && out->tool_count < 8 && catalog_allows(r->in->may, t, NULL))
			out->tools[out->tool_count++] = t;
	}
}

/* ---- detecting a follow-up ---- */

bool followup_opens_with_drop(const struct question *q)
{
	return words_at(q, 0, WORDS_DROP_OPENING) > 0;
}

#define POINTED_WORDS  2 /* number of words after "those" in which a relative "that" is searched */
#define ELLIPSIS_WORDS 4 /* maximum length of a prepositional phrase that is a follow-up */

bool followup_has_cue(const struct reading *r)
{
	const struct question *q = &r->q;
	bool content = false;

	if (q->count == 0)
		return false;
	if (words_at(q, 0, WORDS_FOLLOWUP_OPENING) || followup_opens_with_drop(q))
		return true;
	/* "in Hitachi's view" */
	if (q->count <= ELLIPSIS_WORDS && !q->tokens[0].used &&
	    token_in_list(&q->tokens[0], WORDS_PREPOSITIONS))
		return true;
	for (size_t i = 0; i < q->count; i++) {
		const struct token *t = &q->tokens[i];

		if (token_in_list(t, WORDS_FOLLOWUP_ANYWHERE) ||
		    (token_in_list(t, WORDS_THERE) && i > 0 &&
		     !token_in_list(&q->tokens[i - 1], WORDS_TO_BE)))
			return true;
		/* "which one is best" is an ordering without a subject */
		content = content || (!t->used && !nlu_is_stop_word(r->nlu, t) &&
				      !token_in_list(t, WORDS_SUPERLATIVE));
	}
	return !content;
}

/* The number of words from token i on that name a presentation ("as a chart"). */
static size_t form_words(const struct question *q, size_t i)
{
	static const enum words FORMS[] = {WORDS_CHART, WORDS_CHART_NONE, WORDS_CHART_BAR,
					   WORDS_CHART_LINE, WORDS_CHART_AREA};
	size_t most = words_at(q, i, WORDS_DETAIL);

	most = most > 1 ? most : 0;
	for (size_t f = 0; f < sizeof(FORMS) / sizeof(*FORMS); f++) {
		size_t n = words_at(q, i, FORMS[f]);

		most = n > most ? n : most;
	}
	return most;
}

bool followup_is_display_only(const struct reading *r)
{
	bool any = false;

	if (r->facts.count + r->constraint_count > 0 || r->issue.kind != ISSUE_NONE)
		return false;
	for (size_t i = 0, n; i < r->q.count; i += n ? n : 1) {
		n = form_words(&r->q, i);
		any = any || n > 0;
		if (n == 0 && !token_in_list(&r->q.tokens[i], WORDS_FORM_SHOWING))
			return false;
	}
	return any;
}

static const char *time_step_of(const struct token *t)
{
	enum grain g = map_words_grain(t);

	return g >= GRAIN_HOUR && g <= GRAIN_YEAR ? grain_name(g) : NULL;
}

/* The time step that token i groups by: "per day", "by the month", "daily". */
const char *followup_time_step_at(const struct question *q, size_t i)
{
	const char *step = time_step_of(&q->tokens[i]);
	size_t by = i;

	if (!step || token_in_list(&q->tokens[i], WORDS_GROUPING))
		return step;
	if (i + 2 < q->count && time_step_of(&q->tokens[i + 2]) == step) /* "month over month" */
		return step;
	while (by > 0 && token_in_list(&q->tokens[by - 1], WORDS_ARTICLES) &&
	       !token_in_list(&q->tokens[by - 1], WORDS_GROUPING))
		by--;
	return by > 0 && token_in_list(&q->tokens[by - 1], WORDS_GROUPING) ? step : NULL;
}

const char *followup_time_step(const struct question *q)
{
	for (size_t i = 0; i < q->count; i++) {
		/* "Hourly Price Curves" is a name */
		const char *step = q->tokens[i].used ? NULL : followup_time_step_at(q, i);

		if (step)
			return step;
	}
	return NULL;
}

bool followup_is_time_step(const struct reading *r)
{
	const struct question *q = &r->q;

	if (q->count > ELLIPSIS_WORDS || r->facts.count + r->constraint_count > 0 ||
	    !followup_time_step(q))
		return false;
	for (size_t i = 0; i < q->count; i++) {
		const struct token *t = &q->tokens[i];

		if (token_in_list(t, WORDS_NEGATION) ||
		    (!time_step_of(t) && !token_in_list(t, WORDS_GROUPING) &&
		     !nlu_is_stop_word(r->nlu, t)))
			return false;
	}
	return true;
}

bool followup_is_fragment(const struct reading *r, bool is_followup)
{
	return r->q.count > 0 && (is_followup || r->q.count <= ELLIPSIS_WORDS) &&
	       r->facts.count + r->constraint_count == 0;
}

bool followup_points_at_context(const struct reading *r)
{
	for (size_t i = 0; i < r->q.count; i++) {
		bool relative = false;

		if (r->q.tokens[i].used || !token_in_list(&r->q.tokens[i], WORDS_DEMONSTRATIVES))
			continue;
		/* "those projects that are solar" defines its own referent */
		for (size_t n = i + 1; n < r->q.count && n <= i + POINTED_WORDS; n++)
			relative =
				relative || token_in_list(&r->q.tokens[n], WORDS_RELATIVE_PRONOUNS);
		return !relative && r->entity_count == 0;
	}
	return false;
}

bool followup_answers_ask(const struct reading *r, const struct session_context *s,
			  const struct candidate *alone)
{
	const char *asked = json_string_value(json_object_get(s->ask, "filter"));
	const struct fact *f = asked ? facts_get(&r->facts, asked) : NULL;

	for (size_t i = 0; f && f->source == SOURCE_EXPLICIT && i < s->tool_count; i++)
		if (alone->def == s->tools[i])
			return true;
	return false;
}

bool followup_has_pronoun(const struct question *q)
{
	return words_in(q, WORDS_PRONOUNS);
}

static int ordinal_choice(const struct question *q)
{
	int n = 0;

	for (size_t i = 0; i < q->count; i++) {
		const struct token *t = &q->tokens[i];
		int here = t->number > 0 && t->len <= 2 ? t->number : 0;

		if (!here)
			here = token_ordinal(t);
		if (here && n)
			return 0;
		if (here)
			n = here;
		else if (!token_in_list(t, WORDS_CHOICE_FILLERS))
			return 0;
	}
	return n;
}

static bool is_yes(const struct question *q)
{
	for (size_t i = 0; i < q->count; i++)
		if (!token_in_list(&q->tokens[i], WORDS_YES))
			return false;
	return q->count > 0;
}

static bool label_has_word(const char *label, const struct token *t)
{
	struct folded words;
	size_t from = 0;

	text_fold(label ? label : "", &words);
	for (size_t w = 0; w < words.count; from = words.ends[w++])
		if (words.ends[w] - from == t->len &&
		    memcmp(words.key + from, t->text, t->len) == 0)
			return true;
	return false;
}

/* Returns true when the label contains each describing word: "the wind one". */
static bool is_described(const struct question *q, const char *label)
{
	bool any = false;

	for (size_t i = 0; i < q->count; i++) {
		if (token_in_list(&q->tokens[i], WORDS_CHOICE_FILLERS))
			continue;
		if (!label_has_word(label, &q->tokens[i]))
			return false;
		any = true;
	}
	return any;
}

/* The value of the only option that the words describe, or NULL. */
static const char *described_choice(const struct question *q, const json_t *options)
{
	const json_t *option;
	const char *value = NULL;
	size_t i;

	json_array_foreach(options, i, option) {
		if (!is_described(q, json_string_value(json_object_get(option, "label"))))
			continue;
		if (value)
			return NULL;
		value = json_string_value(json_object_get(option, "value"));
	}
	return value;
}

const char *followup_choice(const struct question *q, const json_t *ask)
{
	const json_t *options = json_object_get(ask, "options"), *option;
	int n = json_array_size(options) == 1 && is_yes(q) ? 1 : ordinal_choice(q);
	struct str text = str_trim(str_of(q->text));
	size_t i;

	if (n == ORDINAL_LAST)
		n = (int)json_array_size(options);
	if (n > 0 && (size_t)n <= json_array_size(options))
		return json_string_value(
			json_object_get(json_array_get(options, (size_t)n - 1), "value"));
	json_array_foreach(options, i, option) {
		const char *label = json_string_value(json_object_get(option, "label"));
		const char *value = json_string_value(json_object_get(option, "value"));

		if ((label && str_eq_nocase(text, str_of(label))) ||
		    (value && str_eq_nocase(text, str_of(value))))
			return value;
	}
	return described_choice(q, options);
}

bool followup_chooses(const struct question *q, const json_t *session_context)
{
	const json_t *ask = json_object_get(session_context, "ask");

	return ask && followup_choice(q, ask);
}

const char *nlu_choice(const struct nlu *k, const char *text, const json_t *ask, struct arena *a)
{
	struct question q;

	text_tokenize(k->catalog->language, text, a, &q);
	return followup_choice(&q, ask);
}

/* ---- dropping filters ---- */

/* The token after a cue that drops a filter ("never mind the hub", "drop the vendor", "regardless
 * of stage"); 0: no cue at i. */
static size_t drop_cue(const struct question *q, size_t i)
{
	size_t n = words_at(q, i, WORDS_DROP_FILTER);

	return n ? i + n : 0;
}

static bool names_dimension(const struct reading *r, const struct token *t)
{
	const struct catalog *c = r->nlu->catalog;

	for (size_t i = 0; i < c->dimension_count; i++)
		if (mention_is_label_word(t, &c->dimensions[i]))
			return true;
	return false;
}

bool followup_drops_filter_of(const struct reading *r, const struct dimension_def *d)
{
	const struct question *q = &r->q;

	for (size_t i = 0; i < q->count; i++) {
		size_t at = drop_cue(q, i);

		for (; at > 0 && at < q->count && q->tokens[at].separator != '.'; at++) {
			if (mention_is_label_word(&q->tokens[at], d))
				return true;
			if (!token_in_list(&q->tokens[at], WORDS_DROP_FILTER_LINKS) &&
			    !names_dimension(r, &q->tokens[at]))
				break;
		}
	}
	return false;
}

/* ---- carrying over ---- */

bool followup_depends_on(const struct reading *r, const struct facts *facts, const struct fact *f)
{
	const struct catalog *c = r->nlu->catalog;
	bool several;

	for (size_t i = 0; i < facts->count && f->dimension; i++) {
		const struct fact *explicit_fact = &facts->items[i];
		const struct dimension_def *d = explicit_fact->dimension;

		if (!d || explicit_fact->source == SOURCE_CARRIED ||
		    explicit_fact->source == SOURCE_DEFAULT)
			continue;
		if (f->dimension->parent && catalog_dimension(c, f->dimension->parent) == d) {
			const char *parent =
				names_parent_of(r->names, f->dimension, f->values[0].text,
						explicit_fact->values[0].text, &several);
			if (parent && strcmp(parent, explicit_fact->values[0].text) != 0)
				return true;
		}
		/* the parent is derived again from the explicit child */
		if (d->parent && catalog_dimension(c, d->parent) == f->dimension)
			return true;
	}
	return false;
}

static bool is_time(const struct nlu *k, const char *filter)
{
	const struct param_def *p = params_first_with_filter(k, filter);

	if (p && (p->slot == SLOT_DAY || p->slot == SLOT_DAYS || p->slot == SLOT_DAYS_AHEAD))
		return true;
	return strcmp(filter, FILTER_START) == 0 || strcmp(filter, FILTER_END) == 0 ||
	       strcmp(filter, FILTER_YEAR) == 0 || strcmp(filter, FILTER_MONTH) == 0;
}

static bool is_explicit(const struct reading *r, const char *filter)
{
	const struct fact *f = facts_get(&r->facts, filter);

	return f && f->source != SOURCE_CARRIED;
}

/* Days replace a year and its months, and vice versa. */
static bool is_replaced_time(const struct reading *r, const struct fact *f)
{
	if (!is_time(r->nlu, f->filter))
		return false;
	if (strcmp(f->filter, FILTER_MONTH) == 0 || strcmp(f->filter, FILTER_YEAR) == 0)
		return r->time.range_only;
	return is_explicit(r, FILTER_YEAR) || is_explicit(r, FILTER_MONTH) || r->time.has_start ||
	       r->time.has_end;
}

/* "against Hitachi", "add 2026": explicit values extend the carried ones. */
static bool extends_values(const struct reading *r)
{
	return words_in(&r->q, WORDS_EXTENDING);
}

static void join_values(struct reading *r, const struct fact *carried, struct fact *own)
{
	struct fact both = *own;

	own->values = NULL;
	own->count = own->cap = 0;
	for (size_t i = 0; i < carried->count; i++)
		facts_add(&r->facts, r->arena, own->filter, own->dimension, carried->values[i],
			  own->source);
	for (size_t i = 0; i < both.count; i++)
		facts_add(&r->facts, r->arena, own->filter, own->dimension, both.values[i],
			  own->source);
}

/* Returns true when all values of the dimension were requested: "now for all projects". */
static bool asks_all_values_of(const struct reading *r, const struct dimension_def *d)
{
	for (size_t i = 0; i < r->all_count; i++)
		if (r->all_values_of[i] == d)
			return true;
	return false;
}

void followup_carry(struct reading *r, const struct session_context *s, enum carry how,
		    const struct candidate *to)
{
	bool extend = how == CARRY_ALL && extends_values(r);

	for (size_t i = 0; i < s->facts.count && how != CARRY_NOTHING; i++) {
		const struct fact *f = &s->facts.items[i];
		struct fact *own = facts_find(&r->facts, f->filter);
		const struct param_def *p = to ? candidate_param(to, f->filter) : NULL;

		if (how == CARRY_ALL && replace_list_value(r, f))
			continue;
		if (own && extend && own->count == 1 && own->source != SOURCE_CARRIED) {
			join_values(r, f, own);
			continue;
		}
		if (f->dimension && (followup_drops_filter_of(r, f->dimension) ||
				     asks_all_values_of(r, f->dimension)))
			continue;
		if (own || followup_depends_on(r, &r->facts, f) || is_replaced_time(r, f) ||
		    (how == CARRY_MISSING && !(p && p->required)))
			continue;
		for (size_t v = 0; v < f->count; v++)
			facts_add(&r->facts, r->arena, f->filter, f->dimension, f->values[v],
				  SOURCE_CARRIED);
	}
}
