/* Values that match a description, and values by class, as rows and facts. A model or matching
 * words made the choice; measures of each class come from the database. */
#include "analysis_int.h"

#include <stdio.h>
#include <string.h>

#define FACT_NAME_BYTES 16

static size_t count_of(const struct derive_classification *p, unsigned char class)
{
	size_t n = 0;

	for (size_t i = 0; i < p->count; i++)
		n += p->of[i] == class;
	return n;
}

/* ---- shared ---- */

static void note_limits(struct analysis *x, const struct derive_classification *p)
{
	size_t dropped = count_of(p, CLASS_DROPPED);

	if (p->distinct > p->count)
		analysis_note(x, "The %zu with the most %s, of %zu values, were examined.",
			      p->count, x->label, p->distinct);
	if (dropped > 0)
		analysis_note(x,
			      "%zu were left out, as the model's answers for them could not be "
			      "used.",
			      dropped);
	if (p->failed)
		analysis_note(
			x,
			"The model was unavailable, so values were matched by their words alone.");
}

/* False: there is nothing to show. */
static bool begin(struct analysis *x, struct result *r, struct arena *a,
		  const struct derive_classification **out)
{
	const struct derive_classification *p;

	if (!analysis_begin(r, a, x) || !analysis_require_all(x) || !r->context->points)
		return false;
	p = *out = r->context->points;
	domain_add_text(r, a, "one", "One value per", analysis_row_label(x));
	analysis_set_enough(x, p->count > 0);
	if (p->count == 0) {
		analysis_note(x, "The column is empty.");
		analysis_rows_end(&(struct analysis_rows){.x = x, .columns = 0});
		return false;
	}
	domain_add_count(r, a, "looked_at", "Values examined",
			 p->count - count_of(p, CLASS_DROPPED));
	domain_add_text(r, a, "by", "By", p->by_model ? "model" : "words");
	domain_add_text(r, a, "method", "Method",
			p->by_model ? "a model classifies values, code computes totals"
				    : "word stems, synonyms and similar words");
	return true;
}

static void add_total(const struct analysis *x, const char *name, const char *label,
		      const char *digits)
{
	if (digits)
		result_add_fact(
			x->r, x->a,
			(struct fact){
				.name = name, .label = label, .value = digits, .unit = x->unit});
}

/* ---- match_values ---- */

static void add_names(const struct analysis *x, const struct derive_classification *p,
		      unsigned char class, const char *fact, const char *label)
{
	struct domain_list names;
	const char *text;

	analysis_names_begin(&names);
	for (size_t i = 0; i < p->count; i++)
		if (p->of[i] == class)
			domain_list_add(&names, "%s", p->values[i]);
	text = domain_list_end(&names, x->a);
	if (*text)
		domain_add_text(x->r, x->a, fact, label, text);
}

static void add_values(struct analysis_rows *w, const struct derive_classification *p,
		       unsigned char class, const char *word)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->of[i] == class)
			analysis_rows_add(w, (const char *const[]){p->values[i], word});
}

void analysis_match_values(struct result *r, const struct derive_def *of, struct arena *a)
{
	const struct derive_classification *p;
	struct analysis_rows w;
	struct analysis x;

	(void)of;
	if (!begin(&x, r, a, &p))
		return;
	domain_add_text(r, a, "description", "Description", p->classes[0]);
	domain_add_count(r, a, "matched", "Number of matches", count_of(p, 1));
	domain_add_count(r, a, "maybe", "Number of possible matches", count_of(p, CLASS_MAYBE));
	add_names(&x, p, 1, "names", "Matching values");
	add_names(&x, p, CLASS_MAYBE, "maybe_names", "Values that might match");
	add_total(&x, "total", arena_printf(a, "%s of the matches", x.label), p->totals[1]);
	analysis_rows_begin(&w, &x);
	analysis_rows_column(&w, analysis_row_label(&x), COLUMN_TEXT, NULL);
	analysis_rows_column(&w, "Fits", COLUMN_TEXT, NULL);
	add_values(&w, p, 1, "yes");
	add_values(&w, p, CLASS_MAYBE, "maybe");
	analysis_rows_end(&w);
	if (w.rows == 0)
		analysis_note(&x, "No value matches.");
	note_limits(&x, p);
}

/* ---- classify_values ---- */

static void add_class(struct analysis_rows *w, struct domain_list *names,
		      const struct derive_classification *p, size_t i)
{
	struct analysis *x = w->x;
	const char *name = i > 0 ? p->classes[i - 1] : "(unclassified)";
	const char *values = arena_printf(x->a, "%zu", count_of(p, (unsigned char)i));

	analysis_rows_add(w, (const char *const[]){name, p->totals[i], values});
	if (i == 0) {
		add_total(x, "unclassified", "Unclassified", p->totals[0]);
		return;
	}
	add_total(x, arena_printf(x->a, "class_%zu", i), name, p->totals[i]);
	if (p->totals[i])
		domain_list_add(names, "%s %s", name, p->totals[i]);
	else
		domain_list_add(names, "%s", name);
}

/* Adds a second table with the class of each value. */
static void add_value_table(struct analysis *x, const struct derive_classification *p)
{
	const char *const names[] = {analysis_row_label(x), "Class"};
	const enum column_type types[] = {COLUMN_TEXT, COLUMN_TEXT};
	const char **cells = arena_alloc(x->a, (2 * p->count + 1) * sizeof(*cells));
	struct table *t = table_new(0);
	size_t n = 0;

	for (size_t i = 0; i < p->count && n < DB_ROWS_MAX; i++) {
		if (p->of[i] == CLASS_NONE || p->of[i] == CLASS_DROPPED)
			continue;
		cells[2 * n] = p->values[i];
		cells[2 * n++ + 1] = p->classes[p->of[i] - 1];
	}
	t->name = "values";
	table_replace(t, names, types, 2, cells, n);
	result_add_table(x->r, x->a, t);
}

void analysis_classify_values(struct result *r, const struct derive_def *of, struct arena *a)
{
	const struct derive_classification *p;
	struct domain_list names;
	struct analysis_rows w;
	struct analysis x;

	(void)of;
	if (!begin(&x, r, a, &p))
		return;
	analysis_names_begin(&names);
	names.max = CLASSIFY_CLASSES_MAX;
	analysis_rows_begin(&w, &x);
	analysis_rows_column(&w, "Class", COLUMN_TEXT, NULL);
	analysis_rows_column(&w, x.label, COLUMN_DECIMAL, x.unit);
	analysis_rows_column(&w, "Values", COLUMN_INT, NULL);
	for (size_t i = 1; i <= p->class_count; i++)
		add_class(&w, &names, p, i);
	add_class(&w, &names, p, 0);
	domain_add_text(r, a, "names", "By class", domain_list_end(&names, a));
	analysis_rows_end(&w);
	add_value_table(&x, p);
	note_limits(&x, p);
}
