/*
 * In a plain head, every line is "name:", blanks, a value and CR LF (both overwritten with zeros by
 * the parser). The next line follows immediately, and an empty line ends the head. If a version of
 * the library parsed differently, every head would fail this check: requests would be refused, not
 * trusted.
 */
#include <microhttpd.h>

#include "head_layout.h"

#include <string.h>

#define LINE_END 2 /* CR LF */

struct layout {
	const char *next; /* where the next line must begin */
	bool is_malformed;
};

static bool has_control(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
			return true;
	return false;
}

static enum MHD_Result on_header(void *owner, enum MHD_ValueKind kind, const char *name,
				 const char *value)
{
	struct layout *l = owner;

	(void)kind;
	if (l->is_malformed || name != l->next || !value || has_control(value)) {
		l->is_malformed = true;
		return MHD_NO;
	}
	name += strlen(name) + 1;
	name += strspn(name, " \t");
	if (name != value)
		l->is_malformed = true;
	l->next = value + strlen(value) + LINE_END;
	return MHD_YES;
}

bool head_is_plain(struct MHD_Connection *connection, const char *method, const char *version,
		   size_t size)
{
	struct layout l = {.next = version + strlen(version) + LINE_END};

	MHD_get_connection_values(connection, MHD_HEADER_KIND, on_header, &l);
	return !l.is_malformed && l.next + LINE_END == method + size;
}
