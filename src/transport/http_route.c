/* All addresses of the REST side on one screen. */
#include "http_route.h"

#include <string.h>

#include "http_text.h"
#include "vesper/utf8.h"

#define API   "/api/v1"
#define CHAT  "chat:use"
#define ADMIN "chat:admin"

const struct http_route public_routes[] = {
	{"POST", API "/chat", CHAT, ROUTE_BODY | ROUTE_REPEAT, on_post_chat, NULL},
	{"POST", API "/chat/stream", CHAT, ROUTE_BODY, on_post_chat_stream, NULL},
	{"GET", API "/sessions", CHAT, 0, on_get_sessions, "limit cursor q archived"},
	{"POST", API "/sessions", CHAT, ROUTE_BODY | ROUTE_REPEAT, on_post_session, NULL},
	{"GET", API "/sessions/{}", CHAT, 0, on_get_session, NULL},
	{"PATCH", API "/sessions/{}", CHAT, ROUTE_BODY, on_patch_session, NULL},
	{"DELETE", API "/sessions/{}", CHAT, 0, on_delete_session, NULL},
	{"GET", API "/sessions/{}/messages", CHAT, 0, on_get_session_messages, "limit cursor"},
	{"POST", API "/sessions/{}/messages", CHAT, ROUTE_BODY | ROUTE_REPEAT,
	 on_post_session_message, NULL},
	{"GET", API "/sessions/{}/export", CHAT, 0, on_get_session_export, "format"},
	{"POST", API "/messages/{}/feedback", CHAT, ROUTE_BODY | ROUTE_REPEAT, on_post_feedback,
	 NULL},
	{"GET", API "/messages/{}/views/{}/csv", CHAT, 0, on_get_view_csv, NULL},
	{"GET", API "/receipts/{}", CHAT, 0, on_get_receipt, NULL},
	{"GET", API "/turns/{}/events", CHAT, 0, on_get_turn_events, "after"},
	{"DELETE", API "/turns/{}", CHAT, 0, on_delete_turn, NULL},
	{"POST", API "/ws/tickets", CHAT, 0, on_post_ticket, NULL},
	{"POST", API "/reports/{}/embed", CHAT, 0, on_post_report_embed, NULL},
	{"GET", API "/tools", CHAT, 0, on_get_tools, NULL},
	{"GET", API "/admin/tools", ADMIN, 0, on_get_admin_tools, NULL},
	{"PUT", API "/admin/tools/{}/{}", ADMIN, ROUTE_BODY, on_put_admin_tool, NULL},
	{"DELETE", API "/admin/users/{}", ADMIN, 0, on_delete_admin_user, NULL},
	{"GET", API "/admin/feedback", ADMIN, 0, on_get_admin_feedback, "limit cursor rating"},
	{"POST", API "/demo/login", NULL, ROUTE_BODY | ROUTE_DEMO | ROUTE_LOCAL, on_demo_login,
	 NULL},
	{"GET", "/livez", NULL, 0, on_livez, NULL},
	{"GET", "/readyz", NULL, 0, on_readyz, NULL},
	{"GET", "/health", NULL, 0, on_health, NULL},
	{"GET", "/openapi.json", NULL, 0, on_get_openapi, NULL},
	{"GET", "/", NULL, ROUTE_DEMO, on_asset, NULL},
	{"GET", "/app.js", NULL, ROUTE_DEMO, on_asset, NULL},
	{"GET", "/app.css", NULL, ROUTE_DEMO, on_asset, NULL},
	{"GET", "/favicon.svg", NULL, 0, on_asset, NULL},
	{"GET", "/widget.js", NULL, 0, on_asset, NULL},
	{"GET", "/assets/{}", NULL, 0, on_asset, NULL},
	{"GET", "/embed", NULL, 0, on_embed, NULL},
	{"GET", "/embed.js", NULL, 0, on_asset, NULL},
	{0},
};

const struct http_route admin_routes[] = {
	{"GET", "/livez", NULL, 0, on_livez, NULL},
	{"GET", "/readyz", NULL, ROUTE_LOCAL, on_admin_readyz, NULL},
	{"GET", "/health", NULL, ROUTE_LOCAL, on_admin_health, NULL},
	{"GET", "/metrics", NULL, ROUTE_LOCAL, on_metrics, NULL},
	{0},
};

/* What stands for a {}: any text but none. */
static bool take_param(struct str segment, struct arena *a, const char **out)
{
	char *text = arena_strndup(a, segment.p, segment.n);

	if (!*text || !percent_decode(text) || !utf8_valid(text, strlen(text)))
		return false;
	*out = text;
	return true;
}

/* Segment by segment. */
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
		if (str_eq(want, STR("{}")) ? !take_param(have, a, &params[n++])
					    : !str_eq(want, have))
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
				    const char *path, bool demo, struct arena *a,
				    const char *params[ROUTE_PARAMS_MAX], struct buf *allow)
{
	for (const struct http_route *route = routes; route->method; route++) {
		if (((route->flags & ROUTE_DEMO) && !demo) ||
		    !path_matches(route->path, path, a, params))
			continue;
		if (method_matches(route->method, method))
			return route;
		allow_add(allow, route->method);
	}
	return NULL;
}
