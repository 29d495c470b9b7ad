/* Words for reading questions and numbers: config/language/en.json, a pack's words.json, and
 * config/units.json with the units of packs. */
#include "catalog_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

#define LANGUAGE "config/language/en.json"
#define UNITS    "config/units.json"
#define VERSION  1

bool load_language(struct loader *l, struct err *e)
{
	struct arena *scratch = arena_new(2 * JSON_FILE_BYTES_MAX);
	const char *text;
	bool ok = load_text(l, LANGUAGE, JSON_FILE_BYTES_MAX, scratch, &text, e) &&
		  language_read(LANGUAGE, text, l->arena, &l->impl->public.language, e);

	arena_free(&scratch);
	return ok;
}

static bool read_topics(const struct words_file *f, const json_t *root, const char *member,
			const struct topic **out, size_t *count)
{
	const json_t *list = json_object_get(root, member), *item;
	struct topic *topics = arena_alloc(f->arena, (json_array_size(list) + 1) * sizeof(*topics));
	size_t i;

	if (list && !json_is_array(list))
		return words_fail(f, member, "not a list");
	json_array_foreach(list, i, item)
		if (!words_topic(f, item, arena_printf(f->arena, "%s[%zu]", member, i), true,
				 &topics[i]))
			return false;
	*out = topics;
	*count = json_array_size(list);
	return true;
}

static bool read_glossary(const struct words_file *f, const json_t *root, struct pack_words *out)
{
	static const char *const members[] = {"term", "about", NULL};
	const json_t *list = json_object_get(root, "glossary"), *item;
	struct glossary_term *terms =
		arena_alloc(f->arena, (json_array_size(list) + 1) * sizeof(*terms));
	size_t i;

	if (list && !json_is_array(list))
		return words_fail(f, "glossary", "not a list");
	json_array_foreach(list, i, item) {
		const char *member = arena_printf(f->arena, "glossary[%zu]", i);
		struct err e;

		if (!json_check_members(item, members, &e) ||
		    !json_get_str(item, "term", &terms[i].term, &e) ||
		    !json_get_str(item, "about", &terms[i].about, &e))
			return words_fail(f, member, "%s", e.text);
		if (!*terms[i].term || !*terms[i].about)
			return words_fail(f, member, "term and about must not be empty");
		for (size_t n = 0; n < i; n++)
			if (strcasecmp(terms[n].term, terms[i].term) == 0)
				return words_fail(f, member, "\"%s\" appears twice", terms[i].term);
	}
	out->glossary = terms;
	out->glossary_count = json_array_size(list);
	return true;
}

/* Reads {"supervisor": ["One rule.", …], …}: only for prompts with a rules slot. */
static bool read_rules(const struct words_file *f, const json_t *root, struct pack_words *out)
{
	const json_t *prompts = json_object_get(root, "rules"), *rule;
	struct prompt_rule *rules;
	const char *prompt;
	json_t *list;
	size_t i;

	if (prompts && !json_is_object(prompts))
		return words_fail(f, "rules", "not an object");
	json_object_foreach((json_t *)prompts, prompt, list)
		out->rule_count += json_array_size(list);
	out->rules = rules = arena_alloc(f->arena, (out->rule_count + 1) * sizeof(*rules));
	json_object_foreach((json_t *)prompts, prompt, list) {
		const char *member = arena_printf(f->arena, "rules.%s", prompt);

		if (!prompt_has_rules(prompt))
			return words_fail(f, member, "prompts/%s.md has no {{rules}} slot", prompt);
		if (!json_is_array(list) || json_array_size(list) > RULES_MAX)
			return words_fail(f, member, "expected a list of at most %d rules",
					  RULES_MAX);
		json_array_foreach(list, i, rule) {
			const char *text = json_string_value(rule);

			if (!text || !*text || strlen(text) > RULE_BYTES_MAX ||
			    strpbrk(text, "\n{}"))
				return words_fail(f, arena_printf(f->arena, "%s[%zu]", member, i),
						  "expected a line of 1 to %d bytes without braces",
						  RULE_BYTES_MAX);
			*rules++ = (struct prompt_rule){arena_strdup(f->arena, prompt),
							arena_strdup(f->arena, text)};
		}
	}
	return true;
}

