/* Converts "host:port" to a bound socket and back. Host names are not resolved: a listening address
 * must be numeric. */
#include "address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vesper/str.h"
#include "vesper/transport.h"

#define BACKLOG 4096 /* the kernel limits it to somaxconn */

/* getaddrinfo accepts 99999 and truncates it to 16 bits. */
static bool is_port(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n > 0 && n <= 5 && text[n] == '\0' && strtol(text, NULL, 10) <= UINT16_MAX;
}

static bool address_split(const char *address, char host[64], char port[8], struct err *e)
{
	const char *colon = strrchr(address, ':');
	const char *from = address;
	const char *to = colon;

	if (colon && *address == '[') {
		from++;
		to = colon - 1;
		if (to < from || *to != ']')
			colon = NULL;
	}
	if (!colon || to - from >= 64 || !is_port(colon + 1))
		return err_set(e, ERR_INPUT,
			       "listen address '%s': must be host:port, such as 127.0.0.1:8080 or "
			       "[::]:8080",
			       address);
	snprintf(host, 64, "%.*s", (int)(to - from), from);
	snprintf(port, 8, "%s", colon + 1);
	return true;
}

static bool socket_bind(int fd, const struct addrinfo *info)
{
	int one = 1;
	int zero = 0;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (info->ai_family == AF_INET6) /* "[::]" serves both families */
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	return bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0;
}

bool address_listen(const char *address, int *out, struct err *e)
{
	const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
				       .ai_socktype = SOCK_STREAM};
	struct addrinfo *info;
	char host[64];
	char port[8];
	bool bound;
	int fd;
	int rc;

	if (!address_split(address, host, port, e))
		return false;
	rc = getaddrinfo(*host ? host : NULL, port, &hints, &info);
	if (rc != 0)
		return err_set(e, ERR_INPUT, "listen address '%s': %s", address, gai_strerror(rc));
	fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bound = fd >= 0 && socket_bind(fd, info);
	rc = errno;
	freeaddrinfo(info);
	if (bound) {
		*out = fd;
		return true;
	}
	if (fd >= 0)
		close(fd);
	return err_set(e, ERR_INPUT, "cannot listen on %s: %s%s", address, strerror(rc),
		       rc == EADDRINUSE ? " (another address: VESPER_LISTEN=127.0.0.1:18080)" : "");
}

void address_of(int fd, char out[ADDRESS_BYTES])
{
	struct sockaddr_storage bound;
	socklen_t len = sizeof(bound);
	char host[80], port[8];

	snprintf(out, ADDRESS_BYTES, "?");
	if (getsockname(fd, (struct sockaddr *)&bound, &len) != 0 ||
	    getnameinfo((struct sockaddr *)&bound, len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return;
	snprintf(out, ADDRESS_BYTES, bound.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

/* Listening addresses are numeric, so these prefixes cover all loopback addresses. */
bool transport_is_loopback(const char *address)
{
	return str_starts(str_of(address), STR("127.")) ||
	       str_starts(str_of(address), STR("[::1]:"));
}
