/* Understands a question with one subject: chooses a tool, and fills its calls or asks a clarifying
 * question. */
#include "nlu_int.h"

#include "vesper/strlist.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

#define UNSURE 0.6 /* low enough that a model routes the question */

/* Priority of issues. The answer to another clarifying question cannot resolve those with a high
 * priority. */
static int issue_priority(enum issue_kind kind)
{
	switch (kind) {
	case ISSUE_NONE:
		return 0;
	case ISSUE_UNKNOWN_VALUE:
		return 3;
	case ISSUE_NO_CHILDREN:
		return 2;
	default:
		return 1;
	}
}

void reading_add_issue(struct reading *r, const struct issue *t)
{
	if (issue_priority(t->kind) > issue_priority(r->issue.kind))
		r->issue = *t;
}

/* ---- reading ---- */

static const char *day_words(struct reading *r, struct date d)
{
	const char *name = month_name(d.month);

	return arena_printf(r->arena, "%c%s %d, %d", name[0] - 'a' + 'A', name + 1, d.day, d.year);
}

struct suggestion reading_range_option(struct reading *r, struct date start, struct date end)
{
	const struct language *l = r->nlu->catalog->language;
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
	facts_add(&r->facts, r->arena, filter, NULL, value_int(n), SOURCE_EXPLICIT);
}

static void add_day(struct reading *r, const char *filter, struct date d)
{
	char iso[DATE_ISO_BYTES];

	date_iso(d, iso);
	facts_add(&r->facts, r->arena, filter, NULL, value_date(arena_strdup(r->arena, iso)),
		  SOURCE_EXPLICIT);
}

void reading_add_time(struct reading *r)
{
	const struct parsed_time *t = &r->time;

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
			  SOURCE_EXPLICIT);
}

static void add_time_issues(struct reading *r)
{
	const struct parsed_time *t = &r->time;
	struct suggestion *options;

	if (t->bad_day)
		reading_add_issue(r, &(struct issue){.kind = ISSUE_OUT_OF_RANGE,
						     .filter = FILTER_START,
						     .term = t->bad_day});
	if (t->bad_hour)
		reading_add_issue(r, &(struct issue){.kind = ISSUE_OUT_OF_RANGE,
						     .filter = FILTER_HOUR,
						     .term = t->bad_hour});
	if (t->indefinite)
		reading_add_issue(r, &(struct issue){.kind = ISSUE_INDEFINITE_TIME,
						     .filter = FILTER_START,
						     .term = t->indefinite});
	if (t->reading_count == 0)
		return;
	options = arena_alloc(r->arena, sizeof(*options) * t->reading_count);
	for (size_t i = 0; i < t->reading_count; i++)
		options[i] = reading_range_option(r, t->readings[i].start, t->readings[i].end);
	reading_add_issue(r, &(struct issue){.kind = ISSUE_AMBIGUOUS,
					     .filter = FILTER_START,
					     .term = t->ambiguous,
					     .options = options,
					     .option_count = t->reading_count});
}

/* Adds a label as spelled in the tenant's data. If values are loaded, an unknown label is an
 * issue. */
static void add_label(struct reading *r, const struct dimension_def *d, const char *label)
{
	struct name_match m;

	if (names_resolve(r->names, d, label, NULL, r->arena, &m))
		facts_add(&r->facts, r->arena, FILTER_ASOF, d, value_text(m.value),
			  SOURCE_EXPLICIT);
	else
		reading_add_issue(r, &(struct issue){.kind = ISSUE_UNKNOWN_VALUE,
						     .filter = FILTER_ASOF,
						     .dimension = d,
						     .term = label,
						     .options = m.suggestions,
						     .option_count = m.suggestion_count});
}

static void add_asof(struct reading *r)
{
	const struct catalog *c = r->nlu->catalog;

	for (size_t i = 0; i < c->dimension_count; i++)
		for (size_t n = 0; n < r->time.asof_count; n++)
			if (strcmp(c->dimensions[i].filter, FILTER_ASOF) == 0 && r->scope.in[i])
				add_label(r, &c->dimensions[i], r->time.asof[n]);
}

