/* Arguments by name. There are few, so lookup is linear. The arena owns the strings. */
#include "vesper/bind.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Callers pass JSON values only after json_is_string or filters_resolve. */
struct value value_text(const char *text)
{
	assert(text);
	return (struct value){.type = VALUE_TEXT, .text = text};
}

struct value value_int(int64_t number)
{
	return (struct value){.type = VALUE_INT, .number = number};
}

struct value value_decimal(const char *digits)
{
	assert(digits);
	return (struct value){.type = VALUE_DECIMAL, .text = digits};
}

struct value value_date(const char *iso)
{
	assert(iso);
	return (struct value){.type = VALUE_DATE, .text = iso};
}

struct value value_bool(bool yes)
{
	return (struct value){.type = VALUE_BOOL, .number = yes};
}

struct value value_null(void)
{
	return (struct value){.type = VALUE_NULL};
}

/* Compares the first letters before calling strcmp, since most names differ there. */
static bool is_named(const struct arg *arg, const char *name)
{
	return *arg->name == *name && strcmp(arg->name, name) == 0;
}

/* Finds the argument, or appends a new one. */
static struct arg *args_slot(struct args *args, struct arena *a, const char *name)
{
	for (size_t i = 0; i < args->count; i++)
		if (is_named(&args->items[i], name))
			return &args->items[i];
	args->items = arena_grow(a, args->items, args->count, &args->cap, sizeof(*args->items));
	struct arg *arg = &args->items[args->count++];
	arg->name = arena_strdup(a, name);
	return arg;
}

static void args_put(struct args *args, struct arena *a, const char *name, bool is_list,
		     const struct value *values, size_t count)
{
	struct value *copy = arena_alloc(a, count * sizeof(*copy));
	for (size_t i = 0; i < count; i++) {
		copy[i] = values[i];
		copy[i].text = arena_strdup(a, values[i].text);
	}
	struct arg *arg = args_slot(args, a, name);
	arg->is_list = is_list;
	arg->count = count;
	arg->values = copy;
}

void args_set(struct args *args, struct arena *a, const char *name, struct value v)
{
	args_put(args, a, name, false, &v, 1);
}

void args_set_list(struct args *args, struct arena *a, const char *name, const struct value *values,
		   size_t count)
{
	args_put(args, a, name, true, values, count);
}

const struct arg *args_find(const struct args *args, const char *name)
{
	for (size_t i = 0; i < args->count; i++)
		if (is_named(&args->items[i], name))
			return &args->items[i];
	return NULL;
}

const char *args_text(const struct args *args, const char *name, struct arena *a)
{
	const struct arg *arg = args_find(args, name);
	if (!arg || arg->is_list)
		return NULL;
	const struct value *v = arg->values;
	switch (v->type) {
	case VALUE_INT:
		return arena_printf(a, "%" PRId64, v->number);
	case VALUE_BOOL:
		return v->number ? "true" : "false";
	case VALUE_NULL:
		return NULL;
	default:
		return v->text;
	}
}

void value_write(struct json_out *j, const struct value *v)
{
	switch (v->type) {
	case VALUE_INT:
		jo_int(j, v->number);
		break;
	case VALUE_BOOL:
		jo_bool(j, v->number != 0);
		break;
	case VALUE_DECIMAL:
		jo_decimal(j, v->text);
		break;
	case VALUE_NULL:
		jo_null(j);
		break;
	default:
		jo_str(j, str_of(v->text));
	}
}

void args_write(struct json_out *j, const struct args *args)
{
	jo_object(j);
	for (size_t i = 0; i < args->count; i++) {
		const struct arg *arg = &args->items[i];

		if (!arg->is_list && arg->values[0].type == VALUE_NULL)
			continue;
		jo_key(j, arg->name);
		if (!arg->is_list) {
			value_write(j, &arg->values[0]);
			continue;
		}
		jo_array(j);
		for (size_t k = 0; k < arg->count; k++)
			value_write(j, &arg->values[k]);
		jo_array_end(j);
	}
	jo_object_end(j);
}
