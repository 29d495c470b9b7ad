/*
 * The program's only writer of jansson trees. jansson stores numbers as doubles, but an answer must
 * show 48.7300 as the database gave it. An exact decimal is therefore a string node with a private
 * mark, which this writer turns into a bare number. All input loses the mark, and text after a mark
 * must be a number in any case.
 */
#include "vesper/json.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base_int.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

#define EXACT_INT_MAX     INT64_C(9007199254740992) /* 2^53: beyond it a double skips integers */
#define EXACT_DIGITS_MAX  15                        /* this many digits survive any double */
#define DECIMAL_BYTES_MAX 100

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The grammar of RFC 8259, for the whole text. */
static bool is_json_number(const char *p)
{
	if (*p == '-')
		p++;
	if (!is_digit(*p) || (*p == '0' && is_digit(p[1])))
		return false;
	while (is_digit(*p))
		p++;
	if (*p == '.') {
		if (!is_digit(*++p))
			return false;
		while (is_digit(*p))
			p++;
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		if (!is_digit(*p))
			return false;
		while (is_digit(*p))
			p++;
	}
	return *p == '\0';
}

/* The shortest of three precisions that parses back to the same double; always with a point or an
 * exponent. */
static void buf_json_real(struct buf *b, double value)
{
	char text[40];
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(text, sizeof(text), "%.*g", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	buf_str(b, text);
	if (!strpbrk(text, ".e"))
		buf_str(b, ".0");
}

const char *json_decimal_text(const json_t *value)
{
	const char *text = json_string_value(value);
	if (!text || strncmp(text, JSON_DECIMAL_MARK, UTF8_MARK_BYTES) != 0)
		return NULL;
	text += UTF8_MARK_BYTES;
	return is_json_number(text) ? text : NULL;
}

static void buf_json_object(struct buf *b, const json_t *object)
{
	char before = '{';
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)object, key, value) {
		buf_char(b, before);
		buf_json_str(b, key, strlen(key));
		buf_char(b, ':');
		buf_json(b, value);
		before = ',';
	}
	buf_str(b, before == '{' ? "{}" : "}");
}

static void buf_json_array(struct buf *b, const json_t *array)
{
	buf_char(b, '[');
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (i)
			buf_char(b, ',');
		buf_json(b, json_array_get(array, i));
	}
	buf_char(b, ']');
}

void buf_json(struct buf *b, const json_t *value)
{
	const char *digits;
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		buf_json_object(b, value);
		return;
	case JSON_ARRAY:
		buf_json_array(b, value);
		return;
	case JSON_STRING:
		digits = json_decimal_text(value);
		if (digits)
			buf_str(b, digits);
		else
			buf_json_str(b, json_string_value(value), json_string_length(value));
		return;
	case JSON_INTEGER:
		buf_int(b, json_integer_value(value));
		return;
	case JSON_REAL:
		buf_json_real(b, json_real_value(value));
		return;
	case JSON_TRUE:
		buf_add(b, "true", 4);
		return;
	case JSON_FALSE:
		buf_add(b, "false", 5);
		return;
	case JSON_NULL:
		buf_add(b, "null", 4);
		return;
	}
}

char *json_text(const json_t *value)
{
	struct buf b;
	buf_init(&b, SIZE_MAX / 2);
	buf_json(&b, value);
	return buf_take(&b);
}

char *json_clean_text(const char *text, size_t len)
{
	struct buf b;
	buf_init(&b, SIZE_MAX / 2);
	while (len) {
		size_t n = utf8_char_bytes(text, len);
		if (n == 0 || *text == '\0' ||
		    (n == UTF8_MARK_BYTES && memcmp(text, JSON_DECIMAL_MARK, n) == 0))
			buf_add(&b, UTF8_REPLACEMENT, UTF8_MARK_BYTES);
		else
			buf_add(&b, text, n);
		n = n ? n : 1;
		text += n;
		len -= n;
	}
	return buf_take(&b);
}

json_t *json_strn(const char *text, size_t len)
{
	if (utf8_valid(text, len) && !memmem(text, len, JSON_DECIMAL_MARK, UTF8_MARK_BYTES) &&
	    !memchr(text, '\0', len))
		return json_stringn_nocheck(text, len);
	char *clean = json_clean_text(text, len);
	json_t *value = json_string_nocheck(clean);
	mem_free(clean);
	return value;
}

