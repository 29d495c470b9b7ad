/*
 * An origin is allowed exactly or not at all: no patterns, no "*", no credentials mode. Tokens come
 * in a header, so a page that may not read answers can do no harm by asking.
 */
#include "cors.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

bool cors_origin_allowed(const struct transport *t, const char *origin, const char *host)
{
	const char *const *allowed = t->settings->origins;
	const char *own = origin ? strstr(origin, "://") : NULL;

	if (!origin || (own && host && strcasecmp(own + 3, host) == 0))
		return true;
	for (; allowed && *allowed; allowed++)
		if (strcasecmp(*allowed, origin) == 0)
			return true;
	return false;
}

bool cors_host_is_local(const struct transport *t, const char *host)
{
	const char *const *allowed = t->settings->origins;
	size_t name = host ? strcspn(host, ":") : 0;
	char address[INET_ADDRSTRLEN] = "";
	struct in_addr any;

	if (!host || *host == '[')
		return host;
	if (name < sizeof(address))
		memcpy(address, host, name);
	if (inet_pton(AF_INET, address, &any) == 1 || strcasecmp(address, "localhost") == 0)
		return true;
	for (; allowed && *allowed; allowed++) {
		const char *own = strstr(*allowed, "://");

		if (own && strcasecmp(own + 3, host) == 0)
			return true;
	}
	return false;
}

static bool asks_from_elsewhere(const struct request *r)
{
	const char *origin = request_header(r, "Origin");

	return origin && cors_origin_allowed(r->transport, origin, request_header(r, "Host"));
}

/* The page's files say themselves who may have them. */
static bool is_decided(const struct request *r)
{
	for (size_t i = 0; i < r->header_count; i++)
		if (strcmp(r->headers[i].name, "Access-Control-Allow-Origin") == 0)
			return true;
	return false;
}

void cors_add(struct request *r)
{
	if (!asks_from_elsewhere(r) || is_decided(r))
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
	if (asks_from_elsewhere(r)) {
		reply_header(r, "Access-Control-Allow-Methods", methods);
		reply_header(r, "Access-Control-Allow-Headers",
			     "Authorization, Content-Type, Idempotency-Key, If-Match, "
			     "Last-Event-ID, X-Request-Id");
		reply_header(r, "Access-Control-Max-Age", "600");
	}
	reply_empty(r, 204);
}
