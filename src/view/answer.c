/*
 * Answers without a model: each result is worded from its tool's sentence, its tables and its
 * outcome. The order is fixed: direct answer, table, notes.
 */
#include "view_int.h"

#include <ctype.h>
#include <string.h>

#include "vesper/condition.h"
#include "vesper/utf8.h"

#define ANSWER_TABLE_ROWS_MAX 24 /* the hours of a day; the view has all rows */
#define ANSWER_TABLE_ROWS_MIN 3
#define ANSWER_WORDS_MAX      600 /* unless the question asks for details */
#define ANSWER_FOLLOWUPS_MAX  4
#define ANSWER_TEXT_BYTES_MAX 65536
#define RESULT_TEXT_BYTES_MAX 4096 /* one sentence, plus facts of a few hundred bytes each */

/* Returns true for a character that Markdown would read as markup or as a cell's end. An underscore
 * inside a word is plain text. */
static bool is_markup(const char *text, const char *p)
{
	if (*p == '_')
		return p == text || !isalnum((unsigned char)p[-1]) || !isalnum((unsigned char)p[1]);
	return strchr("|*`[]<>\\", *p) != NULL;
}

static void add_cell(struct wording *w, const struct result *r, size_t row, size_t c)
{
	const struct column *column = &r->tables[0]->columns[c];
	size_t from = w->out->n;
	struct buf cell;

	buf_init(&cell, ANSWER_TEXT_BYTES_MAX);
	view_cell(&cell, r, column, r->tables[0]->rows[row][c]);
	for (const char *p = buf_text(&cell); *p; p++) {
		if (column->type == COLUMN_TEXT && is_markup(buf_text(&cell), p))
			buf_char(w->out, '\\');
		buf_char(w->out, *p == '\n' || *p == '\r' ? ' ' : *p);
	}
	buf_deinit(&cell);
	wording_add_part(w, from,
			 (struct result_part){
				 .kind = RESULT_PART_CELL, .result = r, .row = row, .column = c});
}

/* Returns true for columns that distinguish rows. Constant columns are covered by the sentence
 * above the table, and low-priority ones by the view. */
static bool is_distinctive(const struct table *t, size_t c, bool has_sentence)
{
	const struct column_stats *s = t->stats ? &t->stats[c] : NULL;
	bool is_constant =
		s && t->row_count > 1 && s->distinct <= 1 && (s->nulls == 0 || s->count == 0);

	return t->columns[c].priority != PRIORITY_LOW && !(has_sentence && is_constant);
}

static const char *heading(const struct column *c)
{
	return c->label ? c->label : c->name;
}

/* Values for the slots of a sentence. */
struct slots {
	struct wording *w;
	const struct result *r;
	size_t shown; /* number of rows shown */
	const struct passage *passage;
};

static void add_row_counts_slot(void *owner, size_t slot)
{
	struct slots *s = owner;
	size_t from = s->w->out->n;

	if (slot == 1) {
		wording_rows(s->w, s->r, s->r->tables[0]);
		return;
	}
	buf_int(s->w->out, (int64_t)s->shown);
	wording_add_part(s->w, from,
			 (struct result_part){.kind = RESULT_PART_COUNT,
					      .result = s->r,
					      .text = "rows shown",
					      .count = (int64_t)s->shown});
}

static void add_truncation_note(struct wording *w, const struct result *r, size_t shown)
{
	buf_char(w->out, '\n');
	language_fill(w->out, r->language, SAY_ANSWER_FIRST_ROWS, add_row_counts_slot,
		      &(struct slots){.w = w, .r = r, .shown = shown});
	buf_char(w->out, '\n');
}

/* Writes at most `rows` rows. With a sentence above, constant columns are omitted. */
static void add_table(struct wording *w, const struct result *r, size_t rows, bool has_sentence)
{
	const struct table *t = r->tables[0];
	size_t shown = t->row_count < rows ? t->row_count : rows;

	buf_char(w->out, '|');
	for (size_t c = 0; c < t->column_count; c++)
		if (is_distinctive(t, c, has_sentence))
			buf_printf(w->out, " %s |", heading(&t->columns[c]));
	buf_str(w->out, "\n|");
	for (size_t c = 0; c < t->column_count; c++)
		if (is_distinctive(t, c, has_sentence))
			buf_str(w->out,
				column_is_number(t->columns[c].type) ? " ---: |" : " --- |");
	buf_char(w->out, '\n');
	for (size_t row = 0; row < shown; row++) {
		buf_char(w->out, '|');
		for (size_t c = 0; c < t->column_count; c++) {
			if (!is_distinctive(t, c, has_sentence))
				continue;
			buf_char(w->out, ' ');
			add_cell(w, r, row, c);
			buf_str(w->out, " |");
		}
		buf_char(w->out, '\n');
	}
	if (shown < t->row_count || t->truncated)
		add_truncation_note(w, r, shown);
}

