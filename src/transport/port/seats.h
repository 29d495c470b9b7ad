/*
 * How many connections there may be, and whose. A connection without a user never keeps anybody
 * out: when room gets short, for one address or for all, the one that has been quiet the longest is
 * ended for the newcomer. A connection with a user counts for that user and tenant, and is refused
 * beyond their share. Loop thread only.
 */
#ifndef VESPER_SEATS_H
#define VESPER_SEATS_H

#include <stdbool.h>
#include <stddef.h>

#include "client_address.h"
#include "vesper/metric.h"
#include "vesper/principal.h"

/* Connections that found no place. */
extern const struct metric seats_refused;

struct seats;
struct seat;

struct seats_limits {
	size_t strangers;                /* connections without a user */
	size_t signed_in;                /* and with one */
	size_t per_address;              /* strangers of one address; 0: no limit */
	size_t per_user;                 /* 0: no limit */
	size_t per_tenant;               /* 0: no limit */
	const struct net_range *proxies; /* borrowed, must outlive the seats */
	size_t proxy_count;
};

struct seats *seats_new(const struct seats_limits *limits);
/* Seats that are taken stay taken; only new connections are checked against them. */
void seats_use(struct seats *s, size_t per_address, size_t per_user, size_t per_tenant);
/* Every seat has been freed before. */
void seats_free(struct seats **s);

/* A seat for a connection that was just accepted; it may end another one by shutting its socket
 * down. The descriptor stays the caller's, who frees the seat before closing it. */
struct seat *seat_new(struct seats *s, int fd, const struct sockaddr *from);
void seat_free(struct seat **seat);

/* Whether the peer is a trusted proxy, so that requests say for whom they are. */
bool seat_is_proxied(const struct seat *seat);
/* The request under way came through proxies: `list` and `forwarded` as of forwarded_client. What
 * cannot be read counts for the proxy itself. */
void seat_forwarded(struct seat *seat, struct str list, struct str forwarded);

enum seat_answer {
	SEAT_GIVEN,
	SEAT_TOO_MANY, /* this user or tenant has its share */
	SEAT_FULL,     /* all places for users are taken, or this connection is just being ended */
};
/* The connection is used by this user from now on. */
enum seat_answer seat_sign_in(struct seat *seat, const struct principal *who);
/* It waits for its next request: nobody's, and the last one to be ended. */
void seat_quiet(struct seat *seat);

#endif