static bool read_words(const struct words_file *f, const json_t *root, struct pack_words *out)
{
	static const char *const members[] = {"company",  "stop",    "synonyms", "nouns",
					      "states",   "aspects", "outside",  "impossible",
					      "glossary", "rules",   "version",  NULL};
	const json_t *synonyms = json_object_get(root, "synonyms");
	int64_t version;
	const char *name;
	json_t *value;
	struct err e;

	json_object_foreach((json_t *)root, name, value)
		if (!strlist_has(members, name))
			return words_fail(f, name, "unknown member");
	if (!json_get_int(root, "version", &version, &e) || version != VERSION)
		return words_fail(f, "version", "must be %d", VERSION);
	if (!json_opt_str(root, "company", &out->company, &e) || (out->company && !*out->company))
		return words_fail(
			f, "company",
			"must describe the company, such as \"a company that makes shoes\"");
	return words_list(f, json_object_get(root, "stop"), "stop", true, &out->stop) &&
	       (!synonyms ||
		words_synonyms(f, synonyms, "synonyms", &out->synonyms, &out->synonym_count)) &&
	       words_list(f, json_object_get(root, "nouns"), "nouns", true, &out->nouns) &&
	       words_list(f, json_object_get(root, "states"), "states", true, &out->states) &&
	       words_list(f, json_object_get(root, "aspects"), "aspects", true, &out->aspects) &&
	       read_topics(f, root, "outside", &out->outside, &out->outside_count) &&
	       read_topics(f, root, "impossible", &out->impossible, &out->impossible_count) &&
	       read_glossary(f, root, out) && read_rules(f, root, out);
}

/* ---- several packs ---- */

static const char *const *merge_lists(struct arena *a, const char *const *list,
				      const char *const *more)
{
	struct strlist all = {0};

	strlist_add(&all, a, NULL);
	for (; list && *list; list++)
		strlist_add(&all, a, *list);
	for (; *more; more++)
		if (!strlist_has(all.items, *more))
			strlist_add(&all, a, *more);
	return all.items;
}

/* Copies the list and appends `more`. */
static const void *append_items(struct arena *a, const void *list, size_t *count, const void *more,
				size_t more_count, size_t size)
{
	char *all = arena_alloc(a, (*count + more_count + 1) * size);

	if (*count)
		memcpy(all, list, *count * size);
	if (more_count)
		memcpy(all + *count * size, more, more_count * size);
	*count += more_count;
	return all;
}

static void merge_words(struct arena *a, struct pack_words *to, const struct pack_words *more)
{
	to->company = more->company ? more->company : to->company;
	to->stop = merge_lists(a, to->stop, more->stop);
	to->nouns = merge_lists(a, to->nouns, more->nouns);
	to->states = merge_lists(a, to->states, more->states);
	to->aspects = merge_lists(a, to->aspects, more->aspects);
	to->synonyms = append_items(a, to->synonyms, &to->synonym_count, more->synonyms,
				    more->synonym_count, sizeof(*to->synonyms));
	to->outside = append_items(a, to->outside, &to->outside_count, more->outside,
				   more->outside_count, sizeof(*to->outside));
	to->impossible = append_items(a, to->impossible, &to->impossible_count, more->impossible,
				      more->impossible_count, sizeof(*to->impossible));
	to->glossary = append_items(a, to->glossary, &to->glossary_count, more->glossary,
				    more->glossary_count, sizeof(*to->glossary));
	to->rules = append_items(a, to->rules, &to->rule_count, more->rules, more->rule_count,
				 sizeof(*to->rules));
}

bool load_words(struct loader *l, struct err *e)
{
	static const char *const none[] = {NULL};
	struct pack_words words = {.stop = none, .nouns = none, .states = none, .aspects = none};
	struct pack_words *all = &l->impl->public.words;
	struct words_file f;
	json_t *root;

	if (!load_pack_json(l, "words.json", &f, &root, e) ||
	    (root && !read_words(&f, root, &words)))
		return false;
	merge_words(l->arena, all, &words);
	return all->company ||
	       err_set(e, ERR_INPUT,
		       "%s:1: company: no earlier pack describes it, such as \"a company\"",
		       pack_file(l, "words.json"));
}

/* ---- units ---- */

static bool check_units(const struct words_file *f, const json_t *root)
{
	static const char *const members[] = {"units", "version", NULL};
	int64_t version;
	struct err e;

	if (!json_check_members(root, members, &e))
		return words_fail(f, "units", "%s", e.text);
	return (json_get_int(root, "version", &version, &e) && version == VERSION) ||
	       words_fail(f, "version", "must be %d", VERSION);
}

bool load_units(struct loader *l, struct err *e)
{
	struct words_file f = {.path = UNITS, .arena = l->arena, .err = e};
	json_t *root;

	return load_text(l, UNITS, JSON_FILE_BYTES_MAX, l->arena, &f.text, e) &&
	       words_parse(&f, &root) && check_units(&f, root) &&
	       units_read(&f, json_object_get(root, "units"), "units", NULL,
			  &l->impl->public.units);
}