/* Adds each value when all are requested ("all hub-zones of ERCOT"). */
static void add_all_values(struct reading *r)
{
	for (size_t i = 0; i < r->all_count; i++) {
		const struct dimension_def *d = r->all_values_of[i];
		const struct dimension_def *up =
			d->parent ? catalog_dimension(r->nlu->catalog, d->parent) : NULL;
		const struct fact *parent = up ? facts_get(&r->facts, up->filter) : NULL;
		const struct suggestion *options;
		size_t n;

		if (facts_get(&r->facts, d->filter) || names_loaded(r->names, d))
			continue; /* all values of a loaded dimension mean no filter */
		n = names_list_options(r->names, d,
				       parent && parent->count == 1 ? parent->values[0].text : NULL,
				       r->arena, &options);
		for (size_t v = 0; v < n; v++)
			facts_add(&r->facts, r->arena, d->filter, d, value_text(options[v].value),
				  SOURCE_EXPLICIT)
				->all_values = true;
	}
}

static void read_question(struct reading *r)
{
	const struct calendar *cal = &r->nlu->catalog->calendar;
	struct parsed_time endings = {0};
	int top;

	if (r->q.count > NLU_WORDS_MAX)
		r->q.count = NLU_WORDS_MAX;
	spelling_correct(r);
	mentions_find(r);
	/* before dates: "HE 18-22, Jun-Aug" has no days */
	hours_parse_endings(&r->q, r->arena, &endings);
	dates_parse(&r->q, r->in->today, &r->in->calendar, r->arena, &r->time);
	r->time.hours |= endings.hours;
	r->time.bad_hour = r->time.bad_hour ? r->time.bad_hour : endings.bad_hour;
	hours_parse(&r->q, cal->peak_first_hour, cal->peak_last_hour, r->arena, &r->time);
	top = numbers_top_n(r->nlu->catalog->language, &r->q);
	constraints_read(r);
	mentions_find_unknown(r);
	mentions_resolve(r);
	add_asof(r);
	for (size_t i = 0; i < r->facts.count; i++)
		r->entity_count += r->facts.items[i].dimension != NULL;
	for (size_t i = 0; i < r->constraint_count; i++)
		r->entity_count += r->constraints[i].slot == SLOT_NOT;
	reading_add_time(r);
	add_time_issues(r);
	if (!r->time.day_type)
		exclude_ask_about_times(r);
	if (top > 0)
		facts_add(&r->facts, r->arena, FILTER_TOP_N, NULL, value_int(top), SOURCE_EXPLICIT);
	add_all_values(r);
	router_score_text(r->nlu, r->in, &r->q, 0, r->q.count,
			  r->time.hours != 0 || r->time.bad_hour, r->arena, &r->text_score);
}

/* Returns true when the question is about data. Known names, times and tool words are evidence for
 * it. Unknown words are evidence against it. */
static bool is_about_data(const struct reading *r, bool is_followup)
{
	static const char *const times[] = {FILTER_YEAR, FILTER_MONTH, FILTER_HOUR, FILTER_TOP_N};
	const struct router_weights *w = &r->nlu->catalog->router;
	double known = r->text_score.evidence < w->evidence.words ? r->text_score.evidence
								  : w->evidence.words;
	double evidence = (double)r->entity_count + known +
			  w->evidence.word * (double)r->text_score.known_words;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		evidence += facts_get(&r->facts, times[i]) ? w->evidence.time : 0;
	if (r->time.range_only || r->time.year_before || r->replaces_value ||
	    (is_followup && r->constraint_count > 0))
		evidence += w->evidence.time;
	if (documents_cover_question(r))
		return true;
	if (r->issue.kind != ISSUE_NONE)
		evidence += w->evidence.trouble;
	return evidence >= (is_followup ? w->evidence.followup : w->evidence.least) +
				   w->evidence.strange * (double)r->text_score.unknown_words;
}