json_t *json_str(const char *text)
{
	return text ? json_strn(text, strlen(text)) : NULL;
}

json_t *json_int(int64_t value)
{
	if (value >= -EXACT_INT_MAX && value <= EXACT_INT_MAX)
		return json_integer(value);
	char text[24];
	snprintf(text, sizeof(text), "%" PRId64, value);
	return json_string_nocheck(text);
}

/* Converts ".5000", "-.5", "5." and "+1", as drivers print them, to JSON's grammar. False: not a
 * number. */
static bool decimal_normal(const char *digits, char out[DECIMAL_BYTES_MAX])
{
	size_t n = 0;
	if (*digits == '+' || *digits == '-') {
		if (*digits == '-')
			out[n++] = '-';
		digits++;
	}
	while (*digits == '0' && is_digit(digits[1]))
		digits++;
	if (*digits == '.' && is_digit(digits[1]))
		out[n++] = '0';
	for (; *digits; digits++) {
		if (n + 1 >= DECIMAL_BYTES_MAX)
			return false;
		if (*digits != '.' || is_digit(digits[1]))
			out[n++] = *digits;
	}
	out[n] = '\0';
	return is_json_number(out);
}

bool json_number_fits(const char *number)
{
	double value = fabs(strtod(number, NULL));
	size_t digits = strcspn(number, "eE");
	bool zero = strcspn(number, "123456789") >= digits;
	return zero || (value >= DBL_MIN && value <= DBL_MAX);
}

/* True when parsing as a double and printing gives the same value. */
static bool survives_double(const char *number)
{
	if (!json_number_fits(number))
		return false;
	if (!strpbrk(number, ".eE")) {
		errno = 0;
		long long value = strtoll(number, NULL, 10);
		return errno == 0 && value >= -EXACT_INT_MAX && value <= EXACT_INT_MAX;
	}
	int significant = 0;
	int zeros = 0; /* count only if another digit follows */
	for (const char *p = number; *p && *p != 'e' && *p != 'E'; p++) {
		if (!is_digit(*p))
			continue;
		if (*p == '0') {
			zeros += significant > 0;
			continue;
		}
		significant += zeros + 1;
		zeros = 0;
	}
	return significant <= EXACT_DIGITS_MAX;
}

json_t *json_decimal(const char *digits)
{
	char marked[UTF8_MARK_BYTES + DECIMAL_BYTES_MAX] = JSON_DECIMAL_MARK;
	char *number = marked + UTF8_MARK_BYTES;
	if (!decimal_normal(digits, number))
		return json_str(digits);
	return json_string_nocheck(survives_double(number) ? marked : number);
}

void buf_json_decimal(struct buf *b, const char *digits)
{
	char number[DECIMAL_BYTES_MAX];
	bool normal = decimal_normal(digits, number);
	const char *text = normal ? number : digits;
	if (normal && survives_double(number))
		buf_str(b, number);
	else
		buf_json_str(b, text, strlen(text));
}

void json_set_take(json_t *object, const char *name, json_t *value)
{
	if (!value)
		return;
	int failed = json_object_set_new_nocheck(object, name, value);
	assert(!failed); /* `object` is an object: input is checked before (json_opt_object) */
	(void)failed;
}

void json_push_take(json_t *array, json_t *value)
{
	int failed = json_array_append_new(array, value);
	assert(!failed);
	(void)failed;
}

json_t *json_make_members(const struct json_member *members, size_t count)
{
	json_t *object = json_object();
	for (size_t i = 0; i < count; i++)
		json_set_take(object, members[i].name, members[i].value_take);
	return object;
}

json_t *json_texts(const char *const *list)
{
	json_t *texts = json_array();

	for (; list && *list; list++)
		json_push_take(texts, json_str(*list));
	return texts;
}

json_t *json_list_of(json_t *value_take)
{
	json_t *list = json_array();
	json_push_take(list, value_take);
	return list;
}

void json_set_str(json_t *object, const char *name, const char *text)
{
	json_set_take(object, name, json_str(text));
}

void json_set_int(json_t *object, const char *name, int64_t value)
{
	json_set_take(object, name, json_int(value));
}

void json_set_bool(json_t *object, const char *name, bool value)
{
	json_set_take(object, name, json_boolean(value));
}
