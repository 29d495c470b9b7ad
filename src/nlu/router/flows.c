/*
 * Matches questions to flows. A flow is called when all words of its name or of one example occur.
 * The other words must be values that its lines take, words of the flow, or neutral. If any other
 * word could narrow, order, negate, group or compare, the tools answer the question. The confidence
 * is the share of the question that the phrase covers.
 */
#include "nlu_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/flow.h"
#include "vesper/limits.h"

#define SCRATCH_BYTES  65536
#define ABOUT_CREDIT   0.5 /* weight of a word found only in the flow's description */
#define LETTERS_MIN    3   /* shorter words of a phrase are ignored */
#define CALL_WORDS_MAX 16
#define CALL_SLOTS_MAX 8
#define ANY_DAY        ((struct date){2000, 1, 1})

/* A name or an example, as stems. */
struct phrase_words {
	size_t flow; /* index into the catalogue's flows */
	int terms[CALL_WORDS_MAX];
	size_t count;
	const char *slots[CALL_SLOTS_MAX]; /* filters given in an approved question */
	size_t slot_count;
};

/* The parameters of all its lines. The flow asks for missing values. */
struct flow_params {
	struct param_def *list;
	size_t count;
	const struct tool_params *numbers;
};

struct flow_words {
	struct dict terms; /* stem -> number */
	struct phrase_words *phrases;
	size_t phrase_count, phrase_cap;
	struct dict *vocabulary;    /* by flow: stems of all its texts */
	struct flow_params *params; /* by flow */
};

/* ---- vocabulary of flows ---- */

static size_t stem_of(const struct nlu *k, const struct token *t, char stem[STEM_BYTES])
{
	return nlu_canonical_stem(k, t, stem);
}

static bool is_phrase_word(const struct token *t)
{
	return t->has_letter && t->len >= LETTERS_MIN && !token_in_list(t, WORDS_ARTICLES);
}

static int term_of(struct flow_words *f, const char *stem, size_t n)
{
	int id = dict_find(&f->terms, stem, n);

	if (id >= 0)
		return id;
	dict_put(&f->terms, stem, n, (int)f->terms.count);
	return (int)f->terms.count - 1;
}

static bool has_term(const struct phrase_words *p, int term)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->terms[i] == term)
			return true;
	return false;
}

static void add_about(struct nlu *k, struct flow_words *f, size_t flow, const struct question *q)
{
	char stem[STEM_BYTES];

	for (size_t i = 0; i < q->count; i++)
		dict_put(&f->vocabulary[flow], stem, stem_of(k, &q->tokens[i], stem), 1);
}

static void add_slot(struct phrase_words *p, const char *filter)
{
	for (size_t i = 0; i < p->slot_count; i++)
		if (strcmp(p->slots[i], filter) == 0)
			return;
	if (p->slot_count < CALL_SLOTS_MAX)
		p->slots[p->slot_count++] = filter;
}

/* Removes placeholders such as "{FILTER}" from an approved question; other questions have other
 * values. */
static const char *without_slots(const struct nlu *k, const char *text, struct arena *a,
				 struct phrase_words *p)
{
	char *out = arena_strdup(a, text);

	for (char *at = out; (at = strchr(at, '{'));) {
		char *end = strchr(at, '}');

		if (!end)
			break;
		add_slot(p, arena_strndup(k->flow_arena, at + 1, (size_t)(end - at) - 1));
		memset(at, ' ', (size_t)(end - at) + 1);
	}
	return out;
}

/* A phrase longer than CALL_WORDS_MAX is not added. */
static void add_phrase(struct nlu *k, struct flow_words *f, struct phrase_words p,
		       const struct question *q)
{
	char stem[STEM_BYTES];

	for (size_t i = 0; i < q->count; i++) {
		int term;

		if (!is_phrase_word(&q->tokens[i]) || q->tokens[i].used)
			continue;
		term = term_of(f, stem, stem_of(k, &q->tokens[i], stem));
		if (has_term(&p, term))
			continue;
		if (p.count == CALL_WORDS_MAX)
			return;
		p.terms[p.count++] = term;
	}
	if (p.count == 0)
		return;
	f->phrases = arena_grow(k->flow_arena, f->phrases, f->phrase_count, &f->phrase_cap,
				sizeof(*f->phrases));
	f->phrases[f->phrase_count++] = p;
}