static void set_agent(struct reading *r, const struct domain_def *d, struct understanding *out)
{
	const char **agents = arena_alloc(r->arena, sizeof(*agents));

	agents[0] = d->agent;
	out->agents = agents;
	out->agent_count = 1;
	out->intent = d->intent;
}

static void fill_chosen(struct reading *r, const struct choice *c, bool is_followup, bool is_edited,
			struct understanding *out)
{
	set_agent(r, c->domain, out);
	out->ask_tool = candidate_tool(c->fit.candidate);
	if (c->fit.candidate->kind == CANDIDATE_DOCUMENTS) {
		documents_fill(r, c, out);
		out->confidence = is_edited ? 1 : choose_confidence(r, c, is_followup);
		return;
	}
	if (slots_fill(r, &c->fit, c->domain->agent, out)) {
		out->confidence = is_edited ? 1 : choose_confidence(r, c, is_followup);
		if (!is_edited && exclude_negates_tool(r->nlu, &r->q) && out->confidence > UNSURE)
			out->confidence = UNSURE;
		if (!is_edited)
			unused_words_find(r, c, out);
		if (out->unused_count > 0 && out->confidence > UNSURE)
			out->confidence = UNSURE;
		return;
	}
	out->tools = NULL;
	out->tool_count = 0;
	slots_filters(r, r->time.range_only, out);
	ask_clarify(r, &r->issue, &out->ask);
	/* A model cannot resolve a contradiction, but may find a missing value in the
	 * conversation. */
	out->confidence =
		r->issue.kind == ISSUE_MISSING || r->issue.kind == ISSUE_UNSUPPORTED_FILTER ? UNSURE
											    : 0.85;
}

/* ---- the whole question ---- */

static void set_unclear(enum nlu_kind kind, double confidence, struct understanding *out)
{
	*out = (struct understanding){.kind = kind, .intent = "general", .confidence = confidence};
}

/* Passes the filters that were read to the model, which then only has to find a tool. */
static void pass_parsed_filters(struct reading *r, struct understanding *out)
{
	struct understanding parsed = {0};

	parents_resolve(r);
	slots_filters(r, r->time.range_only, &parsed);
	out->parsed_filters = parsed.filters;
	out->parsed_filter_count = parsed.filter_count;
	choose_readings(r, out);
}

/* Adds the year for "the year before", relative to the one in the session context. */
static void add_year_before(struct reading *r, const struct session_context *s)
{
	const struct fact *f = facts_get(&s->facts, FILTER_YEAR);

	if (!r->time.year_before || facts_get(&r->facts, FILTER_YEAR))
		return;
	facts_add(&r->facts, r->arena, FILTER_YEAR, NULL,
		  value_int((f ? f->values[0].number : r->in->today.year) - 1), SOURCE_EXPLICIT);
}

static enum carry carry_for(const struct reading *r, const struct session_context *s,
			    const struct choice *alone, bool is_followup)
{
	if (is_followup || followup_points_at_context(r) ||
	    followup_answers_ask(r, s, alone->fit.candidate) ||
	    (alone->fit.missing > 0 && followup_has_pronoun(&r->q)))
		return CARRY_ALL;
	return alone->fit.missing > 0 ? CARRY_MISSING : CARRY_NOTHING;
}

enum carry reading_carry(struct reading *r, const struct session_context *s, bool is_followup)
{
	enum carry how = CARRY_NOTHING;
	struct choice alone;

	add_year_before(r, s);
	choose_best(r, NULL, &alone);
	if (s->tool_count + s->facts.count > 0)
		how = carry_for(r, s, &alone, is_followup);
	followup_carry(r, s, how, alone.fit.candidate);
	return how;
}

/* A value that may also name a tool ("milestones") is a filter if the context's tool takes it. */
static bool is_filter_of_context(const struct session_context *s, const struct mention *m)
{
	for (size_t t = 0; m->count > 0 && t < s->tool_count; t++)
		if (tool_param_of_filter(s->tools[t], m->candidates[0].dimension->filter))
			return true;
	return false;
}

