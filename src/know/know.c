/*
 * The whole reading of one question, in order: words, names, time, what stood before; then every
 * tool of the caller's is scored, the best one is filled, and how clearly it won is the confidence.
 */
#include "know_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/mem.h"

/* What speaks for a tool. Set on the labelled questions of tests/route. */
#define SCORE_TEXT     1.0  /* its words are the question's */
#define SCORE_FACTS    0.55 /* its parameters take what was said */
#define SCORE_FIRST    0.12 /* it is its domain's first */
#define SCORE_STANDING 0.45 /* it answered the question that this one follows */
#define SCORE_MISSING  (-0.08)
#define SCORE_NOTTAKEN (-0.45)
#define SCORE_CALLS    (-0.15)
#define SCORE_LONE     (-0.35)
#define SCORE_OTHER    (-0.7)

#define KNOWN_FULL 0.8 /* this much weight of words, and they count in full */

/* Is it about data? A known name counts 1. */
#define EVIDENCE_LEAST    0.9
#define EVIDENCE_FOLLOWUP 0.3
#define EVIDENCE_STRANGE  0.75 /* what each word weighs that no tool uses */
#define EVIDENCE_TIME     0.5
#define EVIDENCE_TROUBLE  0.7 /* what looks like a name */
#define EVIDENCE_WORDS    1.5 /* the most that words count */

#define KNOW_ARENA_BYTES (512 * 1024 * 1024)

struct know *know_new(const struct catalog *c)
{
	struct know *k = mem_alloc(sizeof(*k));

	k->catalog = c;
	k->arena = arena_new(KNOW_ARENA_BYTES);
	dict_init(&k->keys, k->arena);
	dict_init(&k->stop, k->arena);
	dict_init(&k->synonyms, k->arena);
	dict_init(&k->prepositions, k->arena);
	words_add_stop(&k->stop);
	words_add_synonyms(&k->synonyms);
	entity_index(k);
	k->router = router_new(k);
	return k;
}

void know_free(struct know **k)
{
	if (!*k)
		return;
	trigrams_deinit(&(*k)->trigrams);
	mem_free((*k)->entries);
	arena_free(&(*k)->arena);
	mem_free(*k);
	*k = NULL;
}

const char *filter_source_name(enum filter_source s)
{
	static const char *const names[] = {"said", "alias", "default", "carried", "edited"};

	assert(s <= SOURCE_EDITED);
	return names[s];
}

/* What no answer to another question could mend is asked about first. */
static int urgency(enum trouble_kind kind)
{
	switch (kind) {
	case TROUBLE_NONE:
		return 0;
	case TROUBLE_UNKNOWN:
		return 3;
	case TROUBLE_NO_CHILDREN:
		return 2;
	default:
		return 1;
	}
}

void reading_trouble(struct reading *r, const struct trouble *t)
{
	if (urgency(t->kind) > urgency(r->trouble.kind))
		r->trouble = *t;
}

/* ---- reading ---- */

static void add_time(struct reading *r)
{
	const struct time_read *t = &r->time;
	char iso[DATE_ISO_BYTES];

	for (size_t i = 0; i < t->year_count; i++)
		facts_add(&r->facts, r->arena, FILTER_YEAR, NULL, value_int(t->years[i]),
			  SOURCE_SAID);
	for (int m = 1; m <= 12; m++)
		if (t->months & 1u << m)
			facts_add(&r->facts, r->arena, FILTER_MONTH, NULL, value_int(m),
				  SOURCE_SAID);
	for (int h = 0; h < 24; h++)
		if (t->hours & 1u << h)
			facts_add(&r->facts, r->arena, FILTER_HOUR, NULL, value_int(h),
				  SOURCE_SAID);
	if (t->has_range) {
		date_iso(t->start, iso);
		facts_add(&r->facts, r->arena, FILTER_START, NULL,
			  value_date(arena_strdup(r->arena, iso)), SOURCE_SAID);
		date_iso(t->end, iso);
		facts_add(&r->facts, r->arena, FILTER_END, NULL,
			  value_date(arena_strdup(r->arena, iso)), SOURCE_SAID);
	}
	if (t->day_type)
		facts_add(&r->facts, r->arena, FILTER_DAYS, NULL, value_text(t->day_type),
			  SOURCE_SAID);
	if (t->bad_hour)
		reading_trouble(r, &(struct trouble){.kind = TROUBLE_RANGE,
						     .filter = FILTER_HOUR,
						     .said = t->bad_hour});
}

