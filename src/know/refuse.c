/*
 * Questions that are not even tried: attempts to talk the program out of its rules, pronouns that
 * point at nothing, subjects that no data of ours are about, and what cannot be, such as actual
 * prices of a future. What code is sure to understand is never refused for its words alone.
 */
#include "know_int.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "vesper/rx.h"

/* Most questions hold none of the words that a pattern needs, and need not be matched with it. */
struct pattern {
	const char *regex;
	/* Beginnings of words, and signs: what matches in ASCII has one of them. NULL: none is
	 * known. */
	const char *hints;
	bool is_sql; /* fine for who may have statements written */
};

/* The first ones are attempts to change the rules. */
enum {
	INJECTIONS = 8,
	TOPICS = INJECTIONS,
	ACTUALS,
	NO_MONTH,
	POINTING,
	NOT_POINTING,
	NAMED,
	PATTERNS
};

/* clang-format off */
#define RULES "(?:instructions?|rules?|guardrails?|restrictions?|guidelines|system prompt|prompts?|permissions?|permission checks?|access controls?|security(?: checks?| rules?)?|safety rules?|content polic(?:y|ies)|everything (?:above|before))"

static const struct pattern patterns[PATTERNS] = {
	{"\\b(?:ignore|ignoring|disregard|forget|override|overrule|bypass|circumvent|disable|deactivate|turn off|break out of)\\b(?:\\W+\\w+){0,4}?\\W+" RULES "\\b",
	 "ignor disregard forget overr bypass circumvent disable deactivate turn break", false},
	{"\\b(?:reveal|show|print|repeat|tell|give|display|output|leak|recite|summari[sz]e|translate|what(?:\\W+(?:is|are|s|was|were))?)\\b(?:\\W+\\w+){0,4}?\\W+(?:system (?:prompt|message)|(?:initial|hidden|original|full|secret) (?:prompt|instructions?)|your (?:prompts?|instructions?|rules|guidelines|guardrails|configuration|system message)|developer message)\\b",
	 "prompt instruction message rule guideline guardrail configuration", false},
	{"\\b(?:system|developer) (?:prompt|message)\\b|\\byou are now\\b|\\bact as (?:an?|the|my|if|root|admin\\w*)\\b|\\bpretend (?:to be|you|that you|i am|i'm)\\b|\\b(?:developer|admin|god|debug|dan|maintenance) mode\\b|\\bjailbreak|\\brole-?play\\b|\\bnew instructions?\\b|\\byou (?:have|are under) no (?:rules|restrictions|limits)\\b",
	 "prompt message now act pretend mode jailbreak role instruction rule restriction limit", false},
	{"\\btenants?\\b|\\btenant_id\\b|\\b(?:other|another|different|foreign|all) (?:customers?|compan(?:y|ies)|organi[sz]ations?)\\W*s?\\W*(?:data|prices?|projects?|records?|budgets?|curves?|numbers)\\b|\\bother users?\\W*s?\\W+(?:asked|ask|chats?|conversations?|questions?|sessions?|messages?|data|history)\\b|\\b(?:on behalf of|impersonat\\w+|as if i were) (?:an? )?(?:admin\\w*|manager|another|other)\\b|\\b(?:grant|give|make) (?:me|myself) (?:an? )?(?:admin\\w*|root|full access|all permissions?|more permissions?)",
	 "tenant customer compan organi user behalf impersonat were admin root access permission", false},
	{"<\\s*/?\\s*(?:tool|function|system|assistant|instructions?|tool_use|tool_call|invoke)\\b|\\[/?(?:INST|SYSTEM)\\]|^\\s*(?:system|assistant|developer)\\s*:|\"(?:tool|tool_use|tool_calls?|function|arguments|function_call)\"\\s*:|\\b(?:call|invoke|execute|run|use|trigger)\\W+(?:the\\W+|a\\W+|this\\W+|your\\W+)?(?:tool|function)\\b|\\b(?:get|list|compare|find|general)_\\w+\\s*\\(|\\b(?:call|invoke|execute|run|use|trigger)\\W+(?:the\\W+)?(?:get|list|compare|find|general)_\\w+",
	 "< [ \" system assistant developer tool function get_ list_ compare_ find_ general_", false},
	{"\\b(?:drop|truncate|alter|create)\\s+(?:table|view|database|schema|user|login|role)\\b|\\bdelete\\s+from\\b|\\binsert\\s+into\\b|\\bupdate\\s+[\\w.]+\\s+set\\b|\\bexec(?:ute)?\\s+(?:xp_|sp_|immediate)|;\\s*(?:drop|delete|update|insert|exec|shutdown|select)\\b|\\bwaitfor\\s+delay\\b|\\bpg_sleep\\b|\\bxp_cmdshell\\b",
	 "drop truncate alter create delete insert update exec shutdown select waitfor pg_sleep xp_cmdshell", false},
	{"\\bselect\\s+(?:\\*|top\\s+\\d|distinct\\s+\\w+\\s+from|count\\s*\\(|sum\\s*\\(|avg\\s*\\(|[\\w.\"]+(?:\\s*,\\s*[\\w.\"]+)+\\s+from\\b|[\\w\"]+\\s+from\\s+\\w+[._]\\w+)|\\bunion\\s+(?:all\\s+)?select\\b|\\binformation_schema\\b|\\bsqlite_(?:master|schema)\\b|\\bpg_catalog\\b|\\bsys\\.(?:tables|objects|columns)\\b|\\b(?:run|execute)\\W+(?:\\w+\\W+){0,3}?(?:sql|statement)\\b",
	 "select union information_schema sqlite_ pg_catalog sys sql statement", true},
	{"\\b(?:api|secret|private|access|signing|jwt) ?keys?\\b|\\bpasswords?\\b|\\bconnection strings?\\b|\\bcredentials?\\b|\\benvironment variables?\\b|/etc/passwd|\\bbearer tokens?\\b|\\bjwt\\b|\\bbase64\\b|\\bdecode (?:this|the following)\\b",
	 "api secret private access signing jwt passw connection credential environment bearer base64 decode", false},
	/* Subjects that everybody asks of a machine that answers. */
	[TOPICS] = {
	 "\\b(?:weather|rain(?:ing|y)?|snow(?:ing)?|sunny|humidity|temperatures?"
	 "|stocks?|share prices?|nasdaq|dow jones|s&p|bitcoin|crypto\\w*|ethereum|exchange rates?|interest rates?|inflation|gdp|unemployment|lottery"
	 "|(?:oil|gas|gold|silver|natural gas|gasoline|carbon|copper) prices?"
	 "|poems?|poetry|haiku|jokes?|songs?|lyrics|essay|limerick|fairy ?tale|riddle|story|horoscope"
	 "|recipes?|cook|bake|pizza|restaurants?|hotels?|flights?|vacation|holiday"
	 "|translate|translation|capital of|president|prime minister|elections?|senator|king of|queen of"
	 "|movies?|films?|football|soccer|basketball|baseball|world cup|olympics|super bowl|celebrit\\w+|netflix"
	 "|news|headlines|homework|python|javascript|html|java|c\\+\\+|regex"
	 "|meaning of life|how old are you|girlfriend|boyfriend|marry|dating|love me"
	 "|symptoms?|medicine|doctor|diagnosis|lawyer|legal advice|tax advice|invest in)\\b",
	 NULL, false},
	/* Prices that were paid. A file that has an as-of is a forecast. */
	[ACTUALS] = {
	 "\\b(?:actual(?:s|ly)?|reali[sz]ed|settled|settlements?|observed|metered|cleared|real[- ]?time|spot)\\b",
	 "actual reali settle observed metered cleared real spot", false},
	[NO_MONTH] = {
	 "\\bmonth (?:number |no\\.? )?(?:0|1[3-9]|[2-9]\\d)\\b|\\b(?:1[3-9]|[2-9]\\d)(?:th|st|nd|rd) month\\b",
	 "month", false},
	/* Pronouns behind a word that makes them the subject, and those at the beginning. */
	[POINTING] = {
	 "\\b(?:of|for|about|with|like|to|than|in|on|from|at|behind|explain|show|compare|is|was|are|were|why|does|do|did|how|and|what's|whats|repeat|plot|chart|summari[sz]e|break|export|delete|change|update)\\s+(?:me\\s+)?(?:more\\s+about\\s+|about\\s+)?(?:all\\s+of\\s+|both\\s+of\\s+|each\\s+of\\s+)?"
	 "(its?|this one|that one|those|these|them|they|theirs?|(?:this|that)(?=\\s*(?:[?.!,]|$|one|project|hub|hub-zone|zone|vendor|price|market|curve|report|risk|task|number|value|result|increase|drop|change|difference|data|compare|mean|look|differ|affect|happen))|(?:the )?(?:same (?:one|thing|period|hub|vendor|project|market)|former|latter|previous (?:one|result|answer|question)|other one|first one|second one|last one))\\b",
	 "it th same former latter previous other first second last", false},
	/* "Is it possible": nothing that points; "projects with … in their name": it points inside. */
	[NOT_POINTING] = {
	 "\\b(?:projects|vendors|hubs|hub-?zones|zones|markets|reports|curves|files|users|tasks|"
	 "milestones|risks)\\b.{1,80}?\\b(?:their|them|they|theirs)\\b|"
	 "\\bis it (?:possible|true|likely|worth|ok|okay|fair|correct)\\b|\\bit (?:takes?|is "
	 "possible|"
	 "seems)\\b|\\bmakes? it\\b|\\bas it\\b|\\bin this (?:tool|app|chat|system)\\b|\\bdoes this "
	 "work\\b|\\bwhat is this\\b",
	 NULL, false},
	/* A name in lower case: where somebody or something is asked about by it. */
	[NAMED] = {
	 "^\\W*(?:is|are|was|how is|how's|hows|how are|why is)\\s+(?:the\\s+)?(?:project\\s+)?"
	 "((?!the\\b|all\\b|any\\b|our\\b|my\\b|there\\b|that\\b|this\\b|it\\b|what\\b|which\\b|"
	 "everything\\b|we\\b|you\\b|they\\b)[a-z][a-z'-]{3,}(?:\\s+(?!project|still|currently|"
	 "now\\b)[a-z][a-z'-]{3,})?)"
	 "\\s+"
	 "(?:project\\s+)?(?:still\\s+|currently\\s+|now\\s+)?(?:on track|at risk|off track|on hold|"
	 "delayed|late|behind|ahead|doing|going|progressing|coming|on time|on "
	 "schedule|ok|okay|green|"
	 "red|yellow)\\b"
	 "|\\b(?:status|health|budget|overview|milestones?|risks?|changes|cod|schedule)\\s+(?:of|"
	 "for|"
	 "at)\\s+(?:the\\s+)?(?:project\\s+)?([a-z][a-z'-]{3,})\\s*(?:project)?\\W*$",
	 "is are was how why status health budget overview milestone risk changes cod schedule", false},
};

