/* Maps values and columns to ODBC types. Each value is bound with its exact type, never as text
 * that the server would have to convert. */
#include "db_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/utf8.h"

#define WIDE_UNITS       4000 /* one size for all shorter texts, so that the server reuses its plans */
#define WIDE_REPLACEMENT 0xFFFD

static size_t utf8_step(const char *text, size_t length, uint32_t *code)
{
	static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	size_t n = 1;

	while (n <= 4 && n <= length && !utf8_valid(text, n))
		n++;
	if (n > 4 || n > length) {
		*code = WIDE_REPLACEMENT;
		return 1;
	}
	*code = (unsigned char)text[0] & masks[n];
	for (size_t i = 1; i < n; i++)
		*code = *code << 6 | ((unsigned char)text[i] & 0x3F);
	return n;
}

SQLWCHAR *db_wide_from(struct arena *a, const char *text, size_t *units)
{
	size_t length = strlen(text);
	SQLWCHAR *wide = arena_alloc(a, (length + 1) * sizeof(*wide)); /* units <= bytes */
	size_t n = 0;

	for (size_t i = 0; i < length;) {
		uint32_t code;

		i += utf8_step(text + i, length - i, &code);
		if (code >= 0x10000) {
			wide[n++] = (SQLWCHAR)(0xD800 + ((code - 0x10000) >> 10));
			code = 0xDC00 + ((code - 0x10000) & 0x3FF);
		}
		wide[n++] = (SQLWCHAR)code;
	}
	*units = n;
	return wide;
}

static char *utf8_append(char *p, uint32_t code)
{
	if (code < 0x80) {
		*p++ = (char)code;
		return p;
	}
	if (code < 0x800) {
		*p++ = (char)(0xC0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*p++ = (char)(0xE0 | code >> 12);
		} else {
			*p++ = (char)(0xF0 | code >> 18);
			*p++ = (char)(0x80 | (code >> 12 & 0x3F));
		}
		*p++ = (char)(0x80 | (code >> 6 & 0x3F));
	}
	*p++ = (char)(0x80 | (code & 0x3F));
	return p;
}

static bool in_range(SQLWCHAR unit, SQLWCHAR first, SQLWCHAR last)
{
	return unit >= first && unit <= last;
}

size_t db_wide_to(const SQLWCHAR *wide, size_t units, char *out)
{
	char *p = out;

	for (size_t i = 0; i < units; i++) {
		uint32_t code = wide[i];

		if (in_range(wide[i], 0xD800, 0xDBFF) && i + 1 < units &&
		    in_range(wide[i + 1], 0xDC00, 0xDFFF)) {
			code = 0x10000 + ((code - 0xD800) << 10) + (wide[i + 1] - 0xDC00U);
			i++;
		} else if (in_range(wide[i], 0xD800, 0xDFFF)) {
			code = WIDE_REPLACEMENT;
		}
		p = utf8_append(p, code);
	}
	return (size_t)(p - out);
}

static void bind_text(const struct value *v, struct arena *a, bool wide,
		      enum db_long_text long_text, struct bound *out)
{
	size_t n = strlen(v->text);

	out->data = v->text;
	out->length = (SQLLEN)n;
	if (wide) {
		out->data = db_wide_from(a, v->text, &n);
		out->length = (SQLLEN)(n * sizeof(SQLWCHAR));
		out->c_type = SQL_C_WCHAR;
		out->sql_type = SQL_WVARCHAR;
	}
	if (n <= WIDE_UNITS) {
		out->size = WIDE_UNITS;
	} else if (wide && long_text == DB_LONG_BY_SIZE) {
		out->size = 0;
	} else {
		out->size = n;
		out->sql_type = wide ? SQL_WLONGVARCHAR : SQL_VARCHAR;
	}
}

static void bind_decimal(const struct value *v, struct bound *out)
{
	const char *point = strchr(v->text, '.');
	size_t digits = strspn(v->text + strcspn(v->text, "0123456789"), "0123456789");
	size_t fraction = point ? strlen(point + 1) : 0;

	out->sql_type = SQL_DECIMAL;
	out->data = v->text;
	out->length = (SQLLEN)strlen(v->text);
	out->size = digits + fraction;
	out->digits = (SQLSMALLINT)fraction;
}

static void bind_date(const struct value *v, struct bound *out)
{
	int year = 0;
	int month = 0;
	int day = 0;

	/* An invalid date stays 0-0-0 and is refused by the driver. */
	if (sscanf(v->text, "%4d-%2d-%2d", &year, &month, &day) == 3)
		out->date = (SQL_DATE_STRUCT){(SQLSMALLINT)year, (SQLUSMALLINT)month,
					      (SQLUSMALLINT)day};
	out->c_type = SQL_C_TYPE_DATE;
	out->sql_type = SQL_TYPE_DATE;
	out->size = 10;
	out->data = &out->date;
	out->length = sizeof(out->date);
}

void db_bind(const struct value *v, struct arena *a, bool wide, enum db_long_text long_text,
	     struct bound *out)
{
	*out = (struct bound){
		.c_type = SQL_C_CHAR, .sql_type = SQL_VARCHAR, .size = 1, .length = SQL_NULL_DATA};
	switch (v->type) {
	case VALUE_NULL:
		if (wide)
			out->sql_type = SQL_WVARCHAR;
		return;
	case VALUE_TEXT:
		bind_text(v, a, wide, long_text, out);
		return;
	case VALUE_DATE:
		bind_date(v, out);
		return;
	case VALUE_DECIMAL:
		bind_decimal(v, out);
		return;
	case VALUE_INT:
		out->number = v->number;
		out->c_type = SQL_C_SBIGINT;
		out->sql_type = SQL_BIGINT;
		out->size = 19;
		out->data = &out->number;
		out->length = sizeof(out->number);
		return;
	case VALUE_BOOL:
		out->bit = v->number != 0;
		out->c_type = SQL_C_BIT;
		out->sql_type = SQL_BIT;
		out->data = &out->bit;
		out->length = sizeof(out->bit);
		return;
	}
	abort(); /* no other type exists */
}

enum column_type db_column_type(SQLSMALLINT sql_type)
{
	switch (sql_type) {
	case SQL_TINYINT:
	case SQL_SMALLINT:
	case SQL_INTEGER:
	case SQL_BIGINT:
		return COLUMN_INT;
	case SQL_NUMERIC:
	case SQL_DECIMAL:
	case SQL_REAL:
	case SQL_FLOAT:
	case SQL_DOUBLE:
		return COLUMN_DECIMAL;
	case SQL_BIT:
		return COLUMN_BOOL;
	case SQL_TYPE_DATE:
		return COLUMN_DATE;
	case SQL_TYPE_TIMESTAMP:
	case -155: /* datetimeoffset of SQL Server */
		return COLUMN_DATETIME;
	default:
		return COLUMN_TEXT;
	}
}
