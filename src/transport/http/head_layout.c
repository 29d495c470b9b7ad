/*
 * Every line of a plain head is "name:", blanks, a value and CR LF, of which both bytes are zero by
 * now, and the next one follows at once; the last one is followed by the empty line. A library that
 * lays a head out in another way makes every head odd: then requests are refused, never trusted.
 */
#include <microhttpd.h>

#include "head_layout.h"

#include <string.h>

#define LINE_END 2 /* CR LF */

struct layout {
	const char *next; /* where the next line must begin */
	bool odd;
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
	if (l->odd || name != l->next || !value || has_control(value)) {
		l->odd = true;
		return MHD_NO;
	}
	name += strlen(name) + 1;
	name += strspn(name, " \t");
	if (name != value)
		l->odd = true;
	l->next = value + strlen(value) + LINE_END;
	return MHD_YES;
}

bool head_is_plain(struct MHD_Connection *connection, const char *method, const char *version,
		   size_t size)
{
	struct layout l = {.next = version + strlen(version) + LINE_END};

	MHD_get_connection_values(connection, MHD_HEADER_KIND, on_header, &l);
	return !l.odd && l.next + LINE_END == method + size;
}