/* clang-format on */

/* ---- finding ---- */

#define ASCII     128
#define HINTS_MAX 160

/* One beginning of a word, and the patterns that it is for, as bits. */
struct hint {
	const char *text;
	size_t len;
	uint32_t patterns;
	const struct hint *next; /* that begins with the same letter */
};

struct refuser {
	struct rx *patterns[PATTERNS];
	uint32_t unhinted;
	struct hint items[HINTS_MAX];
	size_t count;
	const struct hint *hints[ASCII]; /* by their first letter */
};

static void add_hints(struct refuser *r, size_t pattern)
{
	const char *at = patterns[pattern].hints;

	if (!at)
		r->unhinted |= UINT32_C(1) << pattern;
	for (size_t len; at && *at; at += len + (at[len] == ' ')) {
		struct hint *h = &r->items[r->count++];

		assert(r->count <= HINTS_MAX);
		len = strcspn(at, " ");
		*h = (struct hint){at, len, UINT32_C(1) << pattern, r->hints[(unsigned char)*at]};
		r->hints[(unsigned char)*at] = h;
	}
}

struct refuser *refuser_new(struct arena *a)
{
	struct refuser *r = arena_alloc(a, sizeof(*r));

	for (size_t i = 0; i < PATTERNS; i++) {
		struct err e = {0};
		bool ok = rx_new(patterns[i].regex, &r->patterns[i], &e);

		assert(ok); /* they are ours, and each test uses them */
		(void)ok;
		add_hints(r, i);
	}
	return r;
}