/* "And for {hub_zone}?": such a phrase would match any follow-up. */
static bool is_followup(const struct nlu *k, const struct question *q)
{
	bool content = false;

	for (size_t i = 0; i < q->count; i++)
		content = content || (!q->tokens[i].used && !nlu_is_stop_word(k, &q->tokens[i]));
	return !content || words_at(q, 0, WORDS_FOLLOWUP_OPENING);
}

/* A query over the map needs all words of a question; a phrase cannot call it. */
static bool has_map_query(const struct flow_def *f)
{
	for (size_t i = 0; i < f->line_count; i++)
		if (f->lines[i].tool && f->lines[i].tool->map)
			return true;
	return false;
}

static void add_text(struct nlu *k, struct flow_words *f, size_t flow, const char *text, bool calls)
{
	struct arena *scratch = arena_new(SCRATCH_BYTES);
	bool own = k->catalog->flows[flow].own;
	struct phrase_words p = {.flow = flow};
	struct parsed_time days = {0};
	struct question q;

	text_tokenize(k->catalog->language, own ? without_slots(k, text, scratch, &p) : text,
		      scratch, &q);
	if (own) /* keeps days out of the phrase, since they vary between questions */
		dates_parse(&q, ANY_DAY, &(struct company_calendar){0}, scratch, &days);
	add_about(k, f, flow, &q);
	if (calls && !(own && (is_followup(k, &q) || has_map_query(&k->catalog->flows[flow]))))
		add_phrase(k, f, p, &q);
	arena_free(&scratch);
}

static void add_params(struct nlu *k, const struct flow_def *f, struct flow_params *out)
{
	size_t room = 0, count;

	for (size_t i = 0; i < f->line_count; i++)
		room += flow_line_params(&f->lines[i], &count) ? count : 0;
	out->list = arena_alloc(k->flow_arena, (room + 1) * sizeof(*out->list));
	for (size_t i = 0; i < f->line_count; i++) {
		const struct param_def *params = flow_line_params(&f->lines[i], &count);

		for (size_t p = 0; p < count; p++) {
			const char *filter = params[p].filter;

			if (!flow_answer_param(&f->lines[i], filter) ||
			    params_of_filter(out->list, out->count, filter))
				continue;
			out->list[out->count++] = params[p];
		}
	}
	out->numbers = params_numbers(k, out->list, out->count, k->flow_arena);
}

struct flow_words *flow_words_new(struct nlu *k)
{
	const struct catalog *c = k->catalog;
	struct flow_words *f = arena_alloc(k->flow_arena, sizeof(*f));

	dict_init(&f->terms, k->flow_arena);
	f->vocabulary = arena_alloc(k->flow_arena, (c->flow_count + 1) * sizeof(*f->vocabulary));
	f->params = arena_alloc(k->flow_arena, (c->flow_count + 1) * sizeof(*f->params));
	for (size_t i = 0; i < c->flow_count; i++) {
		const struct flow_def *def = &c->flows[i];

		dict_init(&f->vocabulary[i], k->flow_arena);
		add_params(k, def, &f->params[i]);
		/* users do not type the name of an approved answer */
		add_text(k, f, i, def->name, !def->own);
		add_text(k, f, i, def->about, false);
		for (const char *const *x = def->examples; x && *x; x++)
			add_text(k, f, i, *x, true);
	}
	return f;
}

/* ---- one question ---- */

/* The phrase terms of the question's tokens; -1: not in any phrase. */
static int *terms_of(const struct reading *r)
{
	const struct flow_words *f = r->nlu->flows;
	int *terms = arena_alloc(r->arena, (r->q.count + 1) * sizeof(*terms));
	char stem[STEM_BYTES];

	for (size_t i = 0; i < r->q.count; i++)
		terms[i] =
			is_phrase_word(&r->q.tokens[i])
				? dict_find(&f->terms, stem, stem_of(r->nlu, &r->q.tokens[i], stem))
				: -1;
	return terms;
}

/* Returns true when all words of the phrase occur. `occurs`: by term. */
static bool phrase_occurs(const struct phrase_words *p, const bool *occurs)
{
	for (size_t i = 0; i < p->count; i++)
		if (!occurs[p->terms[i]])
			return false;
	return true;
}

static bool is_param(const struct flow_def *f, const char *filter)
{
	for (size_t i = 0; i < f->line_count; i++)
		if (flow_answer_param(&f->lines[i], filter))
			return true;
	return false;
}