static bool has_filters_only(const struct reading *r, const struct session_context *s)
{
	for (size_t i = 0; i < r->mention_count; i++)
		if (r->mentions[i].has_tool_words_only && !is_filter_of_context(s, &r->mentions[i]))
			return false;
	for (size_t i = 0; i < r->q.count; i++) {
		const struct token *t = &r->q.tokens[i];

		if (token_in_list(t, WORDS_COMPARISON)) /* "vs Hitachi?" */
			return false;
		if (!t->used && !nlu_is_stop_word(r->nlu, t) && t->number < 0 &&
		    !token_in_list(t, WORDS_TOP) && !token_in_list(t, WORDS_BOTTOM) &&
		    !token_in_list(t, WORDS_SUPERLATIVE) &&
		    !token_in_list(t, WORDS_FOLLOWUP_OPENING))
			return false;
	}
	return true;
}

/* Returns true when a tool of the session context takes the time step of the follow-up: "daily"
 * after a trend by month. */
static bool tool_takes_time_step(const struct reading *r, const struct session_context *s)
{
	const char *step = followup_is_time_step(r) ? followup_time_step(&r->q) : NULL;

	for (size_t t = 0; step && t < s->tool_count; t++)
		for (size_t p = 0; p < s->tools[t]->param_count; p++)
			if (s->tools[t]->params[p].slot == SLOT_STEP &&
			    strlist_has(s->tools[t]->params[p].values, step))
				return true;
	return false;
}

static void understand_data(struct reading *r, const struct session_context *s, bool is_followup,
			    const json_t *edits, enum filter_source edit_source,
			    struct understanding *out)
{
	struct choice choice;
	enum carry how;

	*out = (struct understanding){.kind = NLU_DATA};
	r->filters_only = is_followup && s->tool_count > 0 &&
			  (has_filters_only(r, s) || tool_takes_time_step(r, s));
	r->time_step_only = is_followup && followup_is_time_step(r);
	how = reading_carry(r, s, is_followup);
	if (edits)
		followup_edit(r, edits, edit_source);
	parents_resolve(r);
	if (!choose_best(r, how == CARRY_ALL || r->time_step_only ? s : NULL, &choice)) {
		set_unclear(NLU_UNCLEAR, 0.3, out);
		pass_parsed_filters(r, out);
		return;
	}
	fill_chosen(r, &choice, is_followup, edits != NULL, out);
	/* after a query whose list has no order, "just the top 3" is not certain */
	if (is_followup && s->query && out->confidence > UNSURE && has_filters_only(r, s))
		out->confidence = UNSURE;
	/* do not ask for a value that no word suggests: "How many orders were there in February"
	 * needs no hub-zone */
	if (!edits && !is_followup && r->issue.kind == ISSUE_MISSING && r->entity_count == 0 &&
	    !choose_matches_words(r, &choice)) {
		set_unclear(NLU_UNCLEAR, 0.4, out);
		pass_parsed_filters(r, out);
	}
}

void reading_begin(struct reading *r)
{
	scope_read(r->nlu->names, r->in->may, r->arena, &r->scope);
	r->names = names_of(r->nlu->names, r->in->tenant, r->scope.in, r->arena);
	read_question(r);
}

/* Returns true when the question changes a filter that the tools of the session context take:
 * "change the year to 2027". */
static bool changes_session_context(const struct reading *r, const struct session_context *s)
{
	for (size_t t = 0; t < s->tool_count; t++)
		for (size_t f = 0; f < r->facts.count; f++)
			if (tool_param_of_filter(s->tools[t], r->facts.items[f].filter))
				return true;
	return s->tool_count > 0 && r->constraint_count > 0;
}

/* Returns true when the tool has no parameter for the time of the question: "How many high risks
 * were there a year ago". Such a tool reports the current state. */
static bool is_missing_time(const struct reading *r)
{
	static const char *const times[] = {FILTER_YEAR, FILTER_MONTH, FILTER_START, FILTER_END};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (r->issue.kind == ISSUE_UNSUPPORTED_FILTER &&
		    strcmp(r->issue.filter, times[i]) == 0)
			return true;
	return false;
}