static void add_asof(struct reading *r)
{
	const struct catalog *c = r->know->catalog;

	for (size_t i = 0; i < c->dimension_count; i++)
		for (size_t n = 0; n < r->time.asof_count; n++)
			if (strcmp(c->dimensions[i].filter, FILTER_ASOF) == 0)
				facts_add(&r->facts, r->arena, FILTER_ASOF, &c->dimensions[i],
					  value_text(r->time.asof[n]), SOURCE_SAID);
}

/* "all hub-zones of ERCOT": each of them is a value. */
static void add_all(struct reading *r)
{
	for (size_t i = 0; i < r->all_count; i++) {
		const struct dimension_def *d = r->all_of[i];
		const struct dimension_def *up =
			d->parent ? catalog_dimension(r->know->catalog, d->parent) : NULL;
		const struct fact *parent = up ? facts_get(&r->facts, up->filter) : NULL;
		const struct suggestion *options;
		size_t n;

		if (facts_get(&r->facts, d->filter))
			continue;
		n = entity_options(d, parent && parent->count == 1 ? parent->values[0].text : NULL,
				   r->arena, &options);
		for (size_t v = 0; v < n; v++)
			facts_add(&r->facts, r->arena, d->filter, d, value_text(options[v].value),
				  SOURCE_SAID)
				->all = true;
	}
}

static void read_question(struct reading *r)
{
	const struct calendar *cal = &r->know->catalog->calendar;
	int top;

	text_read(r->in->question ? r->in->question : "", r->arena, &r->q);
	entity_read(r);
	dates_read(&r->q, r->in->today, cal, r->arena, &r->time);
	hours_read(&r->q, cal, r->arena, &r->time);
	top = numbers_top_n(&r->q);
	entity_read_unknown(r);
	entity_settle(r);
	add_asof(r);
	for (size_t i = 0; i < r->facts.count; i++)
		r->said_entities += r->facts.items[i].dimension != NULL;
	add_time(r);
	if (top > 0)
		facts_add(&r->facts, r->arena, FILTER_TOP_N, NULL, value_int(top), SOURCE_SAID);
	add_all(r);
	router_text(r->know, r->in->may, &r->q, 0, r->q.count, r->arena, &r->text);
}

/* ---- parents ---- */

static void contradiction(struct reading *r, const struct fact *child, const struct fact *parent,
			  const char *own)
{
	const char *value = child->values[0].text, *said = parent->values[0].text;
	struct suggestion *options = arena_alloc(r->arena, sizeof(*options) * 2);

	options[0] = (struct suggestion){own, arena_printf(r->arena, "%s in %s", value, own)};
	options[1] = (struct suggestion){
		said, arena_printf(r->arena, "another %s, in %s", child->dimension->label, said)};
	reading_trouble(r, &(struct trouble){
				   .kind = TROUBLE_CONTRADICTION,
				   .filter = parent->filter,
				   .dimension = parent->dimension,
				   .said = arena_printf(r->arena, "%s is a %s of %s, not of %s.",
							value, child->dimension->label, own, said),
				   .options = options,
				   .option_count = 2});
}

/* The parent of each value: inferred where it was not said, checked where it was. */
static void settle_parent(struct reading *r, size_t index)
{
	const struct fact *child = &r->facts.items[index];
	const struct dimension_def *up =
		child->dimension && child->dimension->parent
			? catalog_dimension(r->know->catalog, child->dimension->parent)
			: NULL;
	struct fact *parent = up ? facts_find(&r->facts, up->filter) : NULL;
	const char *common = NULL;

	if (!up || child->all)
		return;
	for (size_t v = 0; v < child->count; v++) {
		const char *own = NULL;
		bool several = false, listed = false;

		for (size_t p = 0; parent && p < parent->count && !listed; p++) {
			own = entity_parent_of(child->dimension, child->values[v].text,
					       parent->values[p].text, &several);
			listed = !own || strcmp(own, parent->values[p].text) == 0;
		}
		if (parent && !listed) {
			contradiction(r, child, parent, own);
			return;
		}
		own = entity_parent_of(child->dimension, child->values[v].text, NULL, &several);
		if (several || !own || (common && strcmp(common, own) != 0))
			return;
		common = own;
	}
	if (parent)
		parent->implied = true;
	else if (common)
		facts_add(&r->facts, r->arena, up->filter, up, value_text(common),
			  child->source == SOURCE_CARRIED ? SOURCE_CARRIED : SOURCE_ALIAS)
			->implied = true;
}

