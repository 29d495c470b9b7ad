/*
 * Refuses questions before any tool runs: prompt injection, pronouns without a referent, subjects
 * outside the data, and impossible requests such as actual prices of a future date. A question
 * understood with confidence is never refused for its topic.
 */
#include "nlu_int.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/rx.h"

/* A pattern with hints. Most questions contain no hint, so the regex does not run. */
struct pattern {
	const char *regex;
	/* Beginnings of words, and signs. Every ASCII match contains one. NULL: always run the
	 * regex. */
	const char *hints;
	bool is_sql; /* allowed for callers who may use ad hoc SQL */
	/* A word with another meaning in some businesses. If a pack uses it, the pattern is
	 * disabled. NULL: always enabled. */
	const char *noun;
};

/* Pattern indexes: first the injections, then the patterns of the language. Its patterns for
 * impossible requests begin at IMPOSSIBLE. */
enum { INJECTION_COUNT = 10, POINTING = INJECTION_COUNT, NOT_POINTING, NAMED, IMPOSSIBLE };

#define PATTERNS_MAX (IMPOSSIBLE + LANGUAGE_IMPOSSIBLE_MAX)

_Static_assert(PATTERNS_MAX <= 32, "the suspects of a text are 32 bits");

/* Compiled into the program, so that no reload of files can weaken them. */
/* clang-format off */
#define RULES "(?:instructions?|rules?|guardrails?|restrictions?|guidelines|system prompt|prompts?|permissions?|permission checks?|access controls?|security(?: checks?| rules?)?|safety rules?|content polic(?:y|ies)|everything (?:above|before))"

