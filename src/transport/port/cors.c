/*
 * An origin is allowed only by exact match: no patterns, no "*", no credentials mode. Tokens come
 * in a header, so a request whose answer the page cannot read does no harm.
 */
#include "cors.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "vesper/clock.h"
#include "vesper/log.h"
#include "vesper/str.h"

#define ORIGIN_BYTES_SHOWN 200
#define REFUSED_LOG_MS     10000 /* pages retry, and other clients may send without end */

/* Logs a refused origin, so that the operator who maintains auth.origins learns which one is
 * missing. */
static void log_refused_origin(struct transport *t, const char *origin)
{
	int64_t now_ms = clock_mono_ms();

	if (t->origin_logged_ms && now_ms - t->origin_logged_ms < REFUSED_LOG_MS)
		return;
	t->origin_logged_ms = now_ms;
	log_warn("origin.refused",
		 "a page of origin %.*s was refused; to allow it, add exactly this origin to "
		 "auth.origins",
		 STR_CUT(origin, ORIGIN_BYTES_SHOWN));
}

bool cors_origin_allowed(struct transport *t, const char *origin, const char *host)
{
	const char *const *allowed = t->settings->origins;
	const char *scheme_end = origin ? strstr(origin, "://") : NULL;

	if (!origin || (scheme_end && host && strcasecmp(scheme_end + 3, host) == 0))
		return true;
	for (; allowed && *allowed; allowed++)
		if (strcasecmp(*allowed, origin) == 0)
			return true;
	log_refused_origin(t, origin);
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
		const char *scheme_end = strstr(*allowed, "://");

		if (scheme_end && strcasecmp(scheme_end + 3, host) == 0)
			return true;
	}
	return false;
}
