/* Typed arguments by name, and values bound to a statement in order. Strings are borrowed. */
#ifndef VESPER_BIND_H
#define VESPER_BIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/json_out.h"

enum value_type { VALUE_NULL, VALUE_TEXT, VALUE_INT, VALUE_DECIMAL, VALUE_DATE, VALUE_BOOL };

struct value {
	enum value_type type;
	const char *text; /* TEXT; DECIMAL as digits; DATE as YYYY-MM-DD */
	int64_t number;   /* INT; BOOL as 0 or 1 */
};

/* One named argument: a value, or a list of values of one type. */
struct arg {
	const char *name;
	bool is_list;
	size_t count; /* 1 when not a list */
	const struct value *values;
};

struct args {
	struct arg *items;
	size_t count;
	size_t cap;
};

struct value value_text(const char *text);
struct value value_int(int64_t number);
struct value value_decimal(const char *digits);
struct value value_date(const char *iso);
struct value value_bool(bool yes);
struct value value_null(void);
/* As JSON: decimals are numbers. */
void value_write(struct json_out *j, const struct value *v);

/* Adds or replaces; everything is copied into the arena. */
void args_set(struct args *args, struct arena *a, const char *name, struct value v);
void args_set_list(struct args *args, struct arena *a, const char *name, const struct value *values,
		   size_t count);
const struct arg *args_find(const struct args *args, const char *name); /* NULL when absent */
/* As JSON, values and lists by name; arguments without a value are left out. */
void args_write(struct json_out *j, const struct args *args);
/* The single value as text ("2025", "Ascend"); NULL when absent, a list or VALUE_NULL. */
const char *args_text(const struct args *args, const char *name, struct arena *a);

#endif
