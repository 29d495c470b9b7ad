/* Reads one question with one subject: chooses a tool, fills its calls or asks a clarifying
 * question. */
#include "know_int.h"

#include "vesper/strlist.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

#define UNSURE 0.6 /* low enough that a model routes the question */

/* Orders troubles: those that no other answer can resolve come first. */
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

static const char *day_words(struct reading *r, struct date d)
{
	const char *name = month_name(d.month);

	return arena_printf(r->arena, "%c%s %d, %d", name[0] - 'a' + 'A', name + 1, d.day, d.year);
}

struct suggestion reading_range_option(struct reading *r, struct date start, struct date end)
{
	const struct language *l = r->know->catalog->language;
	char first[DATE_ISO_BYTES] = "", last[DATE_ISO_BYTES] = "";
	struct suggestion out = {0};

	if (date_valid(start))
		date_iso(start, first);
	if (date_valid(end))
		date_iso(end, last);
	out.value = arena_printf(r->arena, "%s/%s", first, last);
	if (!*first)
		out.label = sentence(l, SAY_TIME_UNTIL, r->arena, day_words(r, end));
	else if (!*last)
		out.label = sentence(l, SAY_TIME_FROM_ON, r->arena, day_words(r, start));
	else if (strcmp(first, last) == 0)
		out.label = day_words(r, start);
	else
		out.label = sentence(l, SAY_TIME_FROM_TO, r->arena, day_words(r, start),
				     day_words(r, end));
	return out;
}

static void add_number(struct reading *r, const char *filter, int n)
{
	facts_add(&r->facts, r->arena, filter, NULL, value_int(n), SOURCE_SAID);
}

static void add_day(struct reading *r, const char *filter, struct date d)
{
	char iso[DATE_ISO_BYTES];

	date_iso(d, iso);
	facts_add(&r->facts, r->arena, filter, NULL, value_date(arena_strdup(r->arena, iso)),
		  SOURCE_SAID);
}

void reading_add_time(struct reading *r)
{
	const struct time_read *t = &r->time;

	for (size_t i = 0; i < t->year_count; i++)
		add_number(r, FILTER_YEAR, t->years[i]);
	for (int m = 1; m <= 12; m++)
		if (t->months & 1u << m)
			add_number(r, FILTER_MONTH, m);
	for (int h = 0; h < 24; h++)
		if (t->hours & 1u << h)
			add_number(r, FILTER_HOUR, h);
	if (t->has_start)
		add_day(r, FILTER_START, t->start);
	if (t->has_end)
		add_day(r, FILTER_END, t->end);
	if (t->day_type)
		facts_add(&r->facts, r->arena, FILTER_DAYS, NULL, value_text(t->day_type),
			  SOURCE_SAID);
}

static void trouble_time(struct reading *r)
{
	const struct time_read *t = &r->time;
	struct suggestion *options;

	if (t->bad_day)
		reading_trouble(r, &(struct trouble){.kind = TROUBLE_RANGE,
						     .filter = FILTER_START,
						     .said = t->bad_day});
	if (t->bad_hour)
		reading_trouble(r, &(struct trouble){.kind = TROUBLE_RANGE,
						     .filter = FILTER_HOUR,
						     .said = t->bad_hour});
	if (t->vague)
		reading_trouble(r, &(struct trouble){.kind = TROUBLE_VAGUE,
						     .filter = FILTER_START,
						     .said = t->vague});
	if (t->reading_count == 0)
		return;
	options = arena_alloc(r->arena, sizeof(*options) * t->reading_count);
	for (size_t i = 0; i < t->reading_count; i++)
		options[i] = reading_range_option(r, t->readings[i].start, t->readings[i].end);
	reading_trouble(r, &(struct trouble){.kind = TROUBLE_SEVERAL,
					     .filter = FILTER_START,
					     .said = t->unclear,
					     .options = options,
					     .option_count = t->reading_count});
}

/* Adds a label as spelled in the tenant's data. If values are loaded, an unknown label is a
 * trouble. */
static void add_label(struct reading *r, const struct dimension_def *d, const char *label)
{
	struct name_match m;

	if (names_resolve(r->names, d, label, NULL, r->arena, &m))
		facts_add(&r->facts, r->arena, FILTER_ASOF, d, value_text(m.value), SOURCE_SAID);
	else
		reading_trouble(r, &(struct trouble){.kind = TROUBLE_UNKNOWN,
						     .filter = FILTER_ASOF,
						     .dimension = d,
						     .said = label,
						     .options = m.suggestions,
						     .option_count = m.suggestion_count});
}