/* An approved answer takes several values only for a list parameter. */
static bool takes_fact(const struct flow_def *f, const struct fact *fact)
{
	for (size_t i = 0; i < f->line_count; i++) {
		const struct param_def *p = flow_answer_param(&f->lines[i], fact->filter);

		if (p && (!f->own || fact->count == 1 || p->is_list))
			return true;
	}
	return false;
}

static bool is_day(const char *filter)
{
	return strcmp(filter, FILTER_START) == 0 || strcmp(filter, FILTER_END) == 0;
}

static bool is_time(const char *filter)
{
	return is_day(filter) || strcmp(filter, FILTER_YEAR) == 0 ||
	       strcmp(filter, FILTER_MONTH) == 0;
}

/* Returns true when the flow takes the same time in another form. A time is stored both as a
 * year and as days. */
static bool is_other_time(const struct reading *r, const struct flow_def *f, const char *filter)
{
	if (is_day(filter))
		return !r->time.range_only && facts_get(&r->facts, FILTER_YEAR) &&
		       is_param(f, FILTER_YEAR);
	return is_time(filter) && is_param(f, FILTER_START);
}

/* Returns true when the line has a time parameter, filled or not. */
static bool has_time(const struct flow_line *l)
{
	size_t count;
	const struct param_def *params = flow_line_params(l, &count);

	for (size_t i = 0; i < count; i++)
		if (is_time(params[i].filter) || params[i].slot == SLOT_DAY ||
		    params[i].slot == SLOT_DAYS || params[i].slot == SLOT_DAYS_AHEAD)
			return true;
	return false;
}

static bool line_takes_time(const struct reading *r, const struct flow_line *l)
{
	const bool year = facts_get(&r->facts, FILTER_YEAR) && !r->time.range_only;
	const bool month = facts_get(&r->facts, FILTER_MONTH) && !r->time.range_only;
	size_t count;
	const struct param_def *params = flow_line_params(l, &count);
	const struct param_def *p = constraints_time_param(r, params, count);

	if (p)
		return flow_answer_param(l, p->filter);
	if ((!facts_get(&r->facts, FILTER_START) || flow_answer_param(l, FILTER_START)) &&
	    (!facts_get(&r->facts, FILTER_END) || flow_answer_param(l, FILTER_END)))
		return true;
	return (year || month) && (!year || flow_answer_param(l, FILTER_YEAR)) &&
	       (!month || flow_answer_param(l, FILTER_MONTH));
}

/* Returns true when the line's rows are the options of a choice. */
static bool gives_choices(const struct flow_def *f, const struct flow_line *l)
{
	for (size_t i = 0; i < f->line_count; i++)
		if (f->lines[i].options && strcmp(f->lines[i].options->task, l->id) == 0)
			return true;
	return false;
}

/* For a pack's flow, every line with times must take the given time; otherwise its result would
 * cover another time. Lines that only list choices are exempt. */
static bool takes_time(const struct reading *r, const struct flow_def *f)
{
	bool any = false;

	for (size_t i = 0; i < f->line_count; i++) {
		const struct flow_line *l = &f->lines[i];

		if (l->kind != FLOW_DO || !has_time(l) || gives_choices(f, l))
			continue;
		if (!line_takes_time(r, l))
			return false;
		any = true;
	}
	return any;
}

/* "How is the plant doing today": returns true when the question is about today and the flow's
 * texts contain its word for the day. */
static bool is_of_today(const struct reading *r, const struct flow_def *f)
{
	char stem[STEM_BYTES];

	if (!reading_is_one_day(r) || date_to_days(r->time.start) != date_to_days(r->in->today))
		return false;
	for (size_t i = 0; i < r->q.count; i++)
		if (word_is_time(r, i) && dict_find(&r->nlu->flows->vocabulary[f->index], stem,
						    stem_of(r->nlu, &r->q.tokens[i], stem)) >= 0)
			return true;
	return false;
}

/* Returns true when a line takes the fact. An approved answer already includes its kind of time. */
static bool flow_takes_fact(const struct reading *r, const struct flow_def *f,
			    const struct fact *fact)
{
	if (!f->own && is_time(fact->filter))
		return takes_time(r, f) || is_of_today(r, f);
	return takes_fact(f, fact) || is_other_time(r, f, fact->filter);
}

/* Returns true for a value whose name consists of phrase words: "budget report" may be a report. */
static bool is_in_phrase(const struct phrase_words *p, const int *terms, const struct mention *m)
{
	for (size_t i = m->from; i < m->to; i++)
		if (terms[i] < 0 || !has_term(p, terms[i]))
			return false;
	return true;
}