static const struct pattern injections[INJECTION_COUNT] = {
	{"\\b(?:ignore|ignoring|disregard|forget|override|overrule|bypass|circumvent|disable|deactivate|turn off|break out of)\\b(?:\\W+\\w+){0,4}?\\W+" RULES "\\b",
	 "ignor disregard forget overr bypass circumvent disable deactivate turn break", false, NULL},
	{"\\b(?:reveal|show|print|repeat|tell|give|display|output|leak|recite|summari[sz]e|translate|what(?:\\W+(?:is|are|s|was|were))?)\\b(?:\\W+\\w+){0,4}?\\W+(?:system (?:prompt|message)|(?:initial|hidden|original|full|secret) (?:prompt|instructions?)|your (?:prompts?|instructions?|rules|guidelines|guardrails|configuration|system message)|developer message)\\b",
	 "prompt instruction message rule guideline guardrail configuration", false, NULL},
	{"\\b(?:system|developer) (?:prompt|message)\\b|\\byou are now\\b|\\bact as (?:an?|the|my|if|root|admin\\w*)\\b|\\bpretend (?:to be|you|that you|i am|i'm)\\b|\\b(?:developer|admin|god|debug|dan|maintenance) mode\\b|\\bjailbreak|\\brole-?play\\b|\\bnew instructions?\\b|\\byou (?:have|are under) no (?:rules|restrictions|limits)\\b",
	 "prompt message now act pretend mode jailbreak role instruction rule restriction limit", false, NULL},
	{"\\btenants?\\b", "tenant", false, "tenant"},
	{"\\b(?:other|another|different|foreign|all) (?:customers?|compan(?:y|ies)|organi[sz]ations?)\\W*s?\\W*(?:data|records?|numbers|(?:{nouns})s?)\\b",
	 "other another different foreign all", false, "customer"},
	{"\\btenant_id\\b|\\bother users?\\W*s?\\W+(?:asked|ask|chats?|conversations?|questions?|sessions?|messages?|data|history)\\b|\\b(?:on behalf of|impersonat\\w+|as if i were) (?:an? )?(?:admin\\w*|manager|another|other)\\b|\\b(?:grant|give|make) (?:me|myself) (?:an? )?(?:admin\\w*|root|full access|all permissions?|more permissions?)",
	 "tenant user behalf impersonat were admin root access permission", false, NULL},
	{"<\\s*/?\\s*(?:tool|function|system|assistant|instructions?|tool_use|tool_call|invoke)\\b|\\[/?(?:INST|SYSTEM)\\]|^\\s*(?:system|assistant|developer)\\s*:|\"(?:tool|tool_use|tool_calls?|function|arguments|function_call)\"\\s*:|\\b(?:call|invoke|execute|run|use|trigger)\\W+(?:the\\W+|a\\W+|this\\W+|your\\W+)?(?:tool|function)\\b|\\b(?:get|list|compare|find|general)_\\w+\\s*\\(|\\b(?:call|invoke|execute|run|use|trigger)\\W+(?:the\\W+)?(?:get|list|compare|find|general)_\\w+",
	 "< [ \" system assistant developer tool function get_ list_ compare_ find_ general_", false, NULL},
	{"\\b(?:drop|truncate|alter|create)\\s+(?:table|view|database|schema|user|login|role)\\b|\\bdelete\\s+from\\b|\\binsert\\s+into\\b|\\bupdate\\s+[\\w.]+\\s+set\\b|\\bexec(?:ute)?\\s+(?:xp_|sp_|immediate)|;\\s*(?:drop|delete|update|insert|exec|shutdown|select)\\b|\\bwaitfor\\s+delay\\b|\\bpg_sleep\\b|\\bxp_cmdshell\\b",
	 "drop truncate alter create delete insert update exec shutdown select waitfor pg_sleep xp_cmdshell", false, NULL},
	{"\\bselect\\s+(?:\\*|top\\s+\\d|distinct\\s+\\w+\\s+from|count\\s*\\(|sum\\s*\\(|avg\\s*\\(|[\\w.\"]+(?:\\s*,\\s*[\\w.\"]+)+\\s+from\\b|[\\w\"]+\\s+from\\s+\\w+[._]\\w+)|\\bunion\\s+(?:all\\s+)?select\\b|\\binformation_schema\\b|\\bsqlite_(?:master|schema)\\b|\\bpg_catalog\\b|\\bsys\\.(?:tables|objects|columns)\\b|\\b(?:run|execute)\\W+(?:\\w+\\W+){0,3}?(?:sql|statement)\\b",
	 "select union information_schema sqlite_ pg_catalog sys sql statement", true, NULL},
	{"\\b(?:api|secret|private|access|signing|jwt) ?keys?\\b|\\bpasswords?\\b|\\bconnection strings?\\b|\\bcredentials?\\b|\\benvironment variables?\\b|/etc/passwd|\\bbearer tokens?\\b|\\bjwt\\b|\\bbase64\\b|\\bdecode (?:this|the following)\\b",
	 "api secret private access signing jwt passw connection credential environment bearer base64 decode", false, NULL},
};

/* clang-format on */

/* ---- finding ---- */

#define ASCII            128
#define HINTS_MAX        160
#define LISTED_WORDS_MAX 4 /* longest listed name that is looked up, in words */

/* The beginning of a word, and a bit set of the patterns whose matches may contain it. */
struct hint {
	const char *text;
	size_t len;
	uint32_t patterns;
	const struct hint *next; /* next hint with the same first letter */
};

struct refuser {
	struct rx *patterns[PATTERNS_MAX]; /* NULL: disabled */
	size_t pattern_count;
	uint32_t always_tried;
	struct hint items[HINTS_MAX];
	size_t count;
	const struct hint *hints[ASCII]; /* by first letter */
	const struct topics *outside, *impossible;
};

static void add_hint(struct refuser *r, size_t pattern, const char *text, size_t len)
{
	struct hint *h = &r->items[r->count++];

	assert(r->count <= HINTS_MAX);
	*h = (struct hint){text, len, UINT32_C(1) << pattern, r->hints[(unsigned char)*text]};
	r->hints[(unsigned char)*text] = h;
}

static void compile(struct refuser *r, size_t pattern, const char *regex)
{
	struct err e = {0};
	bool ok = rx_new(regex, &r->patterns[pattern], &e);

	assert(ok); /* tests cover these patterns, and the loader compiled those of files */
	(void)ok;
}

