/*
 * Reads call arguments. Values from a model, a router or a client are converted to typed values of
 * declared parameters within their limits, and names to known values of the catalogue. All other
 * input is rejected.
 */
#include "tool_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

/* Values of the argument being read. */
struct reading {
	struct arena *arena;
	const struct param_def *param;
	struct value values[LIST_ARG_MAX];
	size_t count;
};

static bool add_text(struct reading *r, const char *text, struct err *e)
{
	if (r->count == r->param->list_max)
		return err_set(e, ERR_INPUT, "%s takes at most %zu values", r->param->name,
			       r->param->list_max);
	if (!param_parse(r->param, text, r->arena, &r->values[r->count], e))
		return false;
	r->count++;
	return true;
}

/* ---- plain JSON from models ---- */

static bool add_json_scalar(struct reading *r, const json_t *value, struct err *e)
{
	char text[64];

	if (json_is_string(value))
		return add_text(r, json_string_value(value), e);
	if (json_is_boolean(value))
		return add_text(r, json_is_true(value) ? "true" : "false", e);
	if (json_is_integer(value))
		snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		snprintf(text, sizeof(text), "%.15g", json_real_value(value));
	else
		return err_set(e, ERR_INPUT, "%s must be a plain value", r->param->name);
	return add_text(r, text, e);
}

/* Normalizes the JSON, so that equal queries have equal texts. */
static bool add_query(struct reading *r, const json_t *value, struct err *e)
{
	json_t *read = NULL;
	const char *text_json = json_string_value(value);
	const size_t flags = JSON_COMPACT | JSON_SORT_KEYS;
	char *text;
	size_t n;

	if (text_json && !json_parse(text_json, strlen(text_json), MAP_QUERY_BYTES_MAX, &read, e))
		return err_prefix(e, "%s", r->param->name);
	if (!json_is_object(text_json ? read : value)) {
		json_decref(read);
		return err_set(e, ERR_INPUT, "%s must be a JSON object", r->param->name);
	}
	n = json_dumpb(text_json ? read : value, NULL, 0, flags);
	text = arena_alloc(r->arena, n + 1);
	json_dumpb(text_json ? read : value, text, n, flags);
	json_decref(read);
	return add_text(r, text, e);
}

static bool read_json(struct reading *r, const json_t *value, struct err *e)
{
	const json_t *item;
	size_t i;

	if (r->param->is_query)
		return json_is_null(value) || add_query(r, value, e);

	if (!json_is_array(value))
		return json_is_null(value) || add_json_scalar(r, value, e);
	if (!r->param->is_list)
		return err_set(e, ERR_INPUT, "%s takes one value", r->param->name);
	json_array_foreach(value, i, item)
		if (!add_json_scalar(r, item, e))
			return false;
	return true;
}

/* ---- typed values from the router ---- */

static bool read_arg(struct reading *r, const struct arg *arg, struct err *e)
{
	char text[32];

	if (arg->is_list && !r->param->is_list)
		return err_set(e, ERR_INPUT, "%s takes one value", r->param->name);
	for (size_t i = 0; i < arg->count; i++) {
		const struct value *v = &arg->values[i];
		const char *given = v->text;
		if (v->type == VALUE_NULL)
			continue;
		if (v->type == VALUE_BOOL)
			given = v->number ? "true" : "false";
		if (v->type == VALUE_INT) {
			snprintf(text, sizeof(text), "%" PRId64, v->number);
			given = text;
		}
		if (!add_text(r, given, e))
			return false;
	}
	return true;
}

/* ---- one argument ---- */

static void set_arg(struct tool_call *call, const struct reading *r)
{
	if (r->count == 0)
		return; /* null and [] count as not given */
	if (r->param->is_list)
		args_set_list(&call->args, call->arena, r->param->name, r->values, r->count);
	else
		args_set(&call->args, call->arena, r->param->name, r->values[0]);
}

/* Faults in a call's arguments, collected for the caller up to `max`. */
struct faults {
	struct tool_arg_fault *items;
	size_t count, max;
};

static bool add_fault(struct tool_call *call, struct faults *f, const char *name,
		      const struct err *e)
{
	if (f->count < f->max)
		f->items[f->count++] = (struct tool_arg_fault){
			.arg = name ? arena_printf(call->arena, "%.*s", STR_CUT(name, 60)) : NULL,
			.is_known = name && tool_param(call->tool, name),
			.message = arena_strdup(call->arena, e->text),
		};
	return f->count < f->max;
}

/* Returns true to continue reading; the same holds for the functions below. */
static bool read_one(struct tool_call *call, const char *name, const json_t *plain,
		     const struct arg *typed, struct faults *f)
{
	struct reading r = {.arena = call->arena, .param = tool_param(call->tool, name)};
	struct err e = {0};
	bool ok;

	if (!r.param)
		ok = err_set(&e, ERR_INPUT, "unknown argument %.*s", STR_CUT(name, 60));
	else if (plain)
		ok = read_json(&r, plain, &e);
	else
		ok = read_arg(&r, typed, &e);
	if (!ok)
		return add_fault(call, f, name, &e);
	set_arg(call, &r);
	return true;
}

static bool read_all(struct tool_call *call, const json_t *plain, const struct args *typed,
		     struct faults *f)
{
	const char *name;
	json_t *value;