static void add_asof(struct reading *r)
{
	const struct catalog *c = r->know->catalog;

	for (size_t i = 0; i < c->dimension_count; i++)
		for (size_t n = 0; n < r->time.asof_count; n++)
			if (strcmp(c->dimensions[i].filter, FILTER_ASOF) == 0 && r->scope.in[i])
				add_label(r, &c->dimensions[i], r->time.asof[n]);
}

/* "all hub-zones of ERCOT": each of them becomes a value. */
static void add_all(struct reading *r)
{
	for (size_t i = 0; i < r->all_count; i++) {
		const struct dimension_def *d = r->all_of[i];
		const struct dimension_def *up =
			d->parent ? catalog_dimension(r->know->catalog, d->parent) : NULL;
		const struct fact *parent = up ? facts_get(&r->facts, up->filter) : NULL;
		const struct suggestion *options;
		size_t n;

		if (facts_get(&r->facts, d->filter) || names_loaded(r->names, d))
			continue; /* all values loaded from the data equal no filter */
		n = names_options(r->names, d,
				  parent && parent->count == 1 ? parent->values[0].text : NULL,
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

	if (r->q.count > KNOW_WORDS_MAX)
		r->q.count = KNOW_WORDS_MAX;
	spelling_mend(r);
	mentions_read(r);
	dates_read(&r->q, r->in->today, &r->in->calendar, r->arena, &r->time);
	hours_read(&r->q, cal->peak_first_hour, cal->peak_last_hour, r->arena, &r->time);
	top = numbers_top_n(r->know->catalog->language, &r->q);
	said_read(r);
	mentions_read_unknown(r);
	mentions_settle(r);
	add_asof(r);
	for (size_t i = 0; i < r->facts.count; i++)
		r->said_entities += r->facts.items[i].dimension != NULL;
	for (size_t i = 0; i < r->said_count; i++)
		r->said_entities += r->said[i].slot == SLOT_NOT;
	reading_add_time(r);
	trouble_time(r);
	if (!r->time.day_type)
		exclude_times(r);
	if (top > 0)
		facts_add(&r->facts, r->arena, FILTER_TOP_N, NULL, value_int(top), SOURCE_SAID);
	add_all(r);
	router_text(r->know, r->in, &r->q, 0, r->q.count, r->time.hours != 0 || r->time.bad_hour,
		    r->arena, &r->text);
}

/* Returns true when the question is about data. Known names, times and tool words count for it;
 * words unknown here count against it. */
static bool is_about_data(const struct reading *r, bool is_followup)
{
	static const char *const times[] = {FILTER_YEAR, FILTER_MONTH, FILTER_HOUR, FILTER_TOP_N};
	const struct router_weights *w = &r->know->catalog->router;
	double known = r->text.evidence < w->evidence.words ? r->text.evidence : w->evidence.words;
	double evidence =
		(double)r->said_entities + known + w->evidence.word * (double)r->text.known_words;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		evidence += facts_get(&r->facts, times[i]) ? w->evidence.time : 0;
	if (r->time.range_only || r->time.year_before || r->replaces ||
	    (is_followup && r->said_count > 0))
		evidence += w->evidence.time;
	if (documents_speak(r))
		return true;
	if (r->trouble.kind != TROUBLE_NONE)
		evidence += w->evidence.trouble;
	return evidence >= (is_followup ? w->evidence.followup : w->evidence.least) +
				   w->evidence.strange * (double)r->text.strange_words;
}

static void set_agent(struct reading *r, const struct domain_def *d, struct understanding *out)
{
	const char **agents = arena_alloc(r->arena, sizeof(*agents));

	agents[0] = d->agent;
	out->agents = agents;
	out->agent_count = 1;
	out->intent = d->intent;
}

static void finish(struct reading *r, const struct choice *c, bool is_followup, bool edited,
		   struct understanding *out)
{
	set_agent(r, c->domain, out);
	out->intended = candidate_tool(c->fit.of);
	if (c->fit.of->kind == CANDIDATE_DOCUMENTS) {
		documents_fill(r, c, out);
		out->confidence = edited ? 1 : choose_confidence(r, c, is_followup);
		return;
	}
	if (slots_fill(r, &c->fit, c->domain->agent, out)) {
		out->confidence = edited ? 1 : choose_confidence(r, c, is_followup);
		if (!edited && exclude_verb(r->know, &r->q) && out->confidence > UNSURE)
			out->confidence = UNSURE;
		if (!edited)
			account_words(r, c, out);
		if (out->unused_count > 0 && out->confidence > UNSURE)
			out->confidence = UNSURE;
		return;
	}
	out->tools = NULL;
	out->tool_count = 0;
	slots_filters(r, r->time.range_only, out);
	ask_back(r, &r->trouble, &out->ask);
	/* A model cannot resolve a contradiction, but may find a missing value in the
	 * conversation. */
	out->confidence = r->trouble.kind == TROUBLE_MISSING || r->trouble.kind == TROUBLE_NOT_TAKEN
				  ? UNSURE
				  : 0.85;
}

/* ---- the whole question ---- */

static void unclear(enum know_kind kind, double confidence, struct understanding *out)
{
	*out = (struct understanding){.kind = kind, .intent = "general", .confidence = confidence};
}

/* Passes the filters that were read to the model, which then only has to find a tool. */
static void pass_parsed_filters(struct reading *r, struct understanding *out)
{
	struct understanding read = {0};

	parents_settle(r);
	slots_filters(r, r->time.range_only, &read);
	out->parsed_filters = read.filters;
	out->parsed_filter_count = read.filter_count;
	choose_readings(r, out);
}

/* Adds the year for "the year before", relative to the one in the session context. */
static void add_year_before(struct reading *r, const struct standing *s)
{
	const struct fact *f = facts_get(&s->facts, FILTER_YEAR);

	if (!r->time.year_before || facts_get(&r->facts, FILTER_YEAR))
		return;
	facts_add(&r->facts, r->arena, FILTER_YEAR, NULL,
		  value_int((f ? f->values[0].number : r->in->today.year) - 1), SOURCE_SAID);
}

static enum carry carry_for(const struct reading *r, const struct standing *s,
			    const struct choice *alone, bool is_followup)
{
	if (is_followup || followup_points(r) || followup_answers(r, s, alone->fit.of) ||
	    (alone->fit.missing > 0 && followup_pronoun(&r->q)))
		return CARRY_ALL;
	return alone->fit.missing > 0 ? CARRY_MISSING : CARRY_NOTHING;
}

enum carry reading_carry(struct reading *r, const struct standing *s, bool is_followup)
{
	enum carry how = CARRY_NOTHING;
	struct choice alone;

	add_year_before(r, s);
	choose_best(r, NULL, &alone);
	if (s->tool_count + s->facts.count > 0)
		how = carry_for(r, s, &alone, is_followup);
	followup_carry(r, s, how, alone.fit.of);
	return how;
}

static bool says_filters_alone(const struct reading *r)
{
	for (size_t i = 0; i < r->mention_count; i++)
		if (r->mentions[i].soft) /* "milestones" */
			return false;
	for (size_t i = 0; i < r->q.count; i++) {
		const struct token *t = &r->q.tokens[i];

		if (token_says(t, WORDS_THAN)) /* "vs Hitachi?" */
			return false;
		if (!t->used && !know_is_stop(r->know, t) && t->number < 0 &&
		    !token_says(t, WORDS_TOP) && !token_says(t, WORDS_BOTTOM) &&
		    !token_says(t, WORDS_SUPERLATIVE) && !token_says(t, WORDS_OPENING))
			return false;
	}
	return true;
}

/* "Daily" continues a trend by month if the trend's tool takes that step. */
static bool takes_step(const struct reading *r, const struct standing *s)
{
	const char *step = followup_says_step(r) ? followup_step(&r->q) : NULL;

	for (size_t t = 0; step && t < s->tool_count; t++)
		for (size_t p = 0; p < s->tools[t]->param_count; p++)
			if (s->tools[t]->params[p].slot == SLOT_STEP &&
			    strlist_has(s->tools[t]->params[p].values, step))
				return true;
	return false;
}

static void understand_data(struct reading *r, const struct standing *s, bool is_followup,
			    const json_t *edits, enum filter_source edit_source,
			    struct understanding *out)
{
	struct choice choice;
	enum carry how;

	*out = (struct understanding){.kind = KNOW_DATA};
	r->bare = is_followup && s->tool_count > 0 && (says_filters_alone(r) || takes_step(r, s));
	r->steps = is_followup && followup_says_step(r);
	how = reading_carry(r, s, is_followup);
	if (edits)
		followup_edit(r, edits, edit_source);
	parents_settle(r);
	if (!choose_best(r, how == CARRY_ALL || r->steps ? s : NULL, &choice)) {
		unclear(KNOW_UNCLEAR, 0.3, out);
		pass_parsed_filters(r, out);
		return;
	}
	finish(r, &choice, is_followup, edits != NULL, out);
	/* "Just the top 3" after a query whose list has no order */
	if (is_followup && s->query && out->confidence > UNSURE && says_filters_alone(r))
		out->confidence = UNSURE;
	/* "How many orders were there in February" has no hub-zone */
	if (!edits && !is_followup && r->trouble.kind == TROUBLE_MISSING && r->said_entities == 0 &&
	    !choose_is_spoken_of(r, &choice)) {
		unclear(KNOW_UNCLEAR, 0.4, out);
		pass_parsed_filters(r, out);
	}
}

void reading_begin(struct reading *r)
{
	scope_read(r->know->names, r->in->may, r->arena, &r->scope);
	r->names = names_of(r->know->names, r->in->tenant, r->scope.in, r->arena);
	read_question(r);
}

/* "Change the year to 2027" changes a filter of the session context that its tools take. */
static bool changes_standing(const struct reading *r, const struct standing *s)
{
	for (size_t t = 0; t < s->tool_count; t++)
		for (size_t f = 0; f < r->facts.count; f++)
			if (tool_param_of_filter(s->tools[t], r->facts.items[f].filter))
				return true;
	return s->tool_count > 0 && r->said_count > 0;
}

/* "How many high risks were there a year ago": a tool without a time parameter reports the current
 * state, and days of the map have another meaning. */
static bool lacks_time(const struct reading *r)
{
	static const char *const times[] = {FILTER_YEAR, FILTER_MONTH, FILTER_START, FILTER_END};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (r->trouble.kind == TROUBLE_NOT_TAKEN &&
		    strcmp(r->trouble.filter, times[i]) == 0)
			return true;
	return false;
}

/* Reads the question without the edited filters as a query over the map, then applies them. */
static bool edit_query(struct reading *r, const struct standing *s, struct understanding *out)
{
	struct know_input plain = *r->in;
	const struct tool_def *tool = NULL;
	const json_t *query = s->query;
	struct understanding u = {0};
	struct question q;

	if (!r->know->map_words || s->ask)
		return false;
	plain.edited_filters = NULL;
	text_read(r->know->catalog->language, r->q.text, r->arena, &q);
	if (q.count > 0) {
		understand_one(r->know, &plain, &q, r->arena, &u);
		tool = u.tool_count == 1 ? u.tools[0].tool : NULL;
		query = tool && tool->map && u.confidence >= KNOW_SURE
				? metrics_query_read(
					  args_text(&u.tools[0].args, tool->map, r->arena),
					  r->arena)
				: NULL;
	}
	return query && metrics_edit(r, query, tool && tool->analysis.groups ? tool : NULL,
				     r->in->edited_filters, out);
}

/* Understands the session context again, as if the client had sent its filters unchanged. */
static void understand_again(const struct know *k, const struct know_input *in, struct arena *a,
			     struct understanding *out)
{
	struct know_input again = *in;
	struct question none;

	again.question = "";
	again.edited_filters = json_own(a, json_object());
	text_read(k->catalog->language, again.question, a, &none);
	understand_one(k, &again, &none, a, out);
	out->is_followup = true;
}

/* Reports a fragment that no tool answers as unused. The domain of the session context provides the
 * questions to offer. */
static void fragment_unused(struct reading *r, const struct standing *s, struct understanding *out)
{
	const char **unused = arena_alloc(r->arena, sizeof(*unused));

	for (size_t i = 0; s->intent && i < r->in->may->domain_count; i++)
		if (strcmp(r->in->may->domains[i]->intent, s->intent) == 0)
			set_agent(r, r->in->may->domains[i], out);
	unused[0] = text_between(&r->q, 0, r->q.count, r->arena);
	out->intent = "general";
	out->unused = unused;
	out->unused_count = 1;
	out->is_followup = true;
}

/* The session context can be run again from its filters: one call of a tool, or a query over the
 * map that is no analysis. A plan of several steps can't, and what was asked back was not run. */
static bool may_show_again(const struct reading *r, const struct standing *s)
{
	const json_t *tools = json_object_get(r->in->standing, "tools");
	const char *name = json_string_value(json_array_get(tools, 0));
	const struct tool_def *tool = name ? catalog_tool(r->know->catalog, name) : NULL;

	return tool && json_array_size(tools) == 1 && !tool->analysis.groups && !s->ask &&
	       !json_object_get(r->in->standing, "plan");
}

void understand_one(const struct know *k, const struct know_input *in, const struct question *q,
		    struct arena *a, struct understanding *out)
{
	struct reading r = {.know = k, .in = in, .arena = a, .q = *q};
	const json_t *edits = in->edited_filters;
	enum filter_source source = SOURCE_EDITED;
	struct standing standing;
	const char *choice, *reply, *foreign;
	enum small_talk talk;
	struct choice flow;
	struct reading *fresh;
	bool is_followup, stands, steps;

	reading_begin(&r);
	followup_read(&r, &standing);
	if (edits && edit_query(&r, &standing, out))
		return;
	choice = edits || !standing.ask ? NULL : followup_choice(&r.q, standing.ask);
	if (choice) {
		const char *filter = json_string_value(json_object_get(standing.ask, "filter"));

		json_t *chosen = json_own(a, json_object());

		json_set_str(chosen, filter ? filter : "choice", choice);
		edits = chosen;
		source = SOURCE_SAID;
		r.facts.count = 0;
		r.trouble = (struct trouble){0};
		r.said_count = 0;
		r.from_bottom = r.from_top = NULL;
	}
	talk = small_talk_of(&r.q);
	if (!edits && refuse_is_injection(in, k)) {
		unclear(KNOW_UNCLEAR, 0.95, out);
		return;
	}
	if (!edits && talk != TALK_NONE && r.facts.count + r.said_count == 0) {
		unclear(talk == TALK_HELP     ? KNOW_HELP
			: talk == TALK_UPLOAD ? KNOW_TERM
					      : KNOW_GREETING,
			0.95, out);
		if (talk == TALK_THANKS)
			out->reply = sentence(k->catalog->language, SAY_REPLY_THANKS, a);
		if (talk == TALK_UPLOAD)
			out->reply = sentence(k->catalog->language,
					      in->may->who && may(in->may->who, PERMISSION_UPLOAD)
						      ? SAY_REPLY_UPLOAD
						      : SAY_REPLY_NO_UPLOAD,
					      a);
		return;
	}
	stands = standing.tool_count + standing.facts.count > 0 || standing.query;
	r.replaces = stands && !edits && replace_values(&r, &standing);
	reply = edits ? NULL : talk_term(k, &r.q, !stands && strchr(q->text, '?'));
	if (reply) {
		unclear(KNOW_TERM, 0.95, out);
		out->reply = reply;
		return;
	}
	if (!edits && talk_asks_meaning(&r)) {
		/* no tool defines words; a model may */
		reply = talk_value(&r);
		unclear(reply ? KNOW_TERM : KNOW_UNCLEAR, reply ? 0.95 : 0.4, out);
		out->reply = reply;
		if (!reply && !documents_instead(&r, out))
			pass_parsed_filters(&r, out);
		return;
	}
	if (!edits && !choice && !changes_standing(&r, &standing) && talk_orders(&r.q)) {
		unclear(KNOW_ORDER, 0.95, out);
		out->reply = sentence(k->catalog->language, SAY_ORDER, a);
		return;
	}
	if (!edits && may_show_again(&r, &standing) && followup_is_form(&r)) {
		understand_again(k, in, a, out);
		return;
	}
	if (!edits && choose_flow(&r, &flow)) {
		flows_take(&r, &flow, out);
		return;
	}
	if (!edits && r.time.weekdays && !standing.query) /* no tool has a parameter for weekdays */
		standing.query = metrics_of_tool(&r, &standing);
	if (!edits && standing.query && !in->names_row && metrics_follow(&r, standing.query, out))
		return;
	foreign = edits ? NULL : talk_foreign(k, &r.q);
	steps = stands && !edits && followup_says_step(&r);
	is_followup = stands && (edits ? r.q.count == 0 || choice || standing.ask
				       : steps || r.replaces || in->names_row || followup_cue(&r));
	if (!edits && !steps && !is_about_data(&r, is_followup)) {
		if (!is_followup && metrics_choose(&r, false, out))
			return;
		unclear(KNOW_UNCLEAR, 0.4, out);
		if (documents_instead(&r, out))
			return;
		pass_parsed_filters(&r, out);
		out->foreign = foreign;
		if (stands && !foreign && followup_is_fragment(&r, is_followup))
			fragment_unused(&r, &standing, out);
		return;
	}
	fresh = arena_alloc(a, sizeof(*fresh));
	*fresh = r;
	understand_data(&r, &standing, is_followup, edits, source, out);
	if (steps && out->tool_count == 0) { /* no tool answers the same by this step */
		unclear(KNOW_UNCLEAR, 0.4, out);
		fragment_unused(&r, &standing, out);
		return;
	}
	if (!edits && !is_followup && out->confidence < KNOW_SURE && !lacks_time(&r) &&
	    metrics_choose(fresh, r.trouble.kind == TROUBLE_MISSING, out))
		return;
	if (!edits && !is_followup && documents_instead(fresh, out))
		return;
	out->is_followup = is_followup;
	out->foreign = foreign;
	if (foreign && out->confidence > UNSURE)
		out->confidence = UNSURE;
}
