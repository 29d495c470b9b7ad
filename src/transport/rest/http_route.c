/* All addresses of the REST side on one screen. */
#include "http_route.h"

#define API   "/api/v1"
#define CHAT  "chat:use"
#define ADMIN "chat:admin"

const struct http_route public_routes[] = {
	{"POST", API "/chat", CHAT, ROUTE_BODY | ROUTE_IDEMPOTENT, on_post_chat, NULL},
	{"POST", API "/chat/stream", CHAT, ROUTE_BODY, on_post_chat_stream, NULL},
	{"GET", API "/sessions", CHAT, 0, on_get_sessions, "limit cursor q archived"},
	{"POST", API "/sessions", CHAT, ROUTE_BODY | ROUTE_IDEMPOTENT, on_post_session, NULL},
	{"GET", API "/sessions/{}", CHAT, 0, on_get_session, NULL},
	{"PATCH", API "/sessions/{}", CHAT, ROUTE_BODY, on_patch_session, NULL},
	{"DELETE", API "/sessions/{}", CHAT, 0, on_delete_session, NULL},
	{"GET", API "/sessions/{}/messages", CHAT, 0, on_get_session_messages, "limit cursor"},
	{"POST", API "/sessions/{}/messages", CHAT, ROUTE_BODY | ROUTE_IDEMPOTENT,
	 on_post_session_message, NULL},
	{"GET", API "/sessions/{}/export", CHAT, 0, on_get_session_export, "format"},
	{"POST", API "/messages/{}/feedback", CHAT, ROUTE_BODY | ROUTE_IDEMPOTENT, on_post_feedback,
	 NULL},
	{"GET", API "/messages/{}/views/{}/csv", CHAT, 0, on_get_view_csv, NULL},
	{"GET", API "/receipts/{}", CHAT, 0, on_get_receipt, NULL},
	{"GET", API "/turns/{}/events", CHAT, 0, on_get_turn_events, "after"},
	{"DELETE", API "/turns/{}", CHAT, 0, on_delete_turn, NULL},
	{"POST", API "/ws/tickets", CHAT, 0, on_post_ticket, NULL},
	{"POST", API "/reports/{}/embed", CHAT, 0, on_post_report_embed, NULL},
	{"GET", API "/tools", CHAT, 0, on_get_tools, NULL},
	{"GET", API "/tools/{}", CHAT, 0, on_get_tool, NULL},
	{"POST", API "/tools/{}", CHAT, ROUTE_BODY, on_post_tool, NULL},
	{"GET", API "/agents", CHAT, 0, on_get_agents, NULL},
	{"GET", API "/admin/tools", ADMIN, 0, on_get_admin_tools, NULL},
	{"PUT", API "/admin/tools/{}/{}", ADMIN, ROUTE_BODY, on_put_admin_tool, NULL},
	{"DELETE", API "/admin/users/{}", ADMIN, 0, on_delete_admin_user, NULL},
	{"GET", API "/admin/feedback", ADMIN, 0, on_get_admin_feedback, "limit cursor rating"},
	{"POST", API "/demo/login", NULL, ROUTE_BODY | ROUTE_DEMO | ROUTE_LOCAL, on_demo_login,
	 NULL},
	{"GET", "/api/tools", CHAT, ROUTE_ALIAS, on_get_tools, NULL},
	{"POST", "/api/tools/{}", CHAT, ROUTE_BODY | ROUTE_ALIAS, on_post_tool, NULL},
	{"GET", "/api/health", NULL, ROUTE_ALIAS, on_health, NULL},
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
