/* Adds the headers that a page of another origin needs to read an answer. */
#include "cors_reply.h"

#include <string.h>

#include "port/cors.h"

static bool is_cross_origin(const struct request *r)
{
	const char *origin = request_header(r, "Origin");

	return origin && cors_origin_allowed(r->transport, origin, request_header(r, "Host"));
}

/* Assets of the page set this header themselves. */
static bool has_cors_header(const struct request *r)
{
	for (size_t i = 0; i < r->reply.header_count; i++)
		if (strcmp(r->reply.headers[i].name, "Access-Control-Allow-Origin") == 0)
			return true;
	return false;
}

void cors_add(struct request *r)
{
	if (!is_cross_origin(r) || has_cors_header(r))
		return;
	reply_header(r, "Access-Control-Allow-Origin", request_header(r, "Origin"));
	reply_header(r, "Access-Control-Expose-Headers",
		     "Date, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Link, ETag, "
		     "Location, Content-Disposition, Idempotency-Replayed, Result-Source, "
		     "Result-Time, Result-Rows, Result-Truncated, Result-Changed");
	reply_header(r, "Cross-Origin-Resource-Policy", "cross-origin");
}

void cors_preflight(struct request *r, const char *methods)
{
	reply_header(r, "Allow", methods);
	if (is_cross_origin(r)) {
		reply_header(r, "Access-Control-Allow-Methods", methods);
		reply_header(
			r, "Access-Control-Allow-Headers",
			"Authorization, Content-Type, Idempotency-Key, If-Match, "
			"Last-Event-ID, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name");
		reply_header(r, "Access-Control-Max-Age", "600");
	}
	reply_empty(r, 204);
}
