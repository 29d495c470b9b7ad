/*
 * Users' corrections as expectations: finds numbers in a correction and checks whether the rows and
 * facts of a turn contain them. Wording is never compared.
 */
#include "correction.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/record.h"
#include "vesper/str.h"

#define NUMBER_BYTES 40

bool corrections_read(json_t *by_message, const char *text, struct err *e)
{
	struct str rest = str_of(text), one;

	while (str_split(&rest, '\n', &one)) {
		const char *message, *rating, *correction = "";
		json_t *line;
		bool ok;

		if (str_trim(one).n == 0)
			continue;
		if (!json_parse(one.p, one.n, LLM_REQUEST_BYTES_MAX, &line, e))
			return false;
		ok = json_get_str(line, "message_id", &message, e) &&
		     json_get_str(line, "rating", &rating, e) &&
		     json_opt_str(line, "correction", &correction, e);
		if (ok && strcmp(rating, "down") == 0 && *correction)
			json_set_str(by_message, message, correction);
		else if (ok)
			json_object_del(by_message, message);
		json_decref(line);
		if (!ok)
			return false;
	}
	return true;
}

void correction_apply(const json_t *by_message, json_t *line)
{
	const char *message = json_string_value(json_object_get(line, "message_id"));
	const json_t *correction = message ? json_object_get(by_message, message) : NULL;

	if (correction && !json_object_get(json_object_get(line, "expect"), "correction"))
		json_set_take(line, "expect",
			      json_make({"correction", json_incref((json_t *)correction)}));
}

/* ---- numbers ---- */

struct number {
	double value, half_unit; /* half a unit of its last decimal */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The next number of a text, except years and numbers within names (NP15, Q1_2025). */
static bool next_number(const char **at, const char *begin, struct number *out)
{
	for (const char *p = *at; *p; p++) {
		char digits[NUMBER_BYTES];
		size_t n = 0, decimals = 0;
		bool point = false;

		if (!isdigit((unsigned char)*p) || (p > begin && is_word(p[-1])))
			continue;
		for (; isdigit((unsigned char)*p) ||
		       ((*p == ',' || (*p == '.' && !point)) && isdigit((unsigned char)p[1]));
		     p++) {
			point = point || *p == '.';
			decimals += point && *p != '.';
			if (*p != ',' && n < sizeof(digits) - 1)
				digits[n++] = *p;
		}
		digits[n] = '\0';
		*at = p;
		*out = (struct number){strtod(digits, NULL), 0.5 * pow(10, -(double)decimals)};
		if (!is_word(*p) && (point || out->value < 1900 || out->value > 2100))
			return true;
		p--;
	}
	return false;
}

static bool matches_number(const struct number *n, const json_t *value)
{
	const char *text = json_string_value(value);
	char *end = NULL;
	double actual = text ? strtod(text, &end) : json_number_value(value);

	if (text ? end == text || *end : !json_is_number(value))
		return false;
	return fabs(fabs(actual) - n->value) <= n->half_unit * 1.000001;
}

static bool contains_number(const struct number *n, const json_t *value)
{
	const json_t *item;
	const char *name;
	json_t *member;
	size_t i;

	json_array_foreach(value, i, item)
		if (contains_number(n, item))
			return true;
	json_object_foreach((json_t *)value, name, member)
		if (contains_number(n, member))
			return true;
	return matches_number(n, value);
}

static bool is_found(const struct number *n, const json_t *got)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(got, "views"), i, item)
		if (contains_number(n, json_object_get(item, "data_dict")))
			return true;
	json_array_foreach(json_object_get(got, "facts"), i, item)
		if (matches_number(n, json_object_get(item, "value")))
			return true;
	return false;
}

static void push_text_take(json_t *list, char *text)
{
	json_push_take(list, json_str(text));
	mem_free(text);
}

void correction_compare(json_t *differences, const json_t *expect, const json_t *got)
{
	const char *correction = json_string_value(json_object_get(expect, "correction"));
	const char *at = correction;
	struct number n;
	size_t count = 0;

	while (correction && next_number(&at, correction, &n)) {
		count++;
		if (!is_found(&n, got))
			push_text_take(
				differences,
				mem_printf("correction: %.15g is not in any row or fact", n.value));
	}
	if (correction && count == 0 && json_object_size(expect) == 1)
		push_text_take(differences,
			       mem_printf("correction: \"%.*s\" contains no number; add other "
					  "expectations",
					  STR_CUT(correction, 200)));
}
