/*
 * Runs a call of a stored answer again, because answers keep only the first rows and a user wants
 * all of them. The arguments stay as stored; permissions, switches and data are current.
 */
#include "turn_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

struct repeat_op {
	struct op op;
	struct knowledge *knowledge; /* keeps the tools alive across a reload */
	struct op *run;
	tool_cb cb;
	void *owner;
};

static void repeat_op_free(struct repeat_op *x)
{
	knowledge_unref(&x->knowledge);
	mem_free(x);
}

static void on_cancel(struct op *op)
{
	struct repeat_op *x = (struct repeat_op *)op;

	op_cancel(&x->run);
	repeat_op_free(x);
}

static void on_result(void *owner, struct result *r)
{
	struct repeat_op *x = owner;

	x->run = NULL;
	x->cb(x->owner, r);
	repeat_op_free(x);
}

/* ---- stored arguments ---- */

static struct value value_of(const json_t *value, struct arena *a)
{
	if (json_is_integer(value))
		return value_int(json_integer_value(value));
	if (json_is_boolean(value))
		return value_bool(json_is_true(value));
	if (json_decimal_text(value))
		return value_decimal(arena_strdup(a, json_decimal_text(value)));
	if (json_is_real(value))
		return value_decimal(arena_printf(a, "%.15g", json_real_value(value)));
	return json_is_string(value) ? value_text(json_string_value(value)) : value_null();
}

static void add_arg(struct args *args, const char *name, const json_t *value, struct arena *a)
{
	struct value values[LIST_ARG_MAX];
	size_t n = json_array_size(value);

	if (!json_is_array(value)) {
		args_set(args, a, name, value_of(value, a));
		return;
	}
	for (size_t i = 0; i < n && i < LIST_ARG_MAX; i++)
		values[i] = value_of(json_array_get(value, i), a);
	if (n > 0 && n <= LIST_ARG_MAX)
		args_set_list(args, a, name, values, n);
}

/* Skips arguments that are not in the tool's header: the tool's function added them, and adds them
 * again. */
static struct args args_of(const json_t *call, const struct tool_def *tool, struct arena *a)
{
	struct args args = {0};
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(call, "args"), name, value)
		if (tool_param(tool, name))
			add_arg(&args, name, value, a);
	return args;
}

bool turns_can_repeat_call(const struct turns *all, const char *tenant, const json_t *call)
{
	const struct tool_def *tool =
		catalog_tool(turns_knowledge(all, tenant)->catalog, json_text_at(call, "tool"));

	return tool && !tool->gate && json_is_object(json_object_get(call, "args"));
}

struct op *turns_repeat_call(struct turns *all, const struct repeat_call *again, struct arena *a,
			     tool_cb cb, void *owner)
{
	const char *name = json_text_at(again->call, "tool");
	const struct tool_def *tool =
		catalog_tool(turns_knowledge(all, again->who->tenant)->catalog, name);
	struct args args = args_of(again->call, tool, a);
	const struct tool_request request = {
		.turn_id = again->turn_id,
		.call = json_text_at(again->call, "call"),
		.agent = json_text_at(again->call, "agent"),
		.tool = name,
		.bound = &args,
		.who = again->who,
		.today = turn_today(all, again->who->tenant),
		.rows_max = again->rows_max,
	};
	struct repeat_op *x = mem_alloc(sizeof(*x));

	x->op.cancel = on_cancel;
	x->cb = cb;
	x->owner = owner;
	x->knowledge = turn_knowledge_ref(all, again->who->tenant);
	x->run = tool_start(x->knowledge->set.tools, &request, a, on_result, x);
	return &x->op;
}
