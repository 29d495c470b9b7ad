/* Clarifying questions as text. Each states the problem and the choices. */
#include "nlu_int.h"

#include <inttypes.h>
#include <string.h>

#include "vesper/str.h"

#define ASK_BYTES_MAX 4096
#define LISTED_MAX    16 /* choices listed in the sentence */

static const char *label_of(const struct reading *r, const struct issue *t)
{
	const struct language *l = r->nlu->catalog->language;
	char *label;

	if (t->dimension)
		return t->dimension->label;
	if (!t->filter || strcmp(t->filter, FILTER_MEANING) == 0)
		return sentence(l, SAY_ASK_VALUE, r->arena);
	if (strcmp(t->filter, FILTER_START) == 0 || strcmp(t->filter, FILTER_END) == 0)
		return sentence(l, SAY_ASK_DAY, r->arena);
	if (strcmp(t->filter, FILTER_DAYS) == 0)
		return sentence(l, SAY_ASK_KIND_OF_DAY, r->arena);
	label = arena_strdup(r->arena, t->filter);
	for (char *c = label; *c; c++)
		if (*c == '_')
			*c = ' ';
	return label;
}

/* "A, B or C" */
static const char *options_text(const struct reading *r, const struct issue *t, enum sentence joint)
{
	const char *last = sentence(r->nlu->catalog->language, joint, r->arena), *text;
	size_t n = t->option_count < LISTED_MAX ? t->option_count : LISTED_MAX;
	struct buf b;

	buf_init(&b, ASK_BYTES_MAX);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_str(&b, i + 1 == n ? last : ", ");
		buf_str(&b, t->options[i].label);
	}
	text = arena_strdup(r->arena, b.n > 0 ? buf_text(&b) : "");
	buf_deinit(&b);
	return text;
}

static const char *number_text(const struct reading *r, int64_t number)
{
	return arena_printf(r->arena, "%" PRId64, number);
}

static const char *ask_missing(const struct reading *r, const struct issue *t, const char *label)
{
	const struct language *l = r->nlu->catalog->language;
	const struct param_def *p = t->param;
	const char *which, *how = "";

	if (t->option_count > 0)
		return sentence(l, SAY_ASK_WHICH_OF, r->arena, label,
				options_text(r, t, SAY_ASK_OR));
	which = sentence(l, SAY_ASK_WHICH, r->arena, label);
	if (strcmp(t->filter, FILTER_YEAR) == 0)
		how = sentence(l, SAY_ASK_YEAR, r->arena, number_text(r, r->in->today.year));
	else if (p && p->has_min && p->has_max)
		how = sentence(l, SAY_ASK_NUMBER, r->arena, number_text(r, p->min),
			       number_text(r, p->max));
	else if (p && p->about)
		how = sentence(l, SAY_ASK_ABOUT, r->arena, p->about);
	return arena_printf(r->arena, "%s%s", which, how);
}

static const char *ask_range(const struct reading *r, const struct issue *t, const char *label)
{
	const struct language *l = r->nlu->catalog->language;
	const struct param_def *p = t->param;

	if (strcmp(t->filter, FILTER_HOUR) == 0)
		return sentence(l, SAY_ASK_NO_HOUR, r->arena, t->term);
	if (p && p->has_min && p->has_max)
		return sentence(l, SAY_ASK_OUT_OF_RANGE, r->arena, t->term, label,
				number_text(r, p->min), number_text(r, p->max));
	return sentence(l, SAY_ASK_UNUSABLE, r->arena, t->term, label);
}

static const char *ask_unknown(const struct reading *r, const struct issue *t, const char *label)
{
	const struct language *l = r->nlu->catalog->language;
	const char *unknown = sentence(l, SAY_ASK_UNKNOWN, r->arena, label, t->term);

	if (t->option_count == 0)
		return unknown;
	return arena_printf(
		r->arena, "%s%s", unknown,
		sentence(l, SAY_ASK_DID_YOU_MEAN, r->arena, options_text(r, t, SAY_ASK_OR)));
}