static void settle_parents(struct reading *r)
{
	for (size_t i = 0, n = r->facts.count; i < n; i++)
		settle_parent(r, i);
}

/* ---- choosing ---- */

struct choice {
	struct fit fit;
	const struct domain_def *domain;
	double score, second, text;
};

static double text_of(const struct reading *r, const struct tool_def *t)
{
	double trust = r->text.known < KNOWN_FULL ? r->text.known / KNOWN_FULL : 1;

	for (size_t i = 0; i < r->in->may->tool_count; i++)
		if (r->in->may->tools[i] == t)
			return r->text.tools[i] * trust;
	return 0;
}

static double score_of(const struct reading *r, const struct fit *fit, double text, bool first,
		       const struct standing *standing)
{
	double score = SCORE_TEXT * text + SCORE_FACTS * fit->facts +
		       SCORE_MISSING * (double)fit->missing +
		       SCORE_NOTTAKEN * (double)fit->not_taken;

	(void)r;
	if (first)
		score += SCORE_FIRST;
	if (fit->calls > 1)
		score += SCORE_CALLS;
	if (fit->lone_list)
		score += SCORE_LONE;
	if (fit->other_list)
		score += SCORE_OTHER;
	for (size_t i = 0; standing && i < standing->tool_count; i++)
		if (standing->tools[i] == fit->tool) {
			score += SCORE_STANDING;
			break;
		}
	return score;
}

/* The best tool among those of the caller's domains. `standing`: what the question leans on. */
static bool choose(const struct reading *r, const struct standing *standing, struct choice *out)
{
	const struct catalog_view *v = r->in->may;
	bool any = false;

	*out = (struct choice){0};
	for (size_t d = 0; d < v->domain_count; d++) {
		bool first = true;

		for (size_t i = 0; i < v->domains[d]->tool_count; i++) {
			const struct tool_def *t = v->domains[d]->tools[i];
			struct fit fit;
			double score, text;

			if (!catalog_allows(v, t, v->domains[d]->agent))
				continue;
			slots_fit(r, t, &fit);
			text = text_of(r, t);
			score = score_of(r, &fit, text, first, standing);
			first = false;
			if (any && t == out->fit.tool)
				continue;
			if (!any || score > out->score) {
				double second = any ? out->score : score - 1;

				*out = (struct choice){fit, v->domains[d], score, second, text};
				any = true;
			} else if (score > out->second) {
				out->second = score;
			}
		}
	}
	return any;
}

/* Is the question about data at all? Names and times of ours and words of the tools speak for it,
 * words that nobody here uses against it. */
static bool is_about_data(const struct reading *r, bool leans)
{
	static const char *const times[] = {FILTER_YEAR, FILTER_MONTH, FILTER_HOUR};
	double known = r->text.known < EVIDENCE_WORDS ? r->text.known : EVIDENCE_WORDS;
	double evidence = (double)r->said_entities + known;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		evidence += facts_get(&r->facts, times[i]) ? EVIDENCE_TIME : 0;
	if (r->time.range_only || r->time.year_before)
		evidence += EVIDENCE_TIME;
	if (r->trouble.kind != TROUBLE_NONE)
		evidence += EVIDENCE_TROUBLE;
	if (leans)
		return evidence >=
		       EVIDENCE_FOLLOWUP + EVIDENCE_STRANGE * (double)r->text.strange_words;
	return evidence >= EVIDENCE_LEAST + EVIDENCE_STRANGE * (double)r->text.strange_words;
}

static double confidence_of(const struct reading *r, const struct choice *c, bool leans)
{
	double margin = c->score - c->second;
	double confidence = 0.74 + 0.9 * margin + 0.12 * c->text + 0.08 * c->fit.facts;

	if (leans)
		confidence += 0.05;
	confidence -= 0.06 * (double)r->text.strange_words;
	if (c->fit.missing > 0 || c->fit.not_taken > 0)
		confidence = 0.6;
	return confidence < 0.05 ? 0.05 : confidence > 0.99 ? 0.99 : confidence;
}

