/* Reads a language file. Lookup tables: language_words.c; sentences: language_say.c. */
#include "language_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/rx.h"
#include "vesper/str.h"

#define SCRATCH_BYTES_MAX (16 << 20)
#define PATTERN_BYTES_MAX 16384 /* for patterns with the nouns of many packs */
#define NUMBER_MAX        1000000
#define LANGUAGE_VERSION  1

_Static_assert(WORDS_COUNT <= 8 * sizeof(word_lists), "word_lists needs one bit per list");

static const char *const list_members[] = {
#define MEMBER(name, member) [name] = member,
	LANGUAGE_LISTS(MEMBER)
#undef MEMBER
};

static const char *const concept_members[] = {
	[CONCEPT_EXISTENCE] = "existence",
	[CONCEPT_COMPARISON] = "comparison",
	[CONCEPT_HOURS] = "hours",
};

/* Member at a path such as "cues.opening". */
static const json_t *member_at(const json_t *root, const char *path)
{
	const char *dot = strchr(path, '.');
	char first[32];

	if (!dot)
		return json_object_get(root, path);
	memcpy(first, path, (size_t)(dot - path));
	first[dot - path] = '\0';
	return json_object_get(json_object_get(root, first), dot + 1);
}

/* ---- members ---- */

/* Rejects unknown members, so that a typo is reported. */
static bool check_members(const struct words_file *f, const json_t *root)
{
	static const char *const other_members[] = {
		"synonyms",  "numbers",  "ordinals",    "pointing",   "not_pointing",
		"named",     "concepts", "outside",     "impossible", "foreign",
		"sentences", "version",  "multipliers", NULL};
	const char *name, *inner_name;
	json_t *value, *inner;

	json_object_foreach((json_t *)root, name, value) {
		bool known = false, group = false;

		for (size_t i = 0; other_members[i]; i++)
			known = known || strcmp(name, other_members[i]) == 0;
		for (size_t i = 0; i < WORDS_COUNT; i++) {
			size_t n = strlen(name);

			known = known || strcmp(name, list_members[i]) == 0;
			group = group || (strncmp(name, list_members[i], n) == 0 &&
					  list_members[i][n] == '.');
		}
		if (!known && !group)
			return words_fail(f, name, "unknown member");
		json_object_foreach(value, inner_name, inner) {
			const char *path =
				arena_printf(words_scratch(f), "%s.%s", name, inner_name);
			bool read = !group;

			for (size_t i = 0; i < WORDS_COUNT && !read; i++)
				read = strcmp(path, list_members[i]) == 0;
			if (!read)
				return words_fail(f, path, "unknown member");
		}
	}
	return true;
}

static bool read_lists(const struct words_file *f, const json_t *root, struct language *l)
{
	for (size_t i = 0; i < WORDS_COUNT; i++)
		if (!words_list(f, member_at(root, list_members[i]), list_members[i], false,
				&l->lists[i]))
			return false;
	return true;
}

/* Reads an object of words and numbers; `add` takes each. */
static bool read_numbers(const struct words_file *f, const json_t *root, const char *member,
			 int min,
			 void (*add)(struct language_words *w, const char *word, int number),
			 struct language_words *words)
{
	const json_t *numbers = json_object_get(root, member), *value;
	const char *word;

	if (!json_is_object(numbers))
		return words_fail(f, member, "must be an object of words and numbers");
	json_object_foreach((json_t *)numbers, word, value) {
		if (!json_is_integer(value) || json_integer_value(value) < min ||
		    json_integer_value(value) > NUMBER_MAX)
			return words_fail(f, arena_printf(words_scratch(f), "%s.%s", member, word),
					  "must be a number from %d to %d", min, NUMBER_MAX);
		add(words, word, (int)json_integer_value(value));
	}
	return true;
}

