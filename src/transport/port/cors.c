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
