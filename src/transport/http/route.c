/* Finds the route of a method and a path. */
#include <string.h>

#include "port/http_text.h"
#include "request.h"
#include "vesper/utf8.h"

/* Decodes the segment for a {}: any text except an empty one. */
static bool take_param(struct str segment, struct arena *a, const char **out)
{
	char *text = arena_strndup(a, segment.p, segment.n);

	if (!*text || !percent_decode(text) || !utf8_valid(text, strlen(text)))
		return false;
	*out = text;
	return true;
}

/* Compares segment by segment. */
static bool path_matches(const char *pattern, const char *path, struct arena *a,
			 const char *params[ROUTE_PARAMS_MAX])
{
	struct str pattern_rest = str_of(pattern);
	struct str path_rest = str_of(path);
	struct str expected;
	struct str segment;
	size_t n = 0;

	while (str_split(&pattern_rest, '/', &expected)) {
		if (!str_split(&path_rest, '/', &segment))
			return false;
		if (str_eq(expected, STR("{}")) ? !take_param(segment, a, &params[n++])
						: !str_eq(expected, segment))
			return false;
	}
	return path_rest.p == NULL;
}

static bool method_matches(const char *route, const char *method)
{
	return strcmp(route, method) == 0 ||
	       (strcmp(method, "HEAD") == 0 && strcmp(route, "GET") == 0);
}

static void allow_add(struct buf *allow, const char *method)
{
	if (strstr(buf_text(allow), method))
		return;
	buf_printf(allow, "%s%s%s", allow->n > 0 ? ", " : "", method,
		   strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

const struct http_route *route_find(const struct http_route *routes, const char *method,
				    const char *path, unsigned absent, struct arena *a,
				    const char *params[ROUTE_PARAMS_MAX], struct buf *allow)
{
	for (const struct http_route *route = routes; route->method; route++) {
		if ((route->flags & absent) || !path_matches(route->path, path, a, params))
			continue;
		if (method_matches(route->method, method))
			return route;
		allow_add(allow, route->method);
	}
	return NULL;
}
