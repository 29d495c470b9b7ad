/* Formats bounds as text, and parses them: ">60", "≥60". */
#include "nlu_int.h"

#include <string.h>

#include "vesper/str.h"

const struct param_def *bound_inclusive_param(const struct nlu *k, const struct param_def *p,
					      struct arena *a)
{
	return params_first_with_filter(k, arena_printf(a, "%s_incl", p->name));
}

const char *bound_label(const struct reading *r, const struct param_def *p, const struct fact *f)
{
	const struct param_def *incl = bound_inclusive_param(r->nlu, p, r->arena);
	const struct fact *counts = incl ? facts_get(&r->facts, incl->filter) : NULL;
	bool inclusive = !counts || counts->values[0].number != 0;
	const char *sign = p->slot == SLOT_ABOVE ? inclusive ? "≥" : ">" : inclusive ? "≤" : "<";

	return arena_printf(r->arena, "%s%s", sign, value_display_text(r, &f->values[0]));
}

const char *bound_parse(const char *text, bool *has_sign, bool *inclusive)
{
	static const struct {
		const char *sign;
		bool inclusive;
	} signs[] = {{"≥", true}, {"≤", true},  {">=", true}, {"<=", true},
		     {"=", true}, {">", false}, {"<", false}};

	*has_sign = false;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]) && !*has_sign; i++)
		if (str_starts(str_of(text), str_of(signs[i].sign))) {
			*has_sign = true;
			*inclusive = signs[i].inclusive;
			text += strlen(signs[i].sign);
		}
	return text + strspn(text, " ");
}
