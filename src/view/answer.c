/*
 * Answers without a model: each result is worded from its tool's own sentence, its tables and its
 * outcome. The order is always the same: the direct answer, the table, what else is worth knowing.
 */
#include "view_int.h"

#include <ctype.h>
#include <string.h>

#define ANSWER_TABLE_ROWS     24 /* a day of hours; the view beside the answer has them all */
#define ANSWER_TABLE_LEAST    3
#define ANSWER_WORDS_MAX      600 /* unless detail is asked for */
#define ANSWER_FOLLOWUPS_MAX  4
#define ANSWER_TEXT_BYTES_MAX 65536

/* Markdown must not read a cell as markup or as the end of its column. An underscore inside a word
 * is none. */
static bool is_markup(const char *text, const char *p)
{
	if (*p == '_')
		return p == text || !isalnum((unsigned char)p[-1]) || !isalnum((unsigned char)p[1]);
	return strchr("|*`[]<>\\", *p) != NULL;
}

static void add_markdown_cell(struct buf *out, const struct units *units,
			      const struct column *column, const char *text)
{
	struct buf cell;

	buf_init(&cell, ANSWER_TEXT_BYTES_MAX);
	view_cell(&cell, units, column, text);
	for (const char *p = buf_text(&cell); *p; p++) {
		if (column->type == COLUMN_TEXT && is_markup(buf_text(&cell), p))
			buf_char(out, '\\');
		buf_char(out, *p == '\n' || *p == '\r' ? ' ' : *p);
	}
	buf_deinit(&cell);
}

/* Columns that tell rows apart. What is the same in every row was said in the sentence above; what
 * matters little is in the table beside the answer. */
static bool is_telling(const struct table *t, size_t c, bool has_sentence)
{
	const struct column_stats *s = t->stats ? &t->stats[c] : NULL;
	bool constant =
		s && t->row_count > 1 && s->distinct <= 1 && (s->nulls == 0 || s->count == 0);

	return t->columns[c].priority != PRIORITY_LOW && !(has_sentence && constant);
}

void view_markdown_table(struct buf *out, const struct units *units, const struct table *t,
			 size_t rows, bool has_sentence)
{
	size_t shown = t->row_count < rows ? t->row_count : rows;

	buf_char(out, '|');
	for (size_t c = 0; c < t->column_count; c++)
		if (is_telling(t, c, has_sentence))
			buf_printf(out, " %s |",
				   t->columns[c].label ? t->columns[c].label : t->columns[c].name);
	buf_str(out, "\n|");
	for (size_t c = 0; c < t->column_count; c++)
		if (is_telling(t, c, has_sentence))
			buf_str(out, column_is_number(t->columns[c].type) ? " ---: |" : " --- |");
	buf_char(out, '\n');
	for (size_t r = 0; r < shown; r++) {
		buf_char(out, '|');
		for (size_t c = 0; c < t->column_count; c++) {
			if (!is_telling(t, c, has_sentence))
				continue;
			buf_char(out, ' ');
			add_markdown_cell(out, units, &t->columns[c], t->rows[r][c]);
			buf_str(out, " |");
		}
		buf_char(out, '\n');
	}
	if (shown < t->row_count || t->truncated) {
		buf_printf(out, "\nThe first %zu of ", shown);
		view_row_count(out, t);
		buf_str(out, " rows are shown.\n");
	}
}

