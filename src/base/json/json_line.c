/* Finds the position of a value in a text, for errors that name a line. jansson stores no
 * positions, so a refused file is scanned once more. */
#include "vesper/json.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

/* The end of the string that begins at p. */
static const char *skip_string(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : p;
}

/* The end of the value that begins at p. */
static const char *skip_value(const char *p)
{
	int depth = 0;

	do {
		if (*p == '"') {
			p = skip_string(p);
			continue;
		}
		depth += *p == '{' || *p == '[';
		depth -= *p == '}' || *p == ']';
		p++;
	} while (*p && (depth > 0 || !strchr(",]} \t\r\n", *p)));
	return p;
}

/* The value of a member of the object at p, or NULL. Names with escapes are not found. */
static const char *find_member(const char *p, const char *name, size_t len)
{
	for (p = skip_space(p + 1); *p == '"'; p = skip_space(p + (*p == ','))) {
		const char *end = skip_string(p);
		bool found = (size_t)(end - p) == len + 2 && memcmp(p + 1, name, len) == 0;

		p = skip_space(end);
		p = skip_space(p + (*p == ':'));
		if (found)
			return p;
		p = skip_space(skip_value(p));
	}
	return NULL;
}

static const char *find_item(const char *p, long index)
{
	for (p = skip_space(p + 1); *p && *p != ']'; p = skip_space(p + (*p == ','))) {
		if (index-- == 0)
			return p;
		p = skip_space(skip_value(p));
	}
	return NULL;
}

int json_line(const char *text, const char *path)
{
	const char *at = skip_space(text), *next = at;
	int line = 1;

	while (*path && next) {
		size_t len = strcspn(path, ".[");

		at = next;
		if (*path == '[') {
			next = *at == '[' ? find_item(at, strtol(path + 1, NULL, 10)) : NULL;
			path += strcspn(path, "]");
			path += *path == ']';
		} else {
			next = *at == '{' ? find_member(at, path, len) : NULL;
			path += len;
		}
		path += *path == '.';
	}
	if (next)
		at = next;
	for (; text < at; text++)
		line += *text == '\n';
	return line;
}