static bool mention_has_dimension(const struct mention *m, const struct dimension_def *d)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->candidates[i].dimension == d)
			return true;
	return false;
}

/* Returns true when all mentions of the fact are part of the phrase. */
static bool is_of_phrase(const struct reading *r, const struct fact *fact,
			 const struct phrase_words *p, const int *terms)
{
	bool any = false;

	for (size_t i = 0; i < r->mention_count && fact->dimension; i++) {
		if (!mention_has_dimension(&r->mentions[i], fact->dimension))
			continue;
		if (!is_in_phrase(p, terms, &r->mentions[i]))
			return false;
		any = true;
	}
	return any;
}

/* Returns true when lines take all values, except those that belong to the phrase. */
static bool takes_values(const struct reading *r, const struct flow_def *f,
			 const struct phrase_words *p, const int *terms)
{
	bool has_other_values = false;

	for (size_t i = 0; i < r->q.count; i++)
		has_other_values =
			has_other_values || (r->q.tokens[i].used && !has_term(p, terms[i]));
	for (size_t i = 0; has_other_values && i < r->facts.count; i++) {
		const struct fact *fact = &r->facts.items[i];

		if (!fact->implied && !fact->has_tool_words_only &&
		    fact->source != SOURCE_DEFAULT && !flow_takes_fact(r, f, fact) &&
		    !is_of_phrase(r, fact, p, terms))
			return false;
	}
	return true;
}

/* An approved answer requires the same kinds of values. */
static bool has_slot_values(const struct reading *r, const struct phrase_words *p)
{
	for (size_t i = 0; i < p->slot_count; i++)
		if (!facts_get(&r->facts, p->slots[i]))
			return false;
	return true;
}

/* Returns true when each word belongs to the phrase, a value or the flow, or is neutral. */
static bool is_accounted(const struct reading *r, const struct phrase_words *p, const int *terms)
{
	const struct dict *about = &r->nlu->flows->vocabulary[p->flow];
	char stem[STEM_BYTES];

	for (size_t i = 0; i < r->q.count; i++) {
		const struct token *t = &r->q.tokens[i];
		size_t neutral = words_at(&r->q, i, WORDS_NEUTRAL);

		if (neutral > 1) /* "by the way" */
			i += neutral - 1;
		else if (!(terms[i] >= 0 && has_term(p, terms[i])) &&
			 !(t->used && !t->is_tool_word) && !word_is_neutral(r, i) &&
			 (word_is_cue(r, i) ||
			  dict_find(about, stem, stem_of(r->nlu, t, stem)) < 0))
			return false;
	}
	return true;
}

/* A stop word counts when it is a synonym of a tool word ("who": users). */
static bool is_content(const struct nlu *k, const struct token *t)
{
	char stem[STEM_BYTES];

	return !t->used && (!nlu_is_stop_word(k, t) ||
			    dict_find(&k->synonyms, stem, word_stem(t->text, t->len, stem)) >= 0);
}

/* The share of the content words that the phrase and the flow cover. */
static double share_of(const struct reading *r, const struct phrase_words *p, const int *terms)
{
	const struct dict *about = &r->nlu->flows->vocabulary[p->flow];
	double all = 0, mine = 0;
	char stem[STEM_BYTES];

	for (size_t i = 0; i < r->q.count; i++) {
		const struct token *t = &r->q.tokens[i];

		if (terms[i] >= 0 && has_term(p, terms[i])) {
			all++;
			mine++;
		} else if (is_content(r->nlu, t)) {
			all++;
			if (dict_find(about, stem, stem_of(r->nlu, t, stem)) >= 0)
				mine += ABOUT_CREDIT;
		}
	}
	return all > 0 ? mine / all : 0;
}

/* The caller's flow at this catalogue index, or NULL. */
static const struct flow_def *flow_of(const struct reading *r, size_t index)
{
	for (size_t i = 0; i < r->in->may->flow_count; i++)
		if (r->in->may->flows[i]->index == index &&
		    r->in->may->flows[i] == &r->nlu->catalog->flows[index])
			return r->in->may->flows[i];
	return NULL;
}