/* "from 2026-01-01 to 2026-01-31": such names are words of their own. */
static bool is_span(const char *name)
{
	static const char *const names[] = {"from", "to", "since", "until"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void add_arg(struct buf *out, const struct result *r, const char *before, const char *arg)
{
	char name[64], placeholder[80];

	snprintf(name, sizeof(name), "%s", arg);
	snprintf(placeholder, sizeof(placeholder), "{arg.%s}", arg);
	for (char *p = name; *p; p++)
		if (*p == '_')
			*p = ' ';
	buf_printf(out, "%s%s ", before, name);
	(void)view_fill(out, placeholder, r);
}

/* " for vendor Ascend, hub zone NP15 from 2026-01-01"; nothing where nothing was said. */
static void add_searched(struct buf *out, const struct result *r)
{
	const char *before = " for ";

	for (size_t i = 0; i < r->args.count; i++)
		if (!is_span(r->args.items[i].name)) {
			add_arg(out, r, before, r->args.items[i].name);
			before = ", ";
		}
	for (size_t i = 0; i < r->args.count; i++)
		if (is_span(r->args.items[i].name))
			add_arg(out, r, " ", r->args.items[i].name);
}

/* One row without a sentence of its own: name and value of each column. */
static void add_row(struct buf *out, const struct units *units, const struct table *t)
{
	for (size_t c = 0; c < t->column_count; c++) {
		buf_printf(out, "- %s: ",
			   t->columns[c].label ? t->columns[c].label : t->columns[c].name);
		add_markdown_cell(out, units, &t->columns[c], t->rows[0][c]);
		buf_char(out, '\n');
	}
}

static void add_rows(struct buf *out, const struct result *r, size_t rows)
{
	const struct table *t = r->tables[0];
	bool has_sentence = r->answer && view_fill(out, r->answer, r);

	if (has_sentence)
		buf_char(out, '\n');
	else
		buf_printf(out, "**%s**\n", r->about);
	for (size_t i = 0; view_notes[i]; i++) {
		const struct fact *note = result_fact(r, view_notes[i]);

		if (note)
			buf_printf(out, "\n%s\n", note->value);
	}
	if (t->row_count == 1 && !has_sentence) {
		buf_char(out, '\n');
		add_row(out, r->units, t);
	} else if (t->row_count > 1) {
		buf_char(out, '\n');
		view_markdown_table(out, r->units, t, rows, has_sentence);
	}
}

static void add_suggested(struct buf *out, const struct outcome *o)
{
	for (size_t i = 0; i < o->suggestion_count; i++)
		buf_printf(out, "%s%s",
			   i == 0                         ? " Did you mean "
			   : i + 1 == o->suggestion_count ? " or "
							  : ", ",
			   o->suggestions[i].label);
	if (o->suggestion_count)
		buf_char(out, '?');
}

/* What may be changed so that there is something to find. */
static const char *other_search(const struct result *r)
{
	if (args_find(&r->args, "year"))
		return "Another year, market or as-of file may have it.";
	if (args_find(&r->args, "from") || args_find(&r->args, "since"))
		return "Other days may have some.";
	return r->args.count > 0 ? "With fewer filters there may be more." : "";
}

static void add_empty(struct buf *out, const struct result *r)
{
	buf_str(out, "I found no data");
	add_searched(out, r);
	buf_printf(out, ". %s", other_search(r));
}

static void add_no_data(struct buf *out, const struct result *r)
{
	buf_str(out, "There is no data at all");
	add_searched(out, r);
	buf_str(out, ", at any time.");
}

void view_outcome_words(struct buf *out, const struct result *r)
{
	const struct outcome *o = &r->outcome;

	switch (o->kind) {
	case OUTCOME_EMPTY:
		add_empty(out, r);
		break;
	case OUTCOME_NO_DATA:
		add_no_data(out, r);
		break;
	case OUTCOME_OUT_OF_WINDOW:
		buf_str(out, "I found no data");
		add_searched(out, r);
		buf_str(out, ": the data covers ");
		view_date(out, o->range_min ? o->range_min : "?");
		buf_str(out, " to ");
		view_date(out, o->range_max ? o->range_max : "?");
		buf_char(out, '.');
		break;
	case OUTCOME_UNKNOWN_ENTITY:
		buf_str(out, o->detail ? o->detail : "I do not know that name.");
		add_suggested(out, o);
		break;
	case OUTCOME_NOT_PERMITTED:
		buf_printf(out,
			   "You do not have permission to see this data. %s%sAn administrator can "
			   "grant it.",
			   o->detail ? o->detail : "", o->detail ? " " : "");
		break;
	case OUTCOME_TIMEOUT:
		buf_str(out,
			"The query took too long and was stopped. A narrower question may work.");
		break;
	default:
		buf_str(out, o->detail ? o->detail
				       : "The data could not be read just now. Please try again.");
		break;
	}
}

static void add_result(struct buf *out, const struct result *r, size_t rows)
{
	if (r->outcome.kind == OUTCOME_ROWS) {
		add_rows(out, r, rows);
		return;
	}
	view_outcome_words(out, r);
	buf_char(out, '\n');
}

static bool is_asked(const struct view_answer *v, const char *question)
{
	for (size_t i = 0; i < v->followup_count; i++)
		if (strcmp(v->followups[i].question, question) == 0)
			return true;
	return false;
}

size_t view_suggested(const struct result *r, struct arena *a, const char **out, size_t max)
{
	struct buf question;
	size_t n = 0;

	buf_init(&question, 1024);
	for (const char *const *s = r->suggest; s && *s && n < max; s++) {
		buf_reset(&question);
		if (view_fill(&question, *s, r))
			out[n++] = arena_strdup(a, buf_text(&question));
	}
	buf_deinit(&question);
	return n;
}

static void add_followups(struct view_answer *v, struct view_followup *list, const struct result *r,
			  struct arena *a)
{
	const char *questions[ANSWER_FOLLOWUPS_MAX];
	size_t n = view_suggested(r, a, questions, ANSWER_FOLLOWUPS_MAX);

	for (size_t i = 0; i < n && v->followup_count < ANSWER_FOLLOWUPS_MAX; i++) {
		if (is_asked(v, questions[i]))
			continue;
		list[v->followup_count] = (struct view_followup){
			.label = questions[i],
			.question = questions[i],
			.primary = v->followup_count == 0,
		};
		v->followup_count++;
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

static void add_results(struct buf *out, const struct view_answer_input *in, size_t rows)
{
	buf_reset(out);
	for (size_t i = 0; i < in->result_count; i++) {
		if (i > 0)
			buf_char(out, '\n');
		add_result(out, in->results[i], rows);
	}
	if (in->result_count == 0)
		buf_str(out, "I have no data for that question.\n");
}

void view_answer(const struct view_answer_input *in, struct arena *a, struct view_answer *out)
{
	struct view_followup *followups = arena_alloc(a, sizeof(*followups) * ANSWER_FOLLOWUPS_MAX);
	struct view_answer v = {.followups = followups};
	size_t rows = ANSWER_TABLE_ROWS;
	struct buf b;

	buf_init(&b, ANSWER_TEXT_BYTES_MAX);
	add_results(&b, in, rows);
	while (!in->detail && rows > ANSWER_TABLE_LEAST &&
	       count_words(buf_text(&b)) > ANSWER_WORDS_MAX) {
		rows /= 2;
		add_results(&b, in, rows);
	}
	for (size_t i = 0; i < in->result_count; i++)
		if (in->results[i]->outcome.kind == OUTCOME_ROWS)
			add_followups(&v, followups, in->results[i], a);
	v.markdown = arena_strdup(a, buf_text(&b));
	buf_deinit(&b);
	*out = v;
}
