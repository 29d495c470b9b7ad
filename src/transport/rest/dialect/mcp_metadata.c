/* Tells clients of the MCP server where to get a token (RFC 9728). Needs no token. */
#include "rest/http_route.h"

#include <string.h>

#include "vesper/json.h"

/* An issuer with a placeholder is omitted, since only a token fills the placeholder. */
static json_t *issuers(const char *issuer)
{
	return *issuer && !strchr(issuer, '{') ? json_list_of(json_str(issuer)) : NULL;
}

void on_get_resource_metadata(struct request *r)
{
	const struct transport_settings *s = r->transport->settings;
	json_t *body;

	if (!*s->public_url) {
		reply_problem(r, CODE_NOT_FOUND, "server.public_url is not set.");
		return;
	}
	body = json_object();
	json_set_str(body, "resource", arena_printf(r->arena, "%s/mcp", s->public_url));
	json_set_take(body, "authorization_servers", issuers(s->issuer));
	if (s->scopes && s->scopes[0])
		json_set_take(body, "scopes_supported", json_texts(s->scopes));
	json_set_take(body, "bearer_methods_supported", json_list_of(json_str("header")));
	json_set_str(body, "resource_name", "Vesper");
	reply_json(r, 200, body);
}