static void add_injections(struct refuser *r, const struct nlu *k)
{
	const struct pack_words *w = &k->catalog->words;

	for (size_t i = 0; i < INJECTION_COUNT; i++) {
		const struct language_pattern p = {.regex = injections[i].regex};
		const char *at = injections[i].hints;

		if (injections[i].noun && nlu_is_pack_word(k, injections[i].noun))
			continue;
		compile(r, i, language_pattern(&p, w->nouns, w->states, w->aspects, k->arena));
		for (size_t len; *at; at += len + (at[len] == ' ')) {
			len = strcspn(at, " ");
			add_hint(r, i, at, len);
		}
	}
}

static void add_pattern(struct refuser *r, const struct nlu *k, size_t number,
			const struct language_pattern *p)
{
	const struct pack_words *w = &k->catalog->words;

	compile(r, number, language_pattern(p, w->nouns, w->states, w->aspects, k->arena));
	if (!*p->hints)
		r->always_tried |= UINT32_C(1) << number;
	for (const char *const *hint = p->hints; *hint; hint++)
		add_hint(r, number, *hint, strlen(*hint));
}

struct refuser *refuser_new(struct nlu *k)
{
	struct refuser *r = arena_alloc(k->arena, sizeof(*r));
	const struct language *l = k->catalog->language;
	const struct pack_words *w = &k->catalog->words;

	add_injections(r, k);
	add_pattern(r, k, POINTING, &l->pointing);
	add_pattern(r, k, NOT_POINTING, &l->not_pointing);
	add_pattern(r, k, NAMED, &l->named);
	for (size_t i = 0; i < l->impossible_count; i++)
		add_pattern(r, k, IMPOSSIBLE + i, &l->impossible[i]);
	r->pattern_count = IMPOSSIBLE + l->impossible_count;
	r->outside = topics_new(k->arena, w->outside, w->outside_count, &l->outside, 1);
	r->impossible = topics_new(k->arena, w->impossible, w->impossible_count, NULL, 0);
	return r;
}

