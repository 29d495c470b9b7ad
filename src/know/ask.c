/* Questions back, in words. Each names what is the matter and what may be chosen. */
#include "know_int.h"

#include <inttypes.h>
#include <string.h>

#include "vesper/str.h"

#define ASK_BYTES_MAX 4096
#define LISTED_MAX    16 /* choices that the sentence itself names */

static const char *label_of(const struct trouble *t, struct arena *a)
{
	char *label;

	if (t->dimension)
		return t->dimension->label;
	if (!t->filter)
		return "value";
	if (strcmp(t->filter, FILTER_START) == 0 || strcmp(t->filter, FILTER_END) == 0)
		return "day";
	if (strcmp(t->filter, FILTER_DAYS) == 0)
		return "kind of day";
	label = arena_strdup(a, t->filter);
	for (char *c = label; *c; c++)
		if (*c == '_')
			*c = ' ';
	return label;
}

static void add_choices(struct buf *b, const struct trouble *t, const char *last)
{
	size_t n = t->option_count < LISTED_MAX ? t->option_count : LISTED_MAX;

	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_str(b, i + 1 == n ? last : ", ");
		buf_str(b, t->options[i].label);
	}
}

static void ask_missing(struct buf *b, const struct trouble *t, const char *label, int year)
{
	const struct param_def *p = t->param;

	buf_printf(b, "Which %s do you mean", label);
	if (t->option_count > 0) {
		buf_str(b, ": ");
		add_choices(b, t, " or ");
		buf_char(b, '?');
		return;
	}
	buf_str(b, "?");
	if (strcmp(t->filter, FILTER_YEAR) == 0)
		buf_printf(b, " Please give a year, such as %d.", year);
	else if (p && p->has_min && p->has_max)
		buf_printf(b, " Please give a number from %" PRId64 " to %" PRId64 ".", p->min,
			   p->max);
	else if (p && p->about)
		buf_printf(b, " (%s)", p->about);
}

static void ask_range(struct buf *b, const struct trouble *t, const char *label)
{
	if (strcmp(t->filter, FILTER_HOUR) == 0)
		buf_printf(b,
			   "There is no \"%s\": a day has the hours ending 1 to 24. Which hour do "
			   "you mean?",
			   t->said);
	else if (t->param && t->param->has_min && t->param->has_max)
		buf_printf(b,
			   "\"%s\" is no %s that I can use; it must be from %" PRId64 " to %" PRId64
			   ". Which one do you mean?",
			   t->said, label, t->param->min, t->param->max);
	else
		buf_printf(b, "\"%s\" is no %s that I can use. Which one do you mean?", t->said,
			   label);
}

static void ask_unknown(struct buf *b, const struct trouble *t, const char *label)
{
	buf_printf(b, "I do not know the %s \"%s\".", label, t->said);
	if (t->option_count == 0)
		return;
	buf_str(b, " Did you mean ");
	add_choices(b, t, " or ");
	buf_char(b, '?');
}

static void ask_words(struct reading *r, const struct trouble *t, struct buf *b)
{
	const char *label = label_of(t, r->arena);

	switch (t->kind) {
	case TROUBLE_NONE:
		return;
	case TROUBLE_UNKNOWN:
		ask_unknown(b, t, label);
		return;
	case TROUBLE_SEVERAL:
		buf_printf(b, "\"%s\" is not clear as a %s. Which one do you mean: ", t->said,
			   label);
		add_choices(b, t, " or ");
		buf_char(b, '?');
		return;
	case TROUBLE_CONTRADICTION:
		buf_printf(b, "%s Do you mean ", t->said);
		add_choices(b, t, ", or ");
		buf_char(b, '?');
		return;
	case TROUBLE_NO_CHILDREN:
		buf_printf(b, "There is no %s of %s in the data. There are ", label, t->said);
		add_choices(b, t, " and ");
		buf_str(b, ". Which one do you mean?");
		return;
	case TROUBLE_MISSING:
		ask_missing(b, t, label, r->in->today.year);
		return;
	case TROUBLE_RANGE:
		ask_range(b, t, label);
		return;
	case TROUBLE_NOT_TAKEN:
		buf_printf(b,
			   "What you ask for can't be narrowed by %s (%s). Shall I leave that out?",
			   label, t->said);
		return;
	case TROUBLE_VAGUE:
		buf_printf(b, "\"%s\" does not say when. From which day to which day?", t->said);
		return;
	case TROUBLE_LEFT_OUT:
		buf_printf(b,
			   "I can look for a %s, but not leave one out (%s). Which one do you mean",
			   label, t->said);
		if (t->option_count > 0)
			buf_str(b, ": ");
		add_choices(b, t, " or ");
		buf_char(b, '?');
		return;
	case TROUBLE_PERIODS:
		buf_str(b, "I can look at one period at a time here. Which one: ");
		add_choices(b, t, " or ");
		buf_char(b, '?');
		return;
	case TROUBLE_TOO_MANY:
		if (t->param) {
			buf_printf(b, "I can take at most %zu here. Which %s do you mean: ",
				   t->param->list_max, label);
			add_choices(b, t, " or ");
			buf_char(b, '?');
			return;
		}
		buf_str(b, "That would be too many questions at once. Which part do you want?");
		return;
	}
}

/* An hour or a day that no calendar has. */
static bool is_impossible(const struct trouble *t)
{
	return t->kind == TROUBLE_RANGE && !t->param && t->filter && t->said &&
	       (strcmp(t->filter, FILTER_HOUR) == 0 || strcmp(t->filter, FILTER_START) == 0);
}

/* Days are picked, and lists from a list. */
static enum ask_input input_of(const struct trouble *t)
{
	bool is_days = t->filter &&
		       (strcmp(t->filter, FILTER_START) == 0 || strcmp(t->filter, FILTER_END) == 0);

	if (t->option_count > 0)
		return (t->kind == TROUBLE_MISSING || t->kind == TROUBLE_TOO_MANY) && t->param &&
				       t->param->is_list
			       ? ASK_MULTIPLE
			       : ASK_SINGLE;
	if (is_days && t->kind == TROUBLE_VAGUE)
		return ASK_DATE_RANGE;
	return is_days && (t->kind == TROUBLE_RANGE || t->kind == TROUBLE_MISSING) ? ASK_DATE
										   : ASK_SINGLE;
}

static void set_bounds(const struct trouble *t, struct clarification *out)
{
	if (out->input != ASK_MULTIPLE)
		return;
	out->min = t->param->list_min;
	out->max = t->param->list_max < t->option_count ? t->param->list_max : t->option_count;
	if (out->min > out->max)
		out->min = out->max;
}

void ask_back(struct reading *r, const struct trouble *t, struct clarification *out)
{
	struct buf b;

	buf_init(&b, ASK_BYTES_MAX);
	ask_words(r, t, &b);
	*out = (struct clarification){
		.text = arena_strdup(r->arena, buf_text(&b)),
		.filter = t->filter,
		.options = t->options,
		.option_count = t->option_count,
		.unknown = t->kind == TROUBLE_UNKNOWN,
		.input = input_of(t),
		.said = t->said,
		.impossible = is_impossible(t) ? t->said : NULL,
	};
	set_bounds(t, out);
	buf_deinit(&b);
	if (t->kind == TROUBLE_NOT_TAKEN) {
		struct suggestion *leave = arena_alloc(r->arena, sizeof(*leave));

		*leave = (struct suggestion){.value = "all", .label = "Leave it out"};
		out->options = leave;
		out->option_count = 1;
	}
}
