/*
 * Checks function calls against the policy. An allowed function with unexpected arguments or
 * clauses is refused like an unknown one.
 */
#include "gate_int.h"

static const struct gate_function *find(const struct gate *g, struct str name)
{
	for (size_t i = 0; i < g->policy->function_count; i++)
		if (str_eq_nocase(name, str_of(g->policy->functions[i].name)))
			return &g->policy->functions[i];
	return NULL;
}

bool gate_function_known(const struct gate *g, struct str name)
{
	return find(g, name) != NULL;
}

/* For names common in other dialects, suggests the allowed equivalent. */
bool gate_refuse_function(const struct gate *g, size_t at, struct str name)
{
	static const struct {
		const char *name;
		const char *instead;
	} known[] = {
		{"CEIL", "CEILING"},
		{"CHAR_LENGTH", "LEN"},
		{"DATE_PART", "EXTRACT"},
		{"DATE_TRUNC", "EXTRACT"},
		{"GROUP_CONCAT", "STRING_AGG"},
		{"IFNULL", "COALESCE"},
		{"INSTR", "CHARINDEX"},
		{"LISTAGG", "STRING_AGG"},
		{"MEDIAN", "PERCENTILE_CONT"},
		{"NOW", "GETDATE"},
		{"NVL", "COALESCE"},
		{"POSITION", "CHARINDEX"},
		{"POW", "POWER"},
		{"STDDEV", "STDEV"},
		{"STRFTIME", "EXTRACT"},
		{"STRPOS", "CHARINDEX"},
		{"SUBSTR", "SUBSTRING"},
		{"SYSDATETIME", "GETDATE"},
		{"TO_CHAR", "FORMAT"},
		{"VARIANCE", "VAR"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (str_eq_nocase(name, str_of(known[i].name)) &&
		    gate_function_known(g, str_of(known[i].instead)))
			return gate_refuse(g, at, "the function %.*s is not allowed; use %s",
					   STR_FMT(name), known[i].instead);
	return gate_refuse(g, at, "the function %.*s is not allowed", STR_FMT(name));
}

static bool check_args(const struct gate *g, const struct gate_function *f,
		       const struct gate_expr *x)
{
	if (x->call->star)
		return (f->flags & GATE_STAR) ||
		       gate_refuse(g, x->at, "%s does not take *", f->name);
	if (x->kid_count < (size_t)f->min_args || x->kid_count > (size_t)f->max_args)
		return gate_refuse(g, x->at, "%s takes %d to %d arguments, not %zu", f->name,
				   f->min_args, f->max_args, x->kid_count);
	return true;
}

static bool check_clauses(const struct gate *g, const struct gate_function *f,
			  const struct gate_expr *x)
{
	const struct gate_call *call = x->call;
	bool aggregate = f->flags & GATE_AGGREGATE;

	if ((call->distinct || call->filter || call->order) && !aggregate)
		return gate_refuse(g, x->at, "%s is not an aggregate", f->name);
	if (call->within_group && !(f->flags & GATE_ORDERED))
		return gate_refuse(g, x->at, "%s does not take WITHIN GROUP", f->name);
	if (call->within_group && call->filter)
		return gate_refuse(g, x->at, "WITHIN GROUP and FILTER cannot be combined");
	if (call->within_group && call->distinct)
		return gate_refuse(g, x->at, "WITHIN GROUP and DISTINCT cannot be combined");
	if (call->over && !aggregate && !(f->flags & GATE_WINDOW))
		return gate_refuse(g, x->at, "%s does not take OVER", f->name);
	if (!call->over && (f->flags & GATE_WINDOW))
		return gate_refuse(g, x->at, "%s needs OVER", f->name);
	return true;
}

/* The first argument of DATEADD(month, …) parses as a column; turns it into a GATE_WORD. */
static bool check_date_part(const struct gate *g, struct gate_expr *part)
{
	if (part->kind != GATE_COLUMN || part->qualifier.text.p || part->name.quoted ||
	    !gate_word_date_part(part->name.text))
		return gate_refuse(g, part->at, "expected a date part such as month");
	part->kind = GATE_WORD;
	part->text = part->name.text;
	return true;
}

bool gate_check_call(const struct gate *g, struct gate_expr *x)
{
	const struct gate_function *f = find(g, x->text);

	if (!f)
		return gate_refuse_function(g, x->at, x->text);
	return check_args(g, f, x) && check_clauses(g, f, x) &&
	       (!(f->flags & GATE_DATE_PART) || check_date_part(g, x->kids));
}

bool gate_check_pivot_function(const struct gate *g, const struct gate_name *name)
{
	const struct gate_function *f = find(g, name->text);

	return (f && !name->quoted && (f->flags & GATE_AGGREGATE) && f->max_args == 1 &&
		!(f->flags & GATE_ORDERED)) ||
	       gate_refuse(g, name->at, "PIVOT takes an allowed aggregate of one column");
}
