/* All addresses of the REST side on one screen. */
#include "http_route.h"

#include <string.h>

#define API  "/api/v1"
#define CHAT "chat:use"

const struct http_route public_routes[] = {
	{"POST", API "/chat", CHAT, ROUTE_BODY, on_post_chat},
	{"POST", API "/chat/stream", CHAT, ROUTE_BODY, on_post_chat_stream},
	{"GET", API "/sessions", CHAT, 0, on_get_sessions},
	{"GET", API "/sessions/{}/messages", CHAT, 0, on_get_session_messages},
	{"POST", API "/sessions/{}/messages", CHAT, ROUTE_BODY, on_post_session_message},
	{"GET", API "/turns/{}/events", CHAT, 0, on_get_turn_events},
	{"DELETE", API "/turns/{}", CHAT, 0, on_delete_turn},
	{"POST", API "/ws/tickets", CHAT, 0, on_post_ticket},
	{"GET", API "/tools", CHAT, 0, on_get_tools},
	{"POST", API "/demo/login", NULL, ROUTE_BODY | ROUTE_DEMO, on_demo_login},
	{"GET", "/livez", NULL, 0, on_livez},
	{"GET", "/readyz", NULL, 0, on_readyz},
	{"GET", "/health", NULL, 0, on_health},
	{"GET", "/", NULL, ROUTE_DEMO, on_asset},
	{"GET", "/app.js", NULL, ROUTE_DEMO, on_asset},
	{"GET", "/app.css", NULL, ROUTE_DEMO, on_asset},
	{"GET", "/favicon.svg", NULL, 0, on_asset},
	{"GET", "/widget.js", NULL, 0, on_asset},
	{"GET", "/assets/{}", NULL, 0, on_asset},
	{"GET", "/embed", NULL, 0, on_embed},
	{"GET", "/embed.js", NULL, 0, on_asset},
	{0},
};

const struct http_route admin_routes[] = {
	{"GET", "/livez", NULL, 0, on_livez},
	{"GET", "/readyz", NULL, 0, on_readyz},
	{"GET", "/health", NULL, 0, on_health},
	{"GET", "/metrics", NULL, 0, on_metrics},
	{0},
};

/* Segment by segment; a {} takes any segment that is not empty. */
static bool path_matches(const char *pattern, const char *path, struct arena *a,
			 const char *params[ROUTE_PARAMS_MAX])
{
	struct str pattern_rest = str_of(pattern);
	struct str path_rest = str_of(path);
	struct str want;
	struct str have;
	size_t n = 0;

	while (str_split(&pattern_rest, '/', &want)) {
		if (!str_split(&path_rest, '/', &have))
			return false;
		if (str_eq(want, STR("{}")) && have.n > 0)
			params[n++] = arena_strndup(a, have.p, have.n);
		else if (!str_eq(want, have))
			return false;
	}
	return path_rest.p == NULL;
}

static bool method_matches(const char *route, const char *method)
{
	return strcmp(route, method) == 0 ||
	       (strcmp(method, "HEAD") == 0 && strcmp(route, "GET") == 0);
}

const struct http_route *route_find(const struct http_route *routes, const char *method,
				    const char *path, bool demo, struct arena *a,
				    const char *params[ROUTE_PARAMS_MAX], struct buf *allow)
{
	for (const struct http_route *route = routes; route->method; route++) {
		if (((route->flags & ROUTE_DEMO) && !demo) ||
		    !path_matches(route->path, path, a, params))
			continue;
		if (method_matches(route->method, method))
			return route;
		if (!strstr(buf_text(allow), route->method)) {
			buf_str(allow, allow->n > 0 ? ", " : "");
			buf_str(allow, route->method);
		}
	}
	return NULL;
}
