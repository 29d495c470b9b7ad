/*
 * Prompts that the program fills. One table has their names and slots, so that a wrong name or slot
 * in a file fails at start.
 */
#include "vesper/prompt.h"

#include <assert.h>
#include <string.h>

#include "catalog_int.h"
#include "vesper/file.h"
#include "vesper/limits.h"

#define PROMPT_SLOTS_MAX 8
/* Slots filled here, from the words of the packs. */
#define COMPANY "company" /* in any prompt */
#define RULES   "rules"   /* alone on a line: replaced with one line per rule, or none */

static const struct {
	const char *name;
	const char *slots[PROMPT_SLOTS_MAX];
} PROMPT_NAMES[] = {
	{"supervisor", {"domains", RULES}},
	{"synthesizer", {RULES}},
	{"agent", {0}},
	{"protocol", {"steps", "rounds", "tables", "rows", "by", "map"}},
	{"compress", {0}},
	{"citations", {0}},
	{"rewrite", {0}},
	{"guardrail", {"domains"}},
	{"planner", {0}},
	{"points", {0}},
};
enum { PROMPT_COUNT = sizeof(PROMPT_NAMES) / sizeof(PROMPT_NAMES[0]) };

/* Finds the next {{slot}} at or after p: its name, and where it begins and ends. False: none. */
static bool next_slot(const char *p, struct str *name, const char **begin, const char **end)
{
	const char *open = strstr(p, "{{");
	const char *close = open ? strstr(open, "}}") : NULL;

	if (!close)
		return false;
	*name = str_trim((struct str){open + 2, (size_t)(close - open - 2)});
	*begin = open;
	*end = close + 2;
	return true;
}

static int line_of(const char *text, const char *at)
{
	int line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

static bool check_slots(const char *path, const char *text, const char *const *slots, struct err *e)
{
	bool seen[PROMPT_SLOTS_MAX] = {0};
	const char *begin, *end;
	struct str name;

	for (const char *p = text; next_slot(p, &name, &begin, &end); p = end) {
		size_t i = 0;

		if (str_eq(name, STR(COMPANY)))
			continue;
		while (slots[i] && !str_eq(name, str_of(slots[i])))
			i++;
		if (!slots[i])
			return err_set(e, ERR_INPUT, "%s:%d: unknown slot {{%.*s}}", path,
				       line_of(text, begin), STR_FMT(name));
		seen[i] = true;
	}
	for (size_t i = 0; slots[i]; i++)
		if (!seen[i])
			return err_set(e, ERR_INPUT, "%s:1: {{%s}} is missing", path, slots[i]);
	return true;
}

bool prompt_has_rules(const char *name)
{
	for (size_t i = 0; i < PROMPT_COUNT; i++)
		if (strcmp(PROMPT_NAMES[i].name, name) == 0)
			return strlist_has(PROMPT_NAMES[i].slots, RULES);
	return false;
}

bool load_prompts(struct loader *l, struct err *e)
{
	struct prompt_text *list = arena_alloc(l->arena, PROMPT_COUNT * sizeof(*list));

	for (size_t i = 0; i < PROMPT_COUNT; i++) {
		const char *path = arena_printf(l->arena, "prompts/%s.md", PROMPT_NAMES[i].name);
		list[i].name = PROMPT_NAMES[i].name;
		if (!load_text_with_values(l, path, PROMPT_FILE_BYTES_MAX, &list[i].text, e) ||
		    !check_slots(path, list[i].text, PROMPT_NAMES[i].slots, e))
			return false;
	}
	l->impl->prompts = list;
	l->impl->prompt_count = PROMPT_COUNT;
	return true;
}

static const struct prompt_slot *find_slot(const struct prompt_slot *slots, size_t count,
					   struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(name, str_of(slots[i].name)))
			return &slots[i];
	return NULL;
}

static const char *prompt_text(const struct catalog *c, const char *name)
{
	const struct catalog_impl *w = catalog_impl(c);

	size_t i = 0;

	while (i < w->prompt_count && strcmp(w->prompts[i].name, name) != 0)
		i++;
	assert(i < w->prompt_count);
	return w->prompts[i].text;
}

static void add_rules(struct buf *b, const struct pack_words *words, const char *prompt)
{
	for (size_t i = 0; i < words->rule_count; i++)
		if (strcmp(words->rules[i].prompt, prompt) == 0)
			buf_printf(b, "- %s\n", words->rules[i].text);
}

const char *prompt_fill(const struct catalog *c, const char *name, const struct prompt_slot *slots,
			size_t count, struct arena *a)
{
	const char *p = prompt_text(c, name);
	const char *begin, *end;
	size_t used = 0;
	struct str slot;
	struct buf b;

	buf_init(&b, CATALOG_BYTES_MAX);
	for (; next_slot(p, &slot, &begin, &end); p = end) {
		const struct prompt_slot *s = find_slot(slots, count, slot);

		buf_add(&b, p, (size_t)(begin - p));
		if (str_eq(slot, STR(COMPANY))) {
			buf_str(&b, c->words.company);
			continue;
		}
		if (str_eq(slot, STR(RULES))) {
			add_rules(&b, &c->words, name);
			end += *end == '\n';
			continue;
		}
		assert(s);
		buf_str(&b, s->value);
		used++;
	}
	assert(used >= count);
	buf_str(&b, p);
	const char *text = arena_strndup(a, buf_text(&b), b.n);
	buf_deinit(&b);
	return text;
}