static void set_agent(struct reading *r, const struct domain_def *d, struct understanding *out)
{
	const char **agents = arena_alloc(r->arena, sizeof(*agents));

	agents[0] = d->agent;
	out->agents = agents;
	out->agent_count = 1;
	out->intent = d->intent;
}

static void finish(struct reading *r, const struct choice *c, bool leans, bool edited,
		   struct understanding *out)
{
	set_agent(r, c->domain, out);
	out->intended = c->fit.tool;
	if (slots_fill(r, &c->fit, c->domain->agent, out)) {
		out->confidence = edited ? 1 : confidence_of(r, c, leans);
		return;
	}
	out->tools = NULL;
	out->tool_count = 0;
	slots_filters(r, out);
	ask_back(r, &r->trouble, &out->ask);
	/* A contradiction stays one for a model too; a missing value it may find in the talk. */
	out->confidence = r->trouble.kind == TROUBLE_MISSING || r->trouble.kind == TROUBLE_NOT_TAKEN
				  ? 0.6
				  : 0.85;
}

/* ---- the whole ---- */

static void unclear(enum know_kind kind, double confidence, struct understanding *out)
{
	*out = (struct understanding){.kind = kind, .intent = "general", .confidence = confidence};
}

/* The year that "the year before" means, beside the one that stands. */
static void add_year_before(struct reading *r, const struct standing *s)
{
	const struct fact *f = facts_get(&s->facts, FILTER_YEAR);

	if (!r->time.year_before || facts_get(&r->facts, FILTER_YEAR))
		return;
	facts_add(&r->facts, r->arena, FILTER_YEAR, NULL,
		  value_int((f ? f->values[0].number : r->in->today.year) - 1), SOURCE_SAID);
}

static enum carry carry_for(const struct reading *r, const struct choice *alone, bool leans)
{
	if (leans || (alone->fit.missing > 0 && followup_pronoun(&r->q)))
		return CARRY_ALL;
	return alone->fit.missing > 0 ? CARRY_MISSING : CARRY_NOTHING;
}

static void understand_data(struct reading *r, const struct standing *s, bool leans,
			    const json_t *edits, enum filter_source edit_source,
			    struct understanding *out)
{
	struct choice alone, choice;
	enum carry how;

	*out = (struct understanding){.kind = KNOW_DATA};
	add_year_before(r, s);
	choose(r, NULL, &alone);
	how = s->tool_count + s->facts.count > 0 ? carry_for(r, &alone, leans) : CARRY_NOTHING;
	followup_carry(r, s, how, alone.fit.tool);
	if (edits)
		followup_edit(r, edits, edit_source);
	settle_parents(r);
	if (!choose(r, how == CARRY_ALL ? s : NULL, &choice)) {
		unclear(KNOW_UNCLEAR, 0.3, out);
		return;
	}
	finish(r, &choice, leans, edits != NULL, out);
}

void know_understand(const struct know *k, const struct know_input *in, struct arena *a,
		     struct understanding *out)
{
	struct reading r = {.know = k, .in = in, .arena = a};
	const json_t *edits = in->edited_filters;
	enum filter_source source = SOURCE_EDITED;
	struct standing standing;
	const char *choice;
	enum small_talk talk;
	bool leans;

	scope_read(k, in->may, a, &r.scope);
	read_question(&r);
	followup_read(&r, &standing);
	choice = edits || !standing.ask ? NULL : followup_choice(&r.q, standing.ask);
	if (choice) {
		const char *filter = json_string_value(json_object_get(standing.ask, "filter"));

		json_t *chosen = json_own(a, json_object());

		json_set_str(chosen, filter ? filter : "choice", choice);
		edits = chosen;
		source = SOURCE_SAID;
		r.facts.count = 0;
		r.trouble = (struct trouble){0};
	}
	talk = small_talk_of(&r.q);
	if (!edits && talk != TALK_NONE && (talk == TALK_INJECTION || r.facts.count == 0)) {
		unclear(talk == TALK_GREETING ? KNOW_GREETING
			: talk == TALK_HELP   ? KNOW_HELP
					      : KNOW_UNCLEAR,
			0.95, out);
		return;
	}
	leans = (standing.tool_count + standing.facts.count > 0) &&
		(edits ? r.q.count == 0 || choice || standing.ask : followup_cue(&r));
	if (!edits && !is_about_data(&r, leans)) {
		unclear(KNOW_UNCLEAR, 0.4, out);
		return;
	}
	understand_data(&r, &standing, leans, edits, source, out);
}
