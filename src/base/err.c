/*
 * Fills errors in one place, so that every failing line reads `return err_set(e, ...)`. Texts are
 * truncated between characters, because some of them end up in JSON.
 */
#include "vesper/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vesper/utf8.h"

__attribute__((format(printf, 4, 0))) static void
err_fill(struct err *e, enum err_code code, bool may_retry, const char *fmt, va_list args)
{
	assert(code != ERR_NONE);
	if (!e)
		return;
	/* Formatted separately: an argument may be the text of this error. */
	char text[sizeof(e->text)];
	int n = vsnprintf(text, sizeof(text), fmt, args);
	size_t len = n < 0 ? 0 : (size_t)n;
	if (len >= sizeof(text))
		len = utf8_complete_bytes(text, sizeof(text) - 1);
	memset(e, 0, sizeof(*e));
	e->code = code;
	e->may_retry = may_retry;
	memcpy(e->text, text, len);
}

bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	err_fill(e, code, false, fmt, args);
	va_end(args);
	return false;
}

bool err_set_retry(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	err_fill(e, code, true, fmt, args);
	va_end(args);
	return false;
}

bool err_prefix(struct err *e, const char *fmt, ...)
{
	if (!e)
		return false;
	char prefix[sizeof(e->text)];
	va_list args;
	va_start(args, fmt);
	vsnprintf(prefix, sizeof(prefix), fmt, args);
	va_end(args);

	char text[2 * sizeof(e->text) + 2];
	int n = snprintf(text, sizeof(text), "%s: %s", prefix, e->text);
	size_t len = utf8_cut(text, n < 0 ? 0 : (size_t)n, sizeof(e->text) - 1);
	memcpy(e->text, text, len);
	e->text[len] = '\0';
	return false;
}

const char *err_code_name(enum err_code code)
{
	static const char *const names[] = {
		[ERR_NONE] = "none",           [ERR_INPUT] = "input",
		[ERR_AUTH] = "auth",           [ERR_DENIED] = "denied",
		[ERR_NOT_FOUND] = "not_found", [ERR_BUSY] = "busy",
		[ERR_LIMIT] = "limit",         [ERR_TIMEOUT] = "timeout",
		[ERR_QUOTA] = "quota",         [ERR_UPSTREAM] = "upstream",
		[ERR_CANCELLED] = "cancelled", [ERR_INTERNAL] = "internal",
		[ERR_OVERLOAD] = "overload",
	};
	assert((size_t)code < sizeof(names) / sizeof(names[0]));
	return names[code];
}