/* Reads the question as a query over the map, then applies the edited filters to it. */
static bool edit_query(struct reading *r, const struct session_context *s,
		       struct understanding *out)
{
	struct nlu_input plain = *r->in;
	const struct tool_def *tool = NULL;
	const json_t *query = s->query;
	struct understanding u = {0};
	struct question q;

	if (!r->nlu->map_words || s->ask)
		return false;
	plain.edited_filters = NULL;
	text_tokenize(r->nlu->catalog->language, r->q.text, r->arena, &q);
	if (q.count > 0) {
		understand_single(r->nlu, &plain, &q, r->arena, &u);
		tool = u.tool_count == 1 ? u.tools[0].tool : NULL;
		query = tool && tool->map && u.confidence >= NLU_CONFIDENT
				? metrics_query_read(
					  args_text(&u.tools[0].args, tool->map, r->arena),
					  r->arena)
				: NULL;
	}
	return query && metrics_edit(r, query, tool && tool->analysis.groups ? tool : NULL,
				     r->in->edited_filters, out);
}

/* Repeats the last call, as if the client had sent the filters of the session context unchanged. */
static void understand_again(const struct nlu *k, const struct nlu_input *in, struct arena *a,
			     struct understanding *out)
{
	struct nlu_input again = *in;
	struct question none;

	again.question = "";
	again.edited_filters = json_own(a, json_object());
	text_tokenize(k->catalog->language, again.question, a, &none);
	understand_single(k, &again, &none, a, out);
	out->is_followup = true;
}

/* Reports a fragment that no tool answers as unused. The domain of the session context is set, so
 * that its example questions can be offered. */
static void report_fragment_unused(struct reading *r, const struct session_context *s,
				   struct understanding *out)
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

/* Returns true when the last answer can be repeated from the filters of the session context: one
 * call of a tool that is not an analysis. A plan of several steps cannot be repeated, and a
 * clarifying question did not run anything. */
static bool can_rerun_context(const struct reading *r, const struct session_context *s)
{
	const json_t *tools = json_object_get(r->in->session_context, "tools");
	const char *name = json_string_value(json_array_get(tools, 0));
	const struct tool_def *tool = name ? catalog_tool(r->nlu->catalog, name) : NULL;

	return tool && json_array_size(tools) == 1 && !tool->analysis.groups && !s->ask &&
	       !json_object_get(r->in->session_context, "plan");
}

/* Follows up on the list of the last tool with an equivalent query over the map: "Which of them
 * have more than 3 million in the budget". No tool has such a filter. */
static bool follow_list(const struct reading *r, const struct session_context *s,
			struct understanding *out)
{
	const json_t *query = s->query || s->ask || r->in->refers_to_row || /* no metric named */
					      (words_in(&r->q, WORDS_GROUPING) &&
					       !words_in(&r->q, WORDS_COUNTING))
				      ? NULL
				      : metrics_query_of_tool(r, s);

	return query && metrics_follow(r, query, out);
}

void understand_single(const struct nlu *k, const struct nlu_input *in, const struct question *q,
		       struct arena *a, struct understanding *out)
{
	struct reading r = {.nlu = k, .in = in, .arena = a, .q = *q};
	const json_t *edits = in->edited_filters;
	enum filter_source source = SOURCE_EDITED;
	struct session_context context;
	const char *choice, *reply, *foreign;
	enum small_talk talk;
	struct choice flow;
	struct reading *without_context;
	bool is_followup, has_context, time_step_only;