void refuser_deinit(struct refuser *r)
{
	for (size_t i = 0; i < PATTERNS; i++)
		rx_free(&r->patterns[i]);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static uint32_t hinted(const struct refuser *r, const char *at)
{
	uint32_t found = 0;

	for (const struct hint *h = r->hints[tolower((unsigned char)*at)]; h; h = h->next)
		if (strncasecmp(at, h->text, h->len) == 0)
			found |= h->patterns;
	return found;
}

/* The patterns that the text may match, as bits. Beyond ASCII there are other ways to write a
 * letter, and no word tells anything. */
static uint32_t suspects(const struct refuser *r, const char *text)
{
	uint32_t found = r->unhinted;

	for (const char *at = text; *at; at++) {
		if ((unsigned char)*at >= ASCII)
			return UINT32_MAX;
		if (!is_word(*at) || at == text || !is_word(at[-1]))
			found |= hinted(r, at);
	}
	return found;
}

/* A text, and what it may match. */
struct subject {
	const struct refuser *refuser;
	const char *text;
	uint32_t suspects;
};

static struct subject subject_of(const struct know *k, const struct know_input *in)
{
	const char *text = in->question ? in->question : "";

	return (struct subject){k->refuser, text, suspects(k->refuser, text)};
}

static bool find(const struct subject *s, size_t pattern, struct str *what)
{
	struct str groups[RX_GROUPS_MAX];

	if (!(s->suspects >> pattern & 1) ||
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

static bool is_injection(const struct subject *s, const struct know_input *in)
{
	struct str what;

	for (size_t i = 0; i < INJECTIONS; i++)
		if (find(s, i, &what) && !(patterns[i].is_sql && may_write_sql(in->may)))
			return true;
	return false;
}

bool refuse_is_injection(const struct know_input *in, const struct know *k)
{
	struct subject s = subject_of(k, in);

	return is_injection(&s, in);
}

/* ---- the kinds ---- */

static bool is_sure(const struct understanding *u)
{
	return u->tool_count > 0 && u->confidence >= KNOW_SURE;
}

static const struct tool_def *tool_of(const struct understanding *u)
{
	return u->tool_count > 0 ? u->tools[0].tool : u->intended;
}

static bool stands(const json_t *standing)
{
	return json_object_size(json_object_get(standing, "filters")) > 0 ||
	       json_array_size(json_object_get(standing, "tools")) > 0 ||
	       json_object_get(standing, "plan");
}

static bool says_names(const struct know *k, const struct understanding *u)
{
	for (size_t i = 0; i < u->filter_count; i++)
		for (size_t d = 0; d < k->catalog->dimension_count; d++)
			if (u->filters[i].source <= SOURCE_ALIAS &&
			    strncmp(u->filters[i].name, k->catalog->dimensions[d].filter,
				    strlen(k->catalog->dimensions[d].filter)) == 0)
				return true;
	return false;
}

static bool is_impossible(const struct subject *s, const struct understanding *u, struct str *what,
			  const char **why)
{
	const struct tool_def *tool = tool_of(u);

	if (u->ask.impossible) {
		*what = str_of(u->ask.impossible);
		*why = u->ask.text;
		return true;
	}
	if (find(s, NO_MONTH, what)) {
		*why = "A year has the months 1 to 12.";
		return true;
	}
	*why = "There are no actual prices in this data: each price is what a vendor expects, as "
	       "of "
	       "the day of its file. I can show you that forecast.";
	return tool && tool_param_of_filter(tool, FILTER_ASOF) && find(s, ACTUALS, what);
}

/* Is it, or one of its words, a name or a part of one? */
static bool is_name(const struct know *k, const struct know_input *in, const char *text,
		    struct arena *a)
{
	const struct names *names;
	struct scope scope;
	struct entry found;
	struct folded f;

	scope_read(k->names, in->may, a, &scope);
	names = names_of(k->names, in->tenant, scope.in, a);
	text_fold(text, &f);
	return names_find(names, &f, &found, 1) > 0 ||
	       names_near(names, scope.in, f.key, f.len, false, a, &found, 1) > 0;
}

static bool is_common(const struct know *k, const struct token *t)
{
	static const char *const common[] = {
		"today",    "tomorrow", "everything", "everyone",  "management", "board",
		"team",     "meeting",  "review",     "example",   "general",    "total",
		"company",  "business", "work",       "things",    "life",       "finance",
		"pipeline", "fleet",    "program",    "strategy",  "timeline",   "overall",
		"whole",    "entire",   "anything",   "something", NULL};

	return know_is_word(k, t) || token_in(t, common) || month_named(t->text, t->len) ||
	       unit_of(t) != UNIT_NONE || season_months(t);
}

/* Words that neither the language of the tools nor anybody's names know. */
static bool is_strange(const struct know *k, const struct know_input *in, struct str words,
		       struct arena *a)
{
	const char *text = arena_strndup(a, words.p, words.n);
	struct question q;

	text_read(text, a, &q);
	for (size_t i = 0; i < q.count; i++)
		if (is_common(k, &q.tokens[i]) || is_name(k, in, text_between(&q, i, i + 1, a), a))
			return false;
	return q.count > 0 && !is_name(k, in, text, a);
}

/* "Is northwind on track?" with no such project: an answer about all others would be none. */
static bool is_unknown_name(const struct know *k, const struct know_input *in,
			    const struct understanding *u, const struct subject *s, struct arena *a,
			    struct str *what)
{
	if (u->ask.unknown && u->ask.option_count == 0 && u->ask.said) {
		*what = str_of(u->ask.said);
		return true;
	}
	return find(s, NAMED, what) && is_strange(k, in, *what, a);
}

static bool is_dangling(const struct know *k, const struct know_input *in,
			const struct understanding *u, const struct subject *s, struct str *what)
{
	struct str none;

	if (stands(in->standing) || says_names(k, u) || !find(s, POINTING, what) ||
	    find(s, NOT_POINTING, &none))
		return false;
	/* "Projects with their dates": what it points at is in the question itself. */
	return !is_sure(u) ||
	       !(str_eq_nocase(*what, STR("their")) || str_eq_nocase(*what, STR("its")) ||
		 str_eq_nocase(*what, STR("them")) || str_eq_nocase(*what, STR("they")));
}

static bool set(struct refusal *out, enum refusal_kind kind, struct str what, const char *text,
		struct arena *a)
{
	*out = (struct refusal){
		.kind = kind, .term = arena_strndup(a, what.p, what.n), .text = text};
	return true;
}

bool know_refuse(const struct know *k, const struct know_input *in, const struct understanding *u,
		 struct arena *a, struct refusal *out)
{
	struct subject s = subject_of(k, in);
	struct str what = {0};
	const char *why;

	if (is_injection(&s, in))
		return set(out, REFUSE_INJECTION, what,
			   "I answer questions about your own data, by rules that a question can't "
			   "change. That one I can't answer.",
			   a);
	if (!u)
		return false;
	if (u->kind == KNOW_GREETING || u->kind == KNOW_HELP)
		return false;
	if (is_impossible(&s, u, &what, &why))
		return set(out, REFUSE_IMPOSSIBLE, what, why, a);
	if (is_unknown_name(k, in, u, &s, a, &what))
		return set(out, REFUSE_UNKNOWN, what,
			   arena_printf(a, "I do not know the name \"%.*s\".", STR_FMT(what)), a);
	if (!is_sure(u) && find(&s, TOPICS, &what))
		return set(
			out, REFUSE_SCOPE, what,
			arena_printf(a,
				     "I only answer questions about your company's data; there is "
				     "nothing about \"%.*s\" in it.",
				     STR_FMT(what)),
			a);
	if (is_dangling(k, in, u, &s, &what))
		return set(out, REFUSE_REFERENCE, what,
			   arena_printf(a,
					"I can't tell what \"%.*s\" refers to. Could you name it?",
					STR_FMT(what)),
			   a);
	return false;
}