	if (plain && !json_is_object(plain)) {
		struct err e = {.text = "the arguments must be a JSON object"};
		add_fault(call, f, NULL, &e);
		return false;
	}
	json_object_foreach((json_t *)plain, name, value)
		if (!read_one(call, name, value, NULL, f))
			return false;
	for (size_t i = 0; typed && i < typed->count; i++)
		if (!read_one(call, typed->items[i].name, NULL, &typed->items[i], f))
			return false;
	return true;
}

static bool has_fault(const struct faults *f, const char *name)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->items[i].arg && strcmp(f->items[i].arg, name) == 0)
			return true;
	return false;
}

static bool check_count(const struct tool_call *call, const struct param_def *p, struct err *e)
{
	const struct arg *given = args_find(&call->args, p->name);

	if (given && given->count < p->list_min)
		return err_set(e, ERR_INPUT, "%s takes at least %zu values", p->name, p->list_min);
	return given || !p->required || err_set(e, ERR_INPUT, "%s is required", p->name);
}

static bool check_counts(struct tool_call *call, struct faults *f)
{
	for (size_t i = 0; i < call->tool->param_count; i++) {
		const struct param_def *p = &call->tool->params[i];
		struct err e = {0};

		if (!has_fault(f, p->name) && !check_count(call, p, &e) &&
		    !add_fault(call, f, p->name, &e))
			return false;
	}
	return true;
}

static bool add_defaults(struct tool_call *call, struct faults *f)
{
	for (size_t i = 0; i < call->tool->param_count; i++) {
		const struct param_def *p = &call->tool->params[i];
		struct err e = {0};
		struct value v;

		if (!p->default_text || args_find(&call->args, p->name))
			continue;
		if (!param_default(p, call->today, call->arena, &v, &e))
			return add_fault(call, f, p->name, &e);
		args_set(&call->args, call->arena, p->name, v);
	}
	return true;
}

size_t tool_args_check(const struct tool_def *tool, const json_t *args, struct arena *a,
		       struct tool_arg_fault *out, size_t max)
{
	struct tool_call call = {.tool = tool, .arena = a};
	struct faults f = {.items = out, .max = max};

	if (read_all(&call, args, NULL, &f))
		(void)check_counts(&call, &f);
	return f.count;
}

/* ---- resolving names ---- */

struct outcome tool_unknown_name(const struct tool_call *call, const struct dimension_def *d,
				 const char *param, const char *given, const struct name_match *m)
{
	const struct language *l = call->result->language;
	struct arena *a = call->arena;

	if (m->is_not_loaded)
		return (struct outcome){.kind = OUTCOME_ERROR,
					.param = param,
					.retryable = true,
					.detail =
						sentence(l, SAY_TOOL_NO_NAMES, a, d->label, given)};
	return (struct outcome){
		.kind = OUTCOME_UNKNOWN_ENTITY,
		.param = param,
		.detail = m->several ? sentence(l, SAY_ASK_FITS_SEVERAL, a, given, d->label)
				     : sentence(l, SAY_ASK_UNKNOWN, a, d->label, given),
		.suggestions = m->suggestions,
		.suggestion_count = m->suggestion_count,
	};
}

static bool resolve(struct tool_call *call, const struct param_def *p, struct outcome *out)
{
	const struct arg *arg = args_find(&call->args, p->name);
	struct value values[LIST_ARG_MAX];
	struct name_match m;

	for (size_t i = 0; i < arg->count; i++) {
		const char *text = arg->values[i].text;
		m = (struct name_match){0};
		if (!entity_index_resolve(call->box->options.names, call->who, p->entity, text,
					  &call->args, call->arena, &m)) {
			*out = tool_unknown_name(
				call, catalog_dimension(call->box->options.catalog, p->entity),
				p->name, text, &m);
			return false;
		}
		values[i] = value_text(m.value);
	}
	if (arg->is_list)
		args_set_list(&call->args, call->arena, p->name, values, arg->count);
	else
		args_set(&call->args, call->arena, p->name, values[0]);
	return true;
}

/* Resolves parameters that scope others first: "south" is only known within its market. */
static bool resolve_all(struct tool_call *call, struct outcome *out)
{
	const struct catalog *c = call->box->options.catalog;

	for (int scoped = 0; scoped < 2; scoped++) {
		for (size_t i = 0; i < call->tool->param_count; i++) {
			const struct param_def *p = &call->tool->params[i];
			if (!p->entity || !args_find(&call->args, p->name))
				continue;
			bool has_parent = catalog_dimension(c, p->entity)->parent != NULL;
			if (has_parent == scoped && !resolve(call, p, out))
				return false;
		}
	}
	return true;
}

/* Reports the first fault only: the caller corrects it and calls again. */
static bool refuse(struct tool_call *call, const struct tool_arg_fault *first, struct outcome *out)
{
	*out = (struct outcome){
		.kind = OUTCOME_ERROR,
		.param = first->is_known ? first->arg : NULL,
		.detail = sentence(call->result->language, SAY_TOOL_BAD_ARGUMENT, call->arena,
				   first->message),
	};
	return false;
}

bool tool_args_read(struct tool_call *call, const json_t *plain, const struct args *typed,
		    struct outcome *out)
{
	struct tool_arg_fault first;
	struct faults f = {.items = &first, .max = 1};

	if (!read_all(call, plain, typed, &f) || !check_counts(call, &f) || !add_defaults(call, &f))
		return refuse(call, &first, out);
	return resolve_all(call, out);
}