/* Names such as in "from 2026-01-01 to 2026-01-31" are written without the word "for". */
static bool is_boundary_name(const char *name)
{
	static const char *const names[] = {"from", "to", "since", "until"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void add_arg(struct wording *w, const struct result *r, const char *separator,
		    const struct arg *arg)
{
	buf_str(w->out, separator);
	for (const char *p = arg->name; *p; p++)
		buf_char(w->out, *p == '_' ? ' ' : *p);
	buf_char(w->out, ' ');
	wording_arg(w, r, arg);
}

/* Writes " for vendor Ascend, hub zone NP15 from 2026-01-01"; nothing without arguments. */
static void add_filters(struct wording *w, const struct result *r)
{
	const char *separator = language_text(r->language, SAY_ANSWER_FOR);

	for (size_t i = 0; i < r->args.count; i++)
		if (!is_boundary_name(r->args.items[i].name)) {
			add_arg(w, r, separator, &r->args.items[i]);
			separator = ", ";
		}
	for (size_t i = 0; i < r->args.count; i++)
		if (is_boundary_name(r->args.items[i].name))
			add_arg(w, r, " ", &r->args.items[i]);
}

/* A single row without a sentence: name and value of each column. */
static void add_row(struct wording *w, const struct result *r)
{
	for (size_t c = 0; c < r->tables[0]->column_count; c++) {
		buf_printf(w->out, "- %s: ", heading(&r->tables[0]->columns[c]));
		add_cell(w, r, 0, c);
		buf_char(w->out, '\n');
	}
}

/* Writes text given by the tool. */
static void add_text(struct wording *w, const struct result *r, const char *text)
{
	size_t from = w->out->n;

	buf_str(w->out, text);
	wording_add_part(w, from,
			 (struct result_part){.kind = RESULT_PART_TEXT, .result = r, .text = text});
}

static void add_rows(struct wording *w, const struct result *r, size_t rows)
{
	const struct table *t = r->tables[0];
	bool has_sentence = r->answer && view_fill(w, r->answer, r);

	if (!has_sentence) {
		buf_str(w->out, "**");
		add_text(w, r, r->about);
		buf_str(w->out, "**");
	}
	buf_char(w->out, '\n');
	for (size_t i = 0; view_notes[i]; i++) {
		const struct fact *note = result_fact(r, view_notes[i]);

		if (!note)
			continue;
		buf_char(w->out, '\n');
		wording_fact(w, r, note);
		buf_char(w->out, '\n');
	}
	if (t->row_count == 1 && !has_sentence) {
		buf_char(w->out, '\n');
		add_row(w, r);
	} else if (t->row_count > 1) {
		buf_char(w->out, '\n');
		add_table(w, r, rows, has_sentence);
	}
}

/* ---- passages ---- */

#define QUOTED_PASSAGES 2
#define QUOTED_BYTES    600

/* Quotes the start of the passage on one line, in whole sentences if they fit. */
static void add_quote(struct buf *out, struct str text)
{
	size_t n = text.n <= QUOTED_BYTES ? text.n : utf8_cut(text.p, text.n, QUOTED_BYTES);
	size_t end = n;

	while (n < text.n && end > 0 && !strchr(".!?", text.p[end - 1]))
		end--;
	n = end > 0 ? end : n;
	for (size_t i = 0; i < n; i++) {
		bool is_blank = strchr(" \n\t", text.p[i]) != NULL;

		if (!is_blank || (i > 0 && !strchr(" \n\t", text.p[i - 1])))
			buf_char(out, is_blank ? ' ' : text.p[i]);
	}
}

static void add_citation_slot(void *owner, size_t slot)
{
	const struct passage *p = ((const struct slots *)owner)->passage;

	buf_str(((const struct slots *)owner)->w->out, slot == 0 ? p->document : p->heading);
}

/* Passages are numbered over all results, like citations. */
static void add_passages(struct wording *w, const struct result *r)
{
	for (size_t i = 0; i < r->passages.count; i++) {
		const struct passage *p = &r->passages.items[i];
		bool is_quoted = i < QUOTED_PASSAGES;

		w->passages++;
		if (i == QUOTED_PASSAGES) {
			sentence_put(w->out, r->language, SAY_DOCUMENTS_MORE);
			buf_str(w->out, "\n\n");
		}
		buf_str(w->out, is_quoted ? "\"" : "- ");
		if (is_quoted)
			add_quote(w->out, str_trim(p->text));
		buf_str(w->out, is_quoted ? "\" " : "");
		buf_printf(w->out, is_quoted ? "[%zu] (" : "[%zu] ", w->passages);
		if (*p->heading)
			language_fill(w->out, r->language, SAY_DOCUMENTS_PLACE, add_citation_slot,
				      &(struct slots){.w = w, .r = r, .passage = p});
		else
			buf_str(w->out, p->document);
		buf_str(w->out, is_quoted ? ")\n\n" : "\n");
	}
}

static void add_suggestions_slot(void *owner, size_t slot)
{
	const struct slots *s = owner;
	const struct outcome *o = &s->r->outcome;

	(void)slot;
	for (size_t i = 0; i < o->suggestion_count; i++) {
		buf_str(s->w->out, i == 0 ? ""
				   : i + 1 == o->suggestion_count
					   ? language_text(s->r->language, SAY_ASK_OR)
					   : ", ");
		add_text(s->w, s->r, o->suggestions[i].label);
	}
}

static void add_did_you_mean(struct wording *w, const struct result *r)
{
	if (r->outcome.suggestion_count)
		language_fill(w->out, r->language, SAY_ASK_DID_YOU_MEAN, add_suggestions_slot,
			      &(struct slots){.w = w, .r = r});
}

/* Suggests which argument to change to find data. */
static const char *advice_text(const struct result *r)
{
	if (args_find(&r->args, "year"))
		return language_text(r->language, SAY_ANSWER_OTHER_YEAR);
	if (args_find(&r->args, "from") || args_find(&r->args, "since"))
		return language_text(r->language, SAY_ANSWER_OTHER_DAYS);
	return r->args.count > 0 ? language_text(r->language, SAY_ANSWER_FEWER_FILTERS) : "";
}

static void add_day(struct wording *w, const struct result *r, const char *iso)
{
	size_t from = w->out->n;

	view_date(w->out, r->language, iso ? iso : "?");
	wording_add_part(w, from,
			 (struct result_part){.kind = RESULT_PART_DATE, .result = r, .text = iso});
}

/* Slots: the arguments that matched nothing, then advice, or the first and last day with data. */
static void add_no_rows_slot(void *owner, size_t slot)
{
	const struct slots *s = owner;
	const struct outcome *o = &s->r->outcome;

	if (slot == 0)
		add_filters(s->w, s->r);
	else if (o->kind == OUTCOME_EMPTY)
		buf_str(s->w->out, advice_text(s->r));
	else
		add_day(s->w, s->r, slot == 1 ? o->range_min : o->range_max);
}

static void add_no_rows(struct wording *w, const struct result *r, enum sentence sentence)
{
	language_fill(w->out, r->language, sentence, add_no_rows_slot,
		      &(struct slots){.w = w, .r = r});
}

static void add_detail_slot(void *owner, size_t slot)
{
	const struct slots *s = owner;

	(void)slot;
	add_text(s->w, s->r, s->r->outcome.detail);
}

static void add_outcome(struct wording *w, const struct result *r)
{
	const struct outcome *o = &r->outcome;
	const struct language *l = r->language;

	switch (o->kind) {
	case OUTCOME_EMPTY:
		if (o->detail)
			add_text(w, r, o->detail);
		else
			add_no_rows(w, r, SAY_OUTCOME_EMPTY);
		break;
	case OUTCOME_NO_DATA:
		add_no_rows(w, r, SAY_OUTCOME_NO_DATA);
		break;
	case OUTCOME_OUT_OF_WINDOW:
		add_no_rows(w, r, SAY_OUTCOME_OUT_OF_WINDOW);
		break;
	case OUTCOME_UNKNOWN_ENTITY:
		add_text(w, r,
			 o->detail ? o->detail : language_text(l, SAY_OUTCOME_UNKNOWN_ENTITY));
		add_did_you_mean(w, r);
		break;
	case OUTCOME_NOT_PERMITTED:
		if (o->detail)
			language_fill(w->out, l, SAY_OUTCOME_NOT_PERMITTED_WHY, add_detail_slot,
				      &(struct slots){.w = w, .r = r});
		else
			sentence_put(w->out, l, SAY_OUTCOME_NOT_PERMITTED);
		break;
	case OUTCOME_TIMEOUT:
		sentence_put(w->out, l, SAY_OUTCOME_TIMEOUT);
		break;
	default:
		add_text(w, r, o->detail ? o->detail : language_text(l, SAY_OUTCOME_ERROR));
		break;
	}
}

void view_outcome_text(struct buf *out, const struct result *r)
{
	add_outcome(&(struct wording){.out = out}, r);
}

const char *view_result_text(const struct result *r, struct arena *a)
{
	const char *text;
	struct buf words;

	buf_init(&words, RESULT_TEXT_BYTES_MAX);
	if (r->outcome.kind != OUTCOME_ROWS)
		view_outcome_text(&words, r);
	else if (r->answer)
		view_fill(&(struct wording){.out = &words}, r->answer, r);
	text = words.n > 0 && !buf_over(&words) ? arena_strdup(a, buf_text(&words)) : NULL;
	buf_deinit(&words);
	return text;
}

static void add_result(struct wording *w, const struct result *r, size_t rows)
{
	if (r->outcome.kind == OUTCOME_ROWS && r->passages.count > 0) {
		add_passages(w, r);
		return;
	}
	if (r->outcome.kind == OUTCOME_ROWS) {
		add_rows(w, r, rows);
		return;
	}
	add_outcome(w, r);
	buf_char(w->out, '\n');
}

static bool is_suggested(const struct view_answer *v, const char *question)
{
	for (size_t i = 0; i < v->followup_count; i++)
		if (strcmp(v->followups[i].question, question) == 0)
			return true;
	return false;
}

static const char *fill_sentence(const char *text, const struct result *r, struct arena *a)
{
	const char *filled = NULL;
	struct buf b;

	buf_init(&b, 1024);
	if (view_fill(&(struct wording){.out = &b}, text, r) && !buf_over(&b))
		filled = arena_strdup(a, buf_text(&b));
	buf_deinit(&b);
	return filled;
}

static size_t add_followups_of(const struct result *r, bool primary, struct arena *a,
			       struct view_followup *out, size_t max)
{
	size_t n = 0;

	for (const struct suggest_def *s = r->suggest; s && s->text && n < max; s++) {
		if (s->primary != primary || (s->when && !condition_is_met_by(s->when, r, a)))
			continue;
		out[n].question = fill_sentence(s->text, r, a);
		out[n].label = s->label ? fill_sentence(s->label, r, a) : out[n].question;
		out[n].primary = primary;
		n += out[n].question && out[n].label;
	}
	return n;
}

size_t view_suggested_followups(const struct result *r, struct arena *a, struct view_followup *out,
				size_t max)
{
	size_t n = add_followups_of(r, true, a, out, max);

	return n + add_followups_of(r, false, a, out + n, max - n);
}

static void add_followups(struct view_answer *v, struct view_followup *list, const struct result *r,
			  struct arena *a)
{
	struct view_followup suggested[ANSWER_FOLLOWUPS_MAX];
	size_t n = view_suggested_followups(r, a, suggested, ANSWER_FOLLOWUPS_MAX);

	for (size_t i = 0; i < n && v->followup_count < ANSWER_FOLLOWUPS_MAX; i++) {
		if (is_suggested(v, suggested[i].question))
			continue;
		suggested[i].primary = suggested[i].primary || v->followup_count == 0;
		list[v->followup_count++] = suggested[i];
	}
}

static size_t count_words(const char *text)
{
	bool inside = false;
	size_t n = 0;

	for (; *text; text++) {
		bool word = isalnum((unsigned char)*text) || (unsigned char)*text >= 0x80;

		n += word && !inside;
		inside = word || (inside && !isspace((unsigned char)*text));
	}
	return n;
}

static void add_results(struct wording *w, const struct view_answer_input *in, size_t rows)
{
	buf_reset(w->out);
	w->count = 0;
	w->passages = 0;
	for (size_t i = 0; i < in->result_count; i++) {
		if (i > 0)
			buf_char(w->out, '\n');
		add_result(w, in->results[i], rows);
	}
	if (in->result_count == 0)
		buf_printf(w->out, "%s\n", language_text(in->language, SAY_ANSWER_NO_DATA));
}

void view_answer(const struct view_answer_input *in, struct arena *a, struct view_answer *out)
{
	struct view_followup *followups = arena_alloc(a, sizeof(*followups) * ANSWER_FOLLOWUPS_MAX);
	struct view_answer v = {.followups = followups};
	size_t rows = ANSWER_TABLE_ROWS_MAX;
	struct buf b;
	struct wording w = {.out = &b, .arena = a};

	buf_init(&b, ANSWER_TEXT_BYTES_MAX);
	add_results(&w, in, rows);
	while (!in->detail && rows > ANSWER_TABLE_ROWS_MIN &&
	       count_words(buf_text(&b)) > ANSWER_WORDS_MAX) {
		rows /= 2;
		add_results(&w, in, rows);
	}
	for (size_t i = 0; i < in->result_count; i++)
		if (in->results[i]->outcome.kind == OUTCOME_ROWS)
			add_followups(&v, followups, in->results[i], a);
	v.markdown = arena_strdup(a, buf_text(&b));
	v.parts = w.parts;
	v.part_count = w.count;
	buf_deinit(&b);
	*out = v;
}