static bool read_multipliers(const struct words_file *f, const json_t *root, struct language *l)
{
	const json_t *object = json_object_get(root, "multipliers"), *value;
	struct multiplier *list =
		arena_alloc(f->arena, (json_object_size(object) + 1) * sizeof(*list));
	const char *word;

	if (!json_is_object(object))
		return words_fail(f, "multipliers", "must be an object of words and numbers");
	l->multipliers = list;
	json_object_foreach((json_t *)(uintptr_t)object, word, value) {
		if (!json_is_integer(value) || json_integer_value(value) < 2)
			return words_fail(f, arena_printf(words_scratch(f), "multipliers.%s", word),
					  "must be a whole number of at least 2");
		list[l->multiplier_count++] = (struct multiplier){arena_strdup(f->arena, word),
								  json_integer_value(value)};
	}
	return true;
}

static bool read_concepts(const struct words_file *f, const json_t *root, struct language *l)
{
	for (size_t i = 0; i < CONCEPT_COUNT; i++) {
		const char *path =
			arena_printf(words_scratch(f), "concepts.%s", concept_members[i]);
		const char *word = json_string_value(member_at(root, path));

		if (!word || !*word)
			return words_fail(f, path, "must be a word");
		l->concepts[i] = arena_strdup(f->arena, word);
	}
	return true;
}

/* ---- patterns ---- */

static bool read_pattern(const struct words_file *f, const json_t *object, const char *member,
			 bool needs_answer, struct language_pattern *out)
{
	static const char *const none[] = {"a", NULL};
	const char *const *parts, *answer;
	const char *at = arena_printf(words_scratch(f), "%s.pattern", member);
	struct buf all;

	if (!json_is_object(object))
		return words_fail(f, member, object ? "not an object" : "is missing");
	if (!words_list(f, json_object_get(object, "hints"),
			arena_printf(words_scratch(f), "%s.hints", member), true, &out->hints))
		return false;
	answer = json_string_value(json_object_get(object, "answer"));
	if (needs_answer && (!answer || !*answer))
		return words_fail(f, arena_printf(words_scratch(f), "%s.answer", member),
				  "is empty");
	out->answer = arena_strdup(f->arena, answer);
	if (!json_array_size(json_object_get(object, "pattern")))
		return words_fail(f, at, "must be a list of expressions");
	buf_init(&all, PATTERN_BYTES_MAX);
	parts = arena_alloc(f->arena, sizeof(*parts));
	for (size_t i = 0; i < json_array_size(json_object_get(object, "pattern")); i++) {
		const char *text =
			json_string_value(json_array_get(json_object_get(object, "pattern"), i));
		const char *place = arena_printf(words_scratch(f), "%s[%zu]", at, i);
		struct language_pattern pattern = {.regex = text};
		struct err e;
		struct rx *rx;

		if (!text || !*text) {
			buf_deinit(&all);
			return words_fail(f, place, "must be an expression");
		}
		if (!rx_new(language_pattern(&pattern, none, none, none, words_scratch(f)), &rx,
			    &e)) {
			buf_deinit(&all);
			return words_fail(f, place, "%s", e.text);
		}
		rx_free(&rx);
		buf_printf(&all, "%s%s", i ? "|" : "", text);
	}
	out->regex = arena_strdup(f->arena, buf_text(&all));
	buf_deinit(&all);
	return true;
}

static bool read_impossible(const struct words_file *f, const json_t *root, struct language *l)
{
	const json_t *list = json_object_get(root, "impossible"), *item;
	struct language_pattern *all;
	size_t i;

	if (!json_is_array(list))
		return words_fail(f, "impossible", list ? "not a list" : "is missing");
	if (json_array_size(list) > LANGUAGE_IMPOSSIBLE_MAX)
		return words_fail(f, "impossible", "at most %d", LANGUAGE_IMPOSSIBLE_MAX);
	all = arena_alloc(f->arena, (json_array_size(list) + 1) * sizeof(*all));
	json_array_foreach(list, i, item)
		if (!read_pattern(f, item, arena_printf(words_scratch(f), "impossible[%zu]", i),
				  true, &all[i]))
			return false;
	l->impossible = all;
	l->impossible_count = json_array_size(list);
	return true;
}

