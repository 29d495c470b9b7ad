/* `refer` lines of tool files: which value of a result a later step may take, and the words that
 * point at it. */
#include "catalog_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/ref.h"

static struct str next_word(struct str *rest)
{
	struct str word = {rest->p, 0};

	while (word.n < rest->n && rest->p[word.n] != ' ')
		word.n++;
	*rest = str_trim((struct str){rest->p + word.n, rest->n - word.n});
	return word;
}

bool refer_read(struct arena *a, const char *text, int line, struct tool_def *tool, struct err *e)
{
	struct refer_def *list = arena_alloc(a, (tool->refer_count + 1) * sizeof(*list));
	struct str rest = str_trim(str_of(text)), word = next_word(&rest);
	struct refer_def r = {.filter = arena_strndup(a, word.p, word.n), .line = line};
	struct text_list words = {0};
	struct ref unused;

	word = next_word(&rest);
	r.path = arena_strndup(a, word.p, word.n);
	if (!ref_parse(arena_printf(a, "t.%s", r.path), &unused, e))
		return false;
	text_list_add(&words, a, NULL);
	while (str_split(&rest, ',', &word)) {
		word = str_trim(word);
		if (word.n > 0)
			text_list_add(&words, a, arena_strndup(a, word.p, word.n));
	}
	if (words.count == 0)
		return err_set(e, ERR_INPUT, "no words point at %s", r.path);
	r.words = words.items;
	for (size_t i = 0; i < tool->refer_count; i++)
		list[i] = tool->refers[i];
	list[tool->refer_count] = r;
	tool->refers = list;
	tool->refer_count++;
	return true;
}
