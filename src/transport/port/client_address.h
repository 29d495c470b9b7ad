/*
 * The address that a connection is counted under: the peer's, or the client address that a trusted
 * proxy forwards. Pure.
 */
#ifndef VESPER_CLIENT_ADDRESS_H
#define VESPER_CLIENT_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "vesper/err.h"
#include "vesper/str.h"

/* IPv4 in its mapped form (::ffff:a.b.c.d), so that both families compare alike. */
struct net_address {
	uint8_t bytes[16];
};

struct net_range {
	struct net_address base;
	unsigned bits;
};

/* Returns false for an address that is not IP. */
bool net_address_of(const struct sockaddr *from, struct net_address *out);
/* "192.0.2.7", "192.0.2.7:1234", "2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:1234". */
bool net_address_parse(struct str text, struct net_address *out);
/* The key that connections are counted under: the whole IPv4 address, or the /64 of an IPv6
 * address, because one customer usually has a whole /64. Points into *a. */
struct str net_address_key(const struct net_address *a);

/* "10.0.0.0/8", "2001:db8::/32", or one address. ERR_INPUT: the text is neither; the error names
 * the fault. */
MUST_CHECK bool net_range_parse(const char *text, struct net_range *out, struct err *e);
bool net_range_has(const struct net_range *ranges, size_t count, const struct net_address *a);

/* Finds the client that trusted proxies name: the last address in the list that is not a proxy's.
 * `list` is the value of X-Forwarded-For, `forwarded` that of Forwarded (RFC 7239); each may be
 * empty. Returns false when neither can be read, or when they disagree, since the client may have
 * forged one. */
bool forwarded_client(const struct net_range *proxies, size_t count, struct str list,
		      struct str forwarded, struct net_address *out);

#endif
