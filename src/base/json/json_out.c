/* Commas, quotes and numbers of JSON text that is written once, without a tree. */
#include "vesper/json_out.h"

#include <assert.h>
#include <string.h>

#include "base_int.h"

#define EXACT_INT_MAX INT64_C(9007199254740992) /* 2^53: beyond it a double skips integers */

void jo_init(struct json_out *j, struct buf *out)
{
	*j = (struct json_out){.out = out};
}

static void before_value(struct json_out *j)
{
	if (j->comma)
		buf_char(j->out, ',');
	j->comma = true;
}

static void open(struct json_out *j, char bracket)
{
	before_value(j);
	buf_char(j->out, bracket);
	j->comma = false;
}

static void close(struct json_out *j, char bracket)
{
	buf_char(j->out, bracket);
	j->comma = true;
}

void jo_object(struct json_out *j)
{
	open(j, '{');
}

void jo_object_end(struct json_out *j)
{
	close(j, '}');
}

void jo_array(struct json_out *j)
{
	open(j, '[');
}

void jo_array_end(struct json_out *j)
{
	close(j, ']');
}

void jo_key(struct json_out *j, const char *name)
{
	if (!buf_json_key(j->out, name, j->comma)) {
		before_value(j);
		buf_json_str(j->out, name, strlen(name));
		buf_char(j->out, ':');
	}
	j->comma = false;
}

void jo_str(struct json_out *j, struct str text)
{
	before_value(j);
	buf_json_str(j->out, text.p, text.n);
}

void jo_int(struct json_out *j, int64_t value)
{
	bool exact = value >= -EXACT_INT_MAX && value <= EXACT_INT_MAX;

	before_value(j);
	if (!exact)
		buf_char(j->out, '"');
	buf_int(j->out, value);
	if (!exact)
		buf_char(j->out, '"');
}

void jo_bool(struct json_out *j, bool value)
{
	before_value(j);
	buf_str(j->out, value ? "true" : "false");
}

void jo_null(struct json_out *j)
{
	before_value(j);
	buf_str(j->out, "null");
}

void jo_decimal(struct json_out *j, const char *digits)
{
	before_value(j);
	buf_json_decimal(j->out, digits);
}

void jo_raw(struct json_out *j, struct str json)
{
	if (json.n == 0)
		return;
	before_value(j);
	buf_add(j->out, json.p, json.n);
}

void jo_set_str(struct json_out *j, const char *name, const char *text)
{
	if (!text)
		return;
	jo_key(j, name);
	jo_str(j, str_of(text));
}

void jo_set_int(struct json_out *j, const char *name, int64_t value)
{
	jo_key(j, name);
	jo_int(j, value);
}

void jo_set_bool(struct json_out *j, const char *name, bool value)
{
	jo_key(j, name);
	jo_bool(j, value);
}

void jo_set_raw(struct json_out *j, const char *name, struct str json)
{
	if (!json.p)
		return;
	jo_key(j, name);
	jo_raw(j, json);
}

struct str json_inside(struct str json)
{
	assert(json.n >= 2);
	return (struct str){json.p + 1, json.n - 2};
}

/* The position after the closing quote; NULL: the string does not end. */
static const char *string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return p < end ? p + 1 : NULL;
}

/* The end of the value that begins at p; NULL: it does not end. */
static const char *value_end(const char *p, const char *end)
{
	int depth = 0;

	while (p < end) {
		if (depth == 0 && *p == ',')
			return p;
		if (*p == '"') {
			p = string_end(p, end);
			if (!p)
				return NULL;
			continue;
		}
		depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
		p++;
	}
	return depth == 0 ? end : NULL;
}

bool json_item_next(struct str *inside, struct str *item)
{
	const char *end, *after;

	if (inside->n == 0) /* p may be NULL */
		return false;
	end = inside->p + inside->n;
	after = value_end(inside->p, end);
	if (!after || after == inside->p)
		return false;
	*item = (struct str){inside->p, (size_t)(after - inside->p)};
	after += after < end;
	*inside = (struct str){after, (size_t)(end - after)};
	return true;
}

bool json_member(struct str object, const char *name, struct str *value)
{
	size_t n = strlen(name);
	struct str inside = json_inside(object);
	struct str member;

	while (json_item_next(&inside, &member)) {
		if (member.n < n + 3 || strncmp(member.p + 1, name, n) != 0 ||
		    strncmp(member.p + 1 + n, "\":", 2) != 0)
			continue;
		*value = (struct str){member.p + n + 3, member.n - n - 3};
		return true;
	}
	return false;
}
