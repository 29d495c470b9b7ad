/* Stores the text and numbers of a sentence until it ends. */
#include "sentence.h"
#include "claims/claim.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "vesper/limits.h"

void sentence_init(struct sentence *s)
{
	/* marks are written before they are counted */
	memset(s, 0, offsetof(struct sentence, marks));
	s->count = 0;
	s->prev = '\n';
	buf_init(&s->text, 3 * SENTENCE_BYTES_MAX);
}

void sentence_deinit(struct sentence *s)
{
	buf_deinit(&s->text);
}

bool ends_sentence(char before, char c, bool in_row)
{
	return c == '\n' || (c == ' ' && before && strchr(".!?", before) && !in_row);
}

void sentence_begin_stretch(struct sentence *s)
{
	s->count = 0;
	s->read = s->text.n;
}

void sentence_mark(struct sentence *s, size_t from, const struct shown *shown,
		   const struct number_binding *v, const char *scratch)
{
	struct mark *m = &s->marks[s->count++];

	assert(s->count <= SENTENCE_MARKS_MAX);
	*m = (struct mark){.from = from,
			   .len = shown->len,
			   .shown = *shown,
			   .bound = v->bound,
			   .unchecked = v->unchecked,
			   .of_fact = v->of_fact,
			   .directed = v->directed,
			   .miscited = v->miscited,
			   .why = v->unchecked ? GUARD_OTHER : GUARD_REASON_NONE,
			   .amount = v->amount,
			   .ref = v->ref};
	if (v->ref.formula == scratch) {
		snprintf(m->formula, sizeof(m->formula), "%s", scratch);
		m->ref.formula = m->formula;
	}
}

void sentence_add(struct sentence *s, const char *text, size_t len, bool in_row)
{
	for (size_t i = 0; i < len; i++) {
		if (s->text.n >= 2 * SENTENCE_BYTES_MAX)
			buf_reset(&s->text);
		if (ends_sentence(s->prev, text[i], in_row))
			buf_reset(&s->text);
		else
			buf_char(&s->text, text[i]);
		s->prev = text[i];
	}
}

/* A unit that the column does not state was not compared. */
static void mark_unstated_units(struct sentence *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct mark *m = &s->marks[i];
		const struct unit_def *unit = m->shown.unit;

		if (!m->bound || m->unchecked || !unit || unit->counted ||
		    !unit_is_unstated(m->amount.unit) ||
		    (unit_is_percent(unit) && m->amount.table < 0))
			continue;
		m->unchecked = true;
		m->why = GUARD_OTHER;
	}
}

void sentence_end_stretch(struct sentence *s, const char *text, size_t len, const struct known *k,
			  bool in_row)
{
	if (len == 0)
		return;
	buf_add(&s->text, text, len);
	if (!in_row)
		claims_check(k, s);
	mark_unstated_units(s);
	if (ends_sentence(len > 1 ? text[len - 2] : s->prev, text[len - 1], in_row))
		buf_reset(&s->text);
	s->prev = text[len - 1];
}

void sentence_truncate(struct sentence *s, size_t len)
{
	if (len < s->text.n)
		buf_cut(&s->text, len);
	s->count = 0;
	s->prev = len > 0 ? s->text.p[len - 1] : ' ';
}