/* By catalogue index of the flow: the share covered by its best phrase. */
static double *called_shares(const struct reading *r)
{
	const struct flow_words *f = r->nlu->flows;
	double *shares = arena_alloc(r->arena, (r->nlu->catalog->flow_count + 1) * sizeof(*shares));
	bool *occurs = arena_alloc(r->arena, f->terms.count + 1);
	const int *terms = terms_of(r);

	for (size_t i = 0; i < r->q.count; i++)
		if (terms[i] >= 0)
			occurs[terms[i]] = true;
	for (size_t i = 0; i < f->phrase_count; i++) {
		const struct phrase_words *p = &f->phrases[i];
		const struct flow_def *def = phrase_occurs(p, occurs) ? flow_of(r, p->flow) : NULL;
		bool fits = def && has_slot_values(r, p) && takes_values(r, def, p, terms) &&
			    is_accounted(r, p, terms);
		double share = fits ? share_of(r, p, terms) : 0;

		if (share > shares[p->flow])
			shares[p->flow] = share;
	}
	return shares;
}

/* By catalogue index of the flow: the share of the content words that its texts contain. No
 * phrase is needed. */
static double *word_shares(const struct reading *r)
{
	const struct catalog_view *may = r->in->may;
	double *shares = arena_alloc(r->arena, (r->nlu->catalog->flow_count + 1) * sizeof(*shares));
	char stem[STEM_BYTES];
	size_t all = 0;

	for (size_t i = 0; i < r->q.count; i++) {
		size_t n;

		if (!is_content(r->nlu, &r->q.tokens[i]))
			continue;
		all++;
		n = stem_of(r->nlu, &r->q.tokens[i], stem);
		for (size_t f = 0; f < may->flow_count; f++)
			if (dict_find(&r->nlu->flows->vocabulary[may->flows[f]->index], stem, n) >=
			    0)
				shares[may->flows[f]->index]++;
	}
	for (size_t i = 0; all > 0 && i < r->nlu->catalog->flow_count; i++)
		shares[i] /= (double)all;
	return shares;
}

static size_t domain_at(const struct catalog_view *v, const char *agent)
{
	size_t d = 0;

	while (d < v->domain_count && strcmp(v->domains[d]->agent, agent) != 0)
		d++;
	return d;
}

size_t flows_find(const struct reading *r, bool any, struct candidate *out)
{
	const struct catalog_view *v = r->in->may;
	const double *shares;
	size_t n = 0;

	if (v->flow_count == 0 || r->constraint_count > 0 || r->issue.kind != ISSUE_NONE)
		return 0;
	shares = any ? word_shares(r) : called_shares(r);
	for (size_t i = 0; i < v->flow_count; i++) {
		const struct flow_def *f = v->flows[i];
		const struct flow_params *p = &r->nlu->flows->params[f->index];
		size_t domain = domain_at(v, f->agent);

		if (shares[f->index] > 0 && domain < v->domain_count)
			out[n++] = (struct candidate){.kind = f->own ? CANDIDATE_APPROVED
								     : CANDIDATE_FLOW,
						      .name = f->name,
						      .domain = domain,
						      .params = p->list,
						      .param_count = p->count,
						      .numbers = p->numbers,
						      .def = f,
						      .text_score = shares[f->index]};
	}
	return n;
}

/* Returns true when the time is passed as days: a line takes a start day, and no line takes the
 * year. */
static bool takes_days(const struct reading *r, const struct flow_def *f)
{
	return is_param(f, FILTER_START) &&
	       !(facts_get(&r->facts, FILTER_YEAR) && is_param(f, FILTER_YEAR));
}

/* Keeps only the filters that the flow's lines take. */
static void set_filters(struct reading *r, const struct flow_def *f, struct understanding *out)
{
	struct filter *kept;
	size_t n = 0;

	slots_filters(r, r->time.range_only || takes_days(r, f), out);
	kept = arena_alloc(r->arena, (out->filter_count + 1) * sizeof(*kept));
	for (size_t i = 0; i < out->filter_count; i++)
		if (is_param(f, filter_singular(out->filters[i].name, r->arena)) ||
		    is_param(f, out->filters[i].name))
			kept[n++] = out->filters[i];
	out->filters = kept;
	out->filter_count = n;
}

void flows_fill(struct reading *r, const struct choice *c, struct understanding *out)
{
	const struct flow_def *f = c->fit.candidate->def;

	*out = (struct understanding){.kind = NLU_DATA,
				      .intent = c->domain->intent,
				      .flow = f,
				      .confidence =
					      c->text > NLU_CONFIDENT ? c->text : NLU_CONFIDENT};
	if (!f->own)
		constraints_fill_time(r, c->fit.candidate);
	set_filters(r, f, out);
}