static const char *ask_text(const struct reading *r, const struct issue *t)
{
	const struct language *l = r->nlu->catalog->language;
	const char *label = label_of(r, t), *any = options_text(r, t, SAY_ASK_OR);
	struct arena *a = r->arena;

	switch (t->kind) {
	case ISSUE_NONE:
		break;
	case ISSUE_UNKNOWN_VALUE:
		return ask_unknown(r, t, label);
	case ISSUE_AMBIGUOUS:
		return sentence(l, SAY_ASK_SEVERAL, a, t->term, label, any);
	case ISSUE_CONTRADICTION:
		return sentence(l, SAY_ASK_CONTRADICTION, a, t->term,
				options_text(r, t, SAY_ASK_OR_ELSE));
	case ISSUE_NO_CHILDREN:
		return sentence(l, SAY_ASK_NO_CHILDREN, a, label, t->term,
				options_text(r, t, SAY_ASK_AND));
	case ISSUE_MISSING:
		return ask_missing(r, t, label);
	case ISSUE_OUT_OF_RANGE:
		return ask_range(r, t, label);
	case ISSUE_UNSUPPORTED_FILTER:
		return sentence(l, SAY_ASK_NOT_TAKEN, a, label, t->term);
	case ISSUE_INDEFINITE_TIME:
		return sentence(l, SAY_ASK_VAGUE, a, t->term);
	case ISSUE_EXCLUDED_VALUE:
		return t->option_count > 0
			       ? sentence(l, SAY_ASK_LEFT_OUT_OF, a, label, t->term, any)
			       : sentence(l, SAY_ASK_LEFT_OUT, a, label, t->term);
	case ISSUE_SEVERAL_PERIODS:
		return sentence(l, SAY_ASK_PERIODS, a, any);
	case ISSUE_TOO_MANY:
		return t->param ? sentence(l, SAY_ASK_TOO_MANY_OF, a,
					   number_text(r, (int64_t)t->param->list_max), label, any)
				: sentence(l, SAY_ASK_TOO_MANY, a);
	}
	return "";
}

/* Returns true for an hour or a day that does not exist. */
static bool is_impossible(const struct issue *t)
{
	return t->kind == ISSUE_OUT_OF_RANGE && !t->param && t->filter && t->term &&
	       (strcmp(t->filter, FILTER_HOUR) == 0 || strcmp(t->filter, FILTER_START) == 0);
}

/* Days use a date picker, list parameters multiple choice. */
static enum ask_input input_of(const struct issue *t)
{
	bool is_days = t->filter &&
		       (strcmp(t->filter, FILTER_START) == 0 || strcmp(t->filter, FILTER_END) == 0);

	if (t->option_count > 0)
		return (t->kind == ISSUE_MISSING || t->kind == ISSUE_TOO_MANY) && t->param &&
				       t->param->is_list
			       ? ASK_MULTIPLE
			       : ASK_SINGLE;
	if (is_days && t->kind == ISSUE_INDEFINITE_TIME)
		return ASK_DATE_RANGE;
	return is_days && (t->kind == ISSUE_OUT_OF_RANGE || t->kind == ISSUE_MISSING) ? ASK_DATE
										      : ASK_SINGLE;
}

static void set_bounds(const struct issue *t, struct clarification *out)
{
	if (out->input != ASK_MULTIPLE)
		return;
	out->min = t->param->list_min;
	out->max = t->param->list_max < t->option_count ? t->param->list_max : t->option_count;
	if (out->min > out->max)
		out->min = out->max;
}

void ask_clarify(struct reading *r, const struct issue *t, struct clarification *out)
{
	*out = (struct clarification){
		.text = ask_text(r, t),
		.filter = t->filter,
		.options = t->options,
		.option_count = t->options_in_text ? 0 : t->option_count,
		.unknown = t->kind == ISSUE_UNKNOWN_VALUE,
		.input = input_of(t),
		.term = t->term,
		.impossible = is_impossible(t) ? t->term : NULL,
	};
	set_bounds(t, out);
	if (t->kind == ISSUE_UNSUPPORTED_FILTER) {
		struct suggestion *leave = arena_alloc(r->arena, sizeof(*leave));

		*leave = (struct suggestion){
			.value = "all",
			.label = sentence(r->nlu->catalog->language, SAY_ASK_LEAVE_OUT, r->arena)};
		out->options = leave;
		out->option_count = 1;
	}
}