static bool read_foreign(const struct words_file *f, const json_t *root, struct language *l)
{
	const json_t *list = json_object_get(root, "foreign"), *item;
	struct topic *all = arena_alloc(f->arena, (json_array_size(list) + 1) * sizeof(*all));
	size_t i;

	if (!json_is_array(list))
		return words_fail(f, "foreign", list ? "not a list" : "is missing");
	json_array_foreach(list, i, item)
		if (!words_topic(f, item, arena_printf(words_scratch(f), "foreign[%zu]", i), false,
				 &all[i]))
			return false;
	l->foreign = all;
	l->foreign_count = json_array_size(list);
	return true;
}

static bool read_all(const struct words_file *f, const json_t *root, struct language *l)
{
	struct language_words *words = language_words_new(f->arena);

	l->words = words;
	if (!json_is_integer(json_object_get(root, "version")) ||
	    json_integer_value(json_object_get(root, "version")) != LANGUAGE_VERSION)
		return words_fail(f, "version", "must be %d", LANGUAGE_VERSION);
	if (!check_members(f, root) || !read_lists(f, root, l) ||
	    !read_numbers(f, root, "numbers", 0, language_words_number, words) ||
	    !read_numbers(f, root, "ordinals", ORDINAL_LAST, language_words_ordinal, words) ||
	    !read_multipliers(f, root, l) || !read_concepts(f, root, l) ||
	    !words_synonyms(f, json_object_get(root, "synonyms"), "synonyms", &l->synonyms,
			    &l->synonym_count) ||
	    !read_pattern(f, json_object_get(root, "pointing"), "pointing", false, &l->pointing) ||
	    !read_pattern(f, json_object_get(root, "not_pointing"), "not_pointing", false,
			  &l->not_pointing) ||
	    !read_pattern(f, json_object_get(root, "named"), "named", false, &l->named) ||
	    !read_impossible(f, root, l) || !read_foreign(f, root, l) ||
	    !words_topic(f, json_object_get(root, "outside"), "outside", false, &l->outside) ||
	    !language_sentences_read(f, json_object_get(root, "sentences"), &l->sentences))
		return false;
	for (enum words i = 0; i < WORDS_COUNT; i++)
		for (size_t w = 0; l->lists[i][w]; w++)
			language_words_add(words, l->lists[i][w], i);
	return true;
}

bool language_read(const char *path, const char *text, struct arena *a, const struct language **out,
		   struct err *e)
{
	struct arena *scratch = arena_new(SCRATCH_BYTES_MAX);
	const struct words_file parsed = {.path = path, .text = text, .arena = scratch, .err = e};
	const struct words_file f = {path, text, a, e, scratch};
	struct language *l = arena_alloc(a, sizeof(*l));
	json_t *root;
	bool ok = words_parse(&parsed, &root) && read_all(&f, root, l);

	arena_free(&scratch);
	if (!ok)
		return false;
	l->path = arena_strdup(a, path);
	*out = l;
	return true;
}

/* ---- slots of patterns ---- */

/* Appends the word, escaped for a regular expression. */
static void append_literal(struct buf *b, const char *word)
{
	for (; *word; word++) {
		if (strchr("\\^$.|?*+()[]{}-", *word))
			buf_char(b, '\\');
		buf_char(b, *word);
	}
}

static const char *append_slot(struct buf *b, const char *p, const char *name,
			       const char *const *words)
{
	size_t n = strlen(name);

	if (strncmp(p, name, n) != 0)
		return NULL;
	/* An empty list must match nothing. */
	buf_str(b, *words ? "" : "(?!)");
	for (size_t i = 0; words[i]; i++) {
		buf_str(b, i ? "|" : "");
		append_literal(b, words[i]);
	}
	return p + n;
}

const char *language_pattern(const struct language_pattern *pattern, const char *const *nouns,
			     const char *const *states, const char *const *aspects, struct arena *a)
{
	const char *out, *next;
	struct buf b;

	buf_init(&b, PATTERN_BYTES_MAX);
	for (const char *p = pattern->regex; *p; p = next) {
		next = append_slot(&b, p, "{nouns}", nouns);
		if (!next)
			next = append_slot(&b, p, "{states}", states);
		if (!next)
			next = append_slot(&b, p, "{aspects}", aspects);
		if (next)
			continue;
		buf_char(&b, *p);
		next = p + 1;
	}
	out = arena_strdup(a, buf_text(&b));
	buf_deinit(&b);
	return out;
}
