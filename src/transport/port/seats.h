/*
 * Limits the number of connections. A connection without a user never blocks others: when an
 * address or the server is full, the one that was idle the longest is ended. A connection with a
 * user counts for that user and tenant, and is refused beyond their limits. Loop thread only.
 */
#ifndef VESPER_SEATS_H
#define VESPER_SEATS_H

#include <stdbool.h>
#include <stddef.h>

#include "client_address.h"
#include "vesper/metric.h"
#include "vesper/principal.h"

/* Connections that were refused because no seat was free. */
extern const struct metric seats_refused;

struct seats;
struct seat;

struct seats_limits {
	size_t unauthenticated; /* connections without a user */
	size_t signed_in;       /* connections with a user */
	size_t per_address;     /* connections without a user of one address; 0: no limit */
	size_t per_user;        /* 0: no limit */
	size_t per_tenant;      /* 0: no limit */
	const struct net_range *proxies; /* Borrowed; must outlive the seats */
	size_t proxy_count;
};

struct seats *seats_new(const struct seats_limits *limits);
/* Changes the limits. Existing seats stay; only new connections are checked. */
void seats_set_limits(struct seats *s, size_t per_address, size_t per_user, size_t per_tenant);
/* All seats must have been freed. */
void seats_free(struct seats **s);

/* Creates the seat of an accepted connection; this may end another connection by shutting its
 * socket down. The caller keeps the descriptor, and frees the seat before it closes the
 * descriptor. */
struct seat *seat_new(struct seats *s, int fd, const struct sockaddr *from);
void seat_free(struct seat **seat);

/* Returns true when the peer is a trusted proxy, so that the client's address comes with each
 * request. */
bool seat_is_proxied(const struct seat *seat);
/* Counts the current request for the client that the proxies name; `list` and `forwarded` as for
 * forwarded_client. If they cannot be read, it counts for the proxy. */
void seat_forwarded(struct seat *seat, struct str list, struct str forwarded);

enum seat_result {
	SEAT_ASSIGNED,
	SEAT_TOO_MANY, /* this user or tenant has reached its limit */
	SEAT_FULL,     /* all seats for users are taken, or this connection is being ended */
};
/* Assigns the connection to this user. */
enum seat_result seat_sign_in(struct seat *seat, const struct principal *who);
/* Marks the connection as idle between two requests: it has no user, and is the last to be
 * ended. */
void seat_idle(struct seat *seat);

#endif
