/*
 * Replaces references to a row of the last list by the row's title: "the second one", "the last
 * project", "that one", "its budget". The session context has the titles of the rows. All later
 * steps then read an ordinary name. The title must be a known value of a dimension that the caller
 * may read, and the row must be clear. An ordinal counts in the order of the answer. A pronoun
 * needs an answer of one row whose title is not a filter value. Otherwise the text is unchanged,
 * and unused_words.c reports the words as unused.
 */
#include "nlu_int.h"

#include <string.h>

#include "vesper/json.h"

struct row_reader {
	const struct nlu *nlu;
	const struct question *q;
	const json_t *context, *titles;
	const struct names *names;
	const struct dimension_def *dimension; /* of the titles; NULL: unknown */
};

/* The dimension that has the title as a value; NULL: none. */
static const struct dimension_def *dimension_of(const struct names *names, const char *title)
{
	struct entry found[MENTION_CANDIDATES_MAX];
	struct folded key;
	size_t count;

	text_fold(title, &key);
	count = names_find(names, &key, found, MENTION_CANDIDATES_MAX);
	for (size_t i = 0; i < count; i++)
		if (found[i].kind == ENTRY_VALUE)
			return found[i].dimension;
	return NULL;
}

/* The title of a row, counted from 1, or of the last row. NULL: no such row, or the title is not a
 * known value. */
static const char *title_at(const struct row_reader *r, int ordinal)
{
	size_t count = json_array_size(r->titles);
	size_t at = ordinal == ORDINAL_LAST ? count : (size_t)ordinal;
	const char *title = at >= 1 && at <= count
				    ? json_string_value(json_array_get(r->titles, at - 1))
				    : NULL;

	return title && dimension_of(r->names, title) ? title : NULL;
}

/* Returns true when the dimension's values are titles of an entity's rows, as for projects but not
 * for markets. */
static bool is_of_entity(const struct dimension_def *d)
{
	return d && d->map.entity && d->map.column == d->map.entity->title;
}

static const struct names *nameable(const struct nlu *k, const struct catalog_view *may,
				    const char *tenant, struct arena *a)
{
	struct scope scope;

	scope_read(k->names, may, a, &scope);
	return names_of(k->names, tenant, scope.in, a);
}

bool nlu_filters_have(const json_t *session_context, const char *value)
{
	const json_t *filters = json_object_get(session_context, "filters"), *set, *item;
	const char *name;
	size_t i;

	json_object_foreach((json_t *)filters, name, set) {
		if (json_is_string(set) && strcmp(json_string_value(set), value) == 0)
			return true;
		json_array_foreach(set, i, item)
			if (json_is_string(item) && strcmp(json_string_value(item), value) == 0)
				return true;
	}
	return false;
}

bool nlu_is_title(const struct nlu *k, const struct catalog_view *may, const char *tenant,
		  const char *text, struct arena *a)
{
	return is_of_entity(dimension_of(nameable(k, may, tenant, a), text));
}

/* Returns true when the clause ends at token i, or a preposition follows ("by month"), so that no
 * later word describes the token. */
static bool ends(const struct question *q, size_t i)
{
	return word_ends_clause(q, i) || token_in_list(token_at(q, i + 1), WORDS_PREPOSITIONS);
}

/* Returns true for "one", or a word for the rows ("project"). */
static bool is_noun(const struct row_reader *r, const struct token *t)
{
	return token_in_list(t, WORDS_ROW_PRONOUNS) ||
	       (r->dimension && t->has_letter && mention_is_label_word(t, r->dimension));
}

/* The title that an ordinal refers to ("the second one"), or NULL. "First" and "last" need "one" or
 * a noun that ends the clause: "the first project to be built" is a superlative. */
static const char *by_ordinal(const struct row_reader *r, size_t i, size_t *to)
{
	const struct question *q = r->q;
	const struct token *noun = token_at(q, i + 2);
	int n = token_ordinal(token_at(q, i + 1));

	if (!token_in_list(&q->tokens[i], WORDS_ARTICLES) || n == 0 || noun->separator != ' ' ||
	    !is_noun(r, noun))
		return NULL;
	if (token_in_list(token_at(q, i + 3), WORDS_RELATIVE_PRONOUNS) ||
	    time_unit_of(token_at(q, i + 3)) != UNIT_NONE || /* "the last one month" */
	    ((n == 1 || n == ORDINAL_LAST) && !token_in_list(noun, WORDS_ROW_PRONOUNS) &&
	     !ends(q, i + 2)))
		return NULL;
	*to = i + 3;
	return title_at(r, n);
}

/* Returns true when no word before token i can be the referent of a pronoun. */
static bool is_led_by_stop_words(const struct row_reader *r, size_t i)
{
	for (size_t n = 0; n < i; n++)
		if (!nlu_is_stop_word(r->nlu, &r->q->tokens[n]))
			return false;
	return true;
}

/* The title of the only row, if a pronoun refers to it ("is it late", "its budget", "that one") and
 * it is the title of an entity's row; or NULL. */
static const char *by_pronoun(const struct row_reader *r, size_t i, size_t *to)
{
	const struct question *q = r->q;
	bool it = token_in_list(&q->tokens[i], WORDS_IT);
	const char *title;

	if (json_array_size(r->titles) != 1 || !is_of_entity(r->dimension) ||
	    !is_led_by_stop_words(r, i))
		return NULL;
	if (!it &&
	    (!token_in_list(&q->tokens[i], WORDS_PRONOUNS) || !is_noun(r, token_at(q, i + 1))))
		return NULL;
	title = title_at(r, 1);
	*to = i + (it ? 1 : 2);
	return title && !nlu_filters_have(r->context, title) ? title : NULL;
}

/* A fast check before names are read, since most questions refer to no row. */
static bool may_refer(const struct question *q)
{
	for (size_t i = 0; i < q->count; i++)
		if (token_ordinal(&q->tokens[i]) != 0 || token_in_list(&q->tokens[i], WORDS_IT) ||
		    token_in_list(&q->tokens[i], WORDS_PRONOUNS))
			return true;
	return false;
}

const char *rows_text(const struct nlu *k, const struct nlu_input *in, const struct question *q,
		      struct arena *a)
{
	struct row_reader r = {.nlu = k, .q = q, .context = in->session_context};
	const char *text = NULL, *title;
	size_t from = 0, to;

	r.titles = json_object_get(json_object_get(in->session_context, CONTEXT_ROWS), "titles");
	if (in->edited_filters || json_array_size(r.titles) == 0 || !may_refer(q) ||
	    followup_chooses(q, in->session_context))
		return NULL;
	r.names = nameable(k, in->may, in->tenant, a);
	r.dimension = dimension_of(r.names, json_string_value(json_array_get(r.titles, 0)));
	for (size_t i = 0; i < q->count; i++) {
		title = by_ordinal(&r, i, &to);
		if (!title)
			title = by_pronoun(&r, i, &to);
		if (!title)
			continue;
		text = arena_printf(a, "%s%.*s%s", text ? text : "",
				    (int)(q->tokens[i].from - from), q->text + from, title);
		i = to - 1;
		from = q->tokens[i].to;
	}
	return text ? arena_printf(a, "%s%s", text, q->text + from) : NULL;
}