void refuser_deinit(struct refuser *r)
{
	for (size_t i = 0; i < r->pattern_count; i++)
		rx_free(&r->patterns[i]);
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static uint32_t patterns_hinted_at(const struct refuser *r, const char *at)
{
	uint32_t found = 0;

	for (const struct hint *h = r->hints[tolower((unsigned char)*at)]; h; h = h->next)
		if (strncasecmp(at, h->text, h->len) == 0)
			found |= h->patterns;
	return found;
}

/* The patterns that the text may match, as bits. Non-ASCII text may match any pattern, since
 * letters can be written in other ways. */
static uint32_t possible_patterns(const struct refuser *r, const char *text)
{
	uint32_t found = r->always_tried;

	for (const char *at = text; *at; at++) {
		if ((unsigned char)*at >= ASCII)
			return UINT32_MAX;
		if (!is_word_char(*at) || at == text || !is_word_char(at[-1]))
			found |= patterns_hinted_at(r, at);
	}
	return found;
}

/* A text, and the patterns it may match. */
struct checked_text {
	const struct refuser *refuser;
	const char *text;
	uint32_t patterns;
};

static struct checked_text checked_text_of(const struct nlu *k, const struct nlu_input *in)
{
	const char *text = in->question ? in->question : "";

	return (struct checked_text){k->refuser, text, possible_patterns(k->refuser, text)};
}

static bool match_pattern(const struct checked_text *s, size_t pattern, struct str *what)
{
	struct str groups[RX_GROUPS_MAX];

	if (!(s->patterns >> pattern & 1) || !s->refuser->patterns[pattern] ||
	    !rx_match(s->refuser->patterns[pattern], str_of(s->text), 0, groups))
		return false;
	*what = groups[0];
	for (size_t i = 1; i < RX_GROUPS_MAX; i++)
		if (groups[i].p && groups[i].n > 0)
			*what = groups[i];
	return true;
}

const char *refusal_name(enum refusal_kind kind)
{
	static const char *const names[] = {
		[REFUSE_INJECTION] = "injection",
		[REFUSE_REFERENCE] = "reference",
		[REFUSE_SCOPE] = "scope",
		[REFUSE_IMPOSSIBLE] = "impossible",
		[REFUSE_UNKNOWN] = "unknown_entity",
	};

	return names[kind];
}

const char *refusal_code(enum refusal_kind kind)
{
	static const char *const codes[] = {
		[REFUSE_INJECTION] = "INPUT_VALIDATION_FAILED",
		[REFUSE_REFERENCE] = "AMBIGUOUS_REFERENCE",
		[REFUSE_SCOPE] = "OUT_OF_CONTEXT",
		[REFUSE_IMPOSSIBLE] = "MISLEADING_QUERY",
		[REFUSE_UNKNOWN] = "UNKNOWN_ENTITY",
	};

	return codes[kind];
}

/* ---- injection ---- */

static bool may_write_sql(const struct catalog_view *v)
{
	for (size_t i = 0; i < v->agent_tool_count; i++)
		if (v->agent_tools[i]->gate)
			return true;
	return false;
}

static bool is_injection(const struct checked_text *s, const struct nlu_input *in)
{
	struct str what;

	for (size_t i = 0; i < INJECTION_COUNT; i++)
		if (match_pattern(s, i, &what) && !(injections[i].is_sql && may_write_sql(in->may)))
			return true;
	return false;
}

bool refuse_is_injection(const struct nlu_input *in, const struct nlu *k)
{
	struct checked_text s = checked_text_of(k, in);

	return is_injection(&s, in);
}

/* ---- refusal kinds ---- */

static bool is_confident(const struct understanding *u)
{
	return u->tool_count > 0 && u->confidence >= NLU_CONFIDENT;
}

static const struct tool_def *tool_of(const struct understanding *u)
{
	return u->tool_count > 0 ? u->tools[0].tool : u->ask_tool;
}

static bool has_session_context(const json_t *standing)
{
	return json_object_size(json_object_get(standing, "filters")) > 0 ||
	       json_array_size(json_object_get(standing, "tools")) > 0 ||
	       json_object_get(standing, "plan");
}

static bool has_named_values(const struct nlu *k, const struct understanding *u)
{
	for (size_t i = 0; i < u->filter_count; i++)
		for (size_t d = 0; d < k->catalog->dimension_count; d++)
			if (u->filters[i].source <= SOURCE_ALIAS &&
			    strncmp(u->filters[i].name, k->catalog->dimensions[d].filter,
				    strlen(k->catalog->dimensions[d].filter)) == 0)
				return true;
	return false;
}

static const char *answer_of(const struct topic *topic, struct str term, struct arena *a)
{
	const char *slot = strstr(topic->answer, "{term}");

	return slot ? arena_printf(a, "%.*s%.*s%s", (int)(slot - topic->answer), topic->answer,
				   STR_FMT(term), slot + 6)
		    : topic->answer;
}

/* The first topic of the question that a pack lists as impossible for the tool; or NULL. */
static const struct topic *impossible_topic(const struct nlu *k, const struct question *q,
					    const struct tool_def *tool, struct arena *a,
					    struct str *what)
{
	for (size_t i = 0, len; i < q->count; i++) {
		const struct topic *t = topics_at(k->refuser->impossible, q, i, &len);

		if (!t ||
		    (t->required_filter &&
		     !(tool && tool_param_of_filter(tool, t->required_filter))) ||
		    topics_mention(q, t->unless))
			continue;
		*what = str_of(text_between(q, i, i + len, a));
		return t;
	}
	return NULL;
}

static bool is_impossible(const struct nlu *k, const struct checked_text *s,
			  const struct question *q, const struct understanding *u, struct arena *a,
			  struct str *what, const char **why)
{
	const struct language *l = k->catalog->language;
	const struct topic *topic;

	if (u->ask.impossible) {
		*what = str_of(u->ask.impossible);
		*why = u->ask.text;
		return true;
	}
	for (size_t i = 0; i < l->impossible_count; i++)
		if (match_pattern(s, IMPOSSIBLE + i, what)) {
			*why = l->impossible[i].answer;
			return true;
		}
	topic = impossible_topic(k, q, tool_of(u), a, what);
	if (topic)
		*why = answer_of(topic, *what, a);
	return topic != NULL;
}

/* Returns true when an entry counts as a name. In data loaded from the tenant, part of a longer
 * name counts only if tools accept parts. */
static bool accepts_any(const struct names *names, const struct scope *scope,
			const struct entry *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (found[i].kind != ENTRY_PART || scope->parts[found[i].dimension_index] ||
		    !names_loaded(names, found[i].dimension))
			return true;
	return false;
}

/* Returns true when the text or one of its words is a name or part of one. */
static bool is_name(const struct nlu *k, const struct nlu_input *in, const char *text,
		    struct arena *a)
{
	const struct names *names;
	struct scope scope;
	struct entry found[MENTION_CANDIDATES_MAX];
	struct folded f;

	scope_read(k->names, in->may, a, &scope);
	names = names_of(k->names, in->tenant, scope.in, a);
	text_fold(text, &f);
	return accepts_any(names, &scope, found,
			   names_find(names, &f, found, MENTION_CANDIDATES_MAX)) ||
	       accepts_any(names, &scope, found,
			   names_find_fuzzy(names, scope.in, f.key, f.len, false, a, found,
					    FUZZY_MATCHES_MAX));
}

static bool is_time(const struct token *t)
{
	return month_named(t->text, t->len) || time_unit_of(t) != UNIT_NONE || season_months(t);
}

static bool is_common(const struct nlu *k, const struct token *t)
{
	return nlu_is_known_word(k, t) || token_in_list(t, WORDS_COMMON) || is_time(t) ||
	       token_ordinal(t) != 0;
}

/* Returns true when neither the vocabulary of tools nor the entity index has these words. */
static bool is_unknown_words(const struct nlu *k, const struct nlu_input *in, struct str words,
			     struct arena *a)
{
	const char *text = arena_strndup(a, words.p, words.n);
	struct question q;

	text_tokenize(k->catalog->language, text, a, &q);
	for (size_t i = 0; i < q.count; i++)
		if (is_common(k, &q.tokens[i]) || is_name(k, in, text_between(&q, i, i + 1, a), a))
			return false;
	return q.count > 0 && !is_name(k, in, text, a);
}

/* Returns true for "Is northwind on track?" if there is no project of that name. An answer about
 * all other projects would be wrong. */
static bool is_unknown_name(const struct nlu *k, const struct nlu_input *in,
			    const struct understanding *u, const struct checked_text *s,
			    struct arena *a, struct str *what)
{
	if (u->ask.unknown && u->ask.option_count == 0 && u->ask.term) {
		*what = str_of(u->ask.term);
		return true;
	}
	return match_pattern(s, NAMED, what) && is_unknown_words(k, in, *what, a);
}

/* Returns true for a possessive, which may refer to a word of the question: "projects with their
 * dates". */
static bool is_possessive(const struct nlu *k, struct str what, struct arena *a)
{
	const char *text = arena_strndup(a, what.p, what.n);
	struct question q;

	text_tokenize(k->catalog->language, text, a, &q);
	return q.count == 1 && token_in_list(&q.tokens[0], WORDS_THIRD_PERSON);
}

static bool is_dangling_reference(const struct nlu *k, const struct nlu_input *in,
				  const struct understanding *u, const struct checked_text *s,
				  struct arena *a, struct str *what)
{
	struct str none;

	if (has_session_context(in->session_context) || has_named_values(k, u) ||
	    !match_pattern(s, POINTING, what) || match_pattern(s, NOT_POINTING, &none))
		return false;
	return !is_confident(u) || !is_possessive(k, *what, a);
}

/* Returns true when a listed name or an alias of this caller begins at token i. */
static bool is_listed(const struct names *names, const struct scope *scope,
		      const struct question *q, size_t i)
{
	struct entry found[MENTION_CANDIDATES_MAX];
	struct folded words;

	for (size_t n = 1; n <= LISTED_WORDS_MAX && i + n <= q->count; n++) {
		size_t count;

		if (!mention_window(q, i, n, &words))
			return false;
		count = names_find(names, &words, found, MENTION_CANDIDATES_MAX);
		for (size_t f = 0; f < count; f++)
			if (found[f].kind != ENTRY_PART && scope->in[found[f].dimension_index])
				return true;
	}
	return false;
}

/* Returns true when an unmarked word of the question is known to a pack. */
static bool has_known_word(const struct nlu *k, const struct nlu_input *in,
			   const struct question *q, const bool *marked, struct arena *a)
{
	const struct names *names;
	struct scope scope;

	scope_read(k->names, in->may, a, &scope);
	names = names_of(k->names, in->tenant, scope.in, a);
	for (size_t i = 0; i < q->count; i++) {
		const struct token *t = &q->tokens[i];

		if (!marked[i] && t->has_letter && !nlu_is_stop_word(k, t) && !is_time(t) &&
		    !token_in_list(t, WORDS_COMMON) &&
		    (nlu_is_pack_word(k, t->text) || is_listed(names, &scope, q, i)))
			return true;
	}
	return false;
}

/* The first topic outside the data, if no word of the question is known to a pack; or NULL. */
static const struct topic *outside_topic(const struct nlu *k, const struct nlu_input *in,
					 const struct question *q, struct arena *a,
					 struct str *what)
{
	bool *marked = arena_alloc(a, q->count + 1);
	const struct topic *first = NULL;

	for (size_t i = 0, len; i < q->count; i++) {
		const struct topic *t = topics_at(k->refuser->outside, q, i, &len);

		if (!t)
			continue;
		if (!first) {
			first = t;
			*what = str_of(text_between(q, i, i + len, a));
		}
		memset(marked + i, true, len);
		i += len - 1;
	}
	return first && !has_known_word(k, in, q, marked, a) ? first : NULL;
}

static bool set_refusal(struct refusal *out, enum refusal_kind kind, struct str what,
			const char *text, struct arena *a)
{
	*out = (struct refusal){
		.kind = kind, .term = arena_strndup(a, what.p, what.n), .text = text};
	return true;
}

bool nlu_refuse(const struct nlu *k, const struct nlu_input *in, const struct understanding *u,
		struct arena *a, struct refusal *out)
{
	const struct language *l = k->catalog->language;
	struct checked_text s = checked_text_of(k, in);
	const struct topic *outside;
	struct str what = {0};
	struct question q;
	const char *why;

	if (is_injection(&s, in))
		return set_refusal(out, REFUSE_INJECTION, what,
				   sentence(l, SAY_REFUSE_INJECTION, a), a);
	if (!u || u->kind == NLU_GREETING || u->kind == NLU_HELP || u->reply || u->foreign ||
	    documents_is_search(u))
		return false;
	text_tokenize(l, s.text, a, &q);
	if (is_impossible(k, &s, &q, u, a, &what, &why))
		return set_refusal(out, REFUSE_IMPOSSIBLE, what, why, a);
	if (is_unknown_name(k, in, u, &s, a, &what))
		return set_refusal(
			out, REFUSE_UNKNOWN, what,
			sentence(l, SAY_REFUSE_UNKNOWN, a, arena_strndup(a, what.p, what.n)), a);
	outside = is_confident(u) ? NULL : outside_topic(k, in, &q, a, &what);
	if (outside)
		return set_refusal(out, REFUSE_SCOPE, what, answer_of(outside, what, a), a);
	if (is_dangling_reference(k, in, u, &s, a, &what))
		return set_refusal(
			out, REFUSE_REFERENCE, what,
			sentence(l, SAY_REFUSE_REFERENCE, a, arena_strndup(a, what.p, what.n)), a);
	return false;
}