	reading_begin(&r);
	session_context_read(&r, &context);
	if (edits && edit_query(&r, &context, out))
		return;
	choice = edits || !context.ask ? NULL : followup_choice(&r.q, context.ask);
	if (choice) {
		const char *filter = json_string_value(json_object_get(context.ask, "filter"));

		json_t *chosen = json_own(a, json_object());

		json_set_str(chosen, filter ? filter : "choice", choice);
		edits = chosen;
		source = SOURCE_EXPLICIT;
		r.facts.count = 0;
		r.issue = (struct issue){0};
		r.constraint_count = 0;
		r.bottom_word = r.top_word = NULL;
	}
	talk = small_talk_of(&r.q);
	if (!edits && refuse_is_injection(in, k)) {
		set_unclear(NLU_UNCLEAR, 0.95, out);
		return;
	}
	if (!edits && talk != TALK_NONE && r.facts.count + r.constraint_count == 0) {
		set_unclear(talk == TALK_HELP     ? NLU_HELP
			    : talk == TALK_UPLOAD ? NLU_DEFINITION
						  : NLU_GREETING,
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
	has_context = context.tool_count + context.facts.count > 0 || context.query;
	r.replaces_value = has_context && !edits && replace_values(&r, &context);
	reply = edits ? NULL : talk_definition(k, &r.q, !has_context && strchr(q->text, '?'));
	if (reply) {
		set_unclear(NLU_DEFINITION, 0.95, out);
		out->reply = reply;
		return;
	}
	if (!edits && talk_asks_meaning(&r)) {
		/* no tool defines words; a model may */
		reply = talk_value_definition(&r);
		set_unclear(reply ? NLU_DEFINITION : NLU_UNCLEAR, reply ? 0.95 : 0.4, out);
		out->reply = reply;
		if (!reply && !documents_fallback(&r, out))
			pass_parsed_filters(&r, out);
		return;
	}
	if (!edits && !choice && !changes_session_context(&r, &context) && talk_is_command(&r.q)) {
		set_unclear(NLU_COMMAND, 0.95, out);
		out->reply = sentence(k->catalog->language, SAY_ORDER, a);
		return;
	}
	if (!edits && can_rerun_context(&r, &context) && followup_is_display_only(&r)) {
		understand_again(k, in, a, out);
		return;
	}
	if (!edits && choose_flow(&r, &flow)) {
		flows_fill(&r, &flow, out);
		return;
	}
	if (!edits && r.time.weekdays && !context.query) /* no tool has a parameter for weekdays */
		context.query = metrics_query_of_tool(&r, &context);
	if (!edits && context.query && !in->refers_to_row && metrics_follow(&r, context.query, out))
		return;
	foreign = edits ? NULL : talk_foreign_reply(k, &r.q);
	time_step_only = has_context && !edits && followup_is_time_step(&r);
	is_followup = has_context && (edits ? r.q.count == 0 || choice || context.ask
					    : time_step_only || r.replaces_value ||
						      in->refers_to_row || followup_has_cue(&r));
	if (!edits && !time_step_only && !is_about_data(&r, is_followup)) {
		if (!is_followup && metrics_choose(&r, TOOL_LACKS_NOTHING, out))
			return;
		if (follow_list(&r, &context, out))
			return;
		set_unclear(NLU_UNCLEAR, 0.4, out);
		if (documents_fallback(&r, out))
			return;
		pass_parsed_filters(&r, out);
		out->foreign = foreign;
		if (has_context && !foreign && followup_is_fragment(&r, is_followup))
			report_fragment_unused(&r, &context, out);
		return;
	}
	without_context = arena_alloc(a, sizeof(*without_context));
	*without_context = r;
	understand_data(&r, &context, is_followup, edits, source, out);
	if (time_step_only && out->tool_count == 0) { /* no tool takes this time step */
		set_unclear(NLU_UNCLEAR, 0.4, out);
		report_fragment_unused(&r, &context, out);
		return;
	}
	if (!edits && !is_followup && out->confidence < NLU_CONFIDENT &&
	    metrics_choose(without_context,
			   is_missing_time(&r)             ? TOOL_LACKS_TIME
			   : r.issue.kind == ISSUE_MISSING ? TOOL_LACKS_VALUE
							   : TOOL_LACKS_NOTHING,
			   out))
		return;
	if (!edits && out->confidence < NLU_CONFIDENT &&
	    follow_list(without_context, &context, out))
		return;
	if (!edits && !is_followup && documents_fallback(without_context, out))
		return;
	out->is_followup = is_followup;
	out->foreign = foreign;
	if (foreign && out->confidence > UNSURE)
		out->confidence = UNSURE;
}
