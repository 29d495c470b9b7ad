/* State that the files of the transport share: the port and its connection counts. */
#ifndef VESPER_TRANSPORT_INT_H
#define VESPER_TRANSPORT_INT_H

#include "vesper/list.h"
#include "vesper/transport.h"

struct http_server;
struct listener;
struct net_range;
struct seats;
struct ws_server;

struct transport {
	struct transport_options options;
	const struct transport_settings *settings;
	struct pbi *pbi;
	struct listener *port;
	struct listener *admin_port; /* NULL: none */
	struct ws_server *ws;
	struct http_server *http;
	struct http_server *admin;
	struct net_range *proxies;
	struct seats *seats; /* of the public port */
	size_t signed_in_limit;
	struct seats *admin_seats; /* separate, so that probes are answered when the public port is
				      full */

	uint8_t cursor_key[32];   /* seals cursors */
	struct list pending_keys; /* idempotency keys being stored whose requests have ended
				     (idempotency.c) */
	struct list downloads;    /* full results being read or sent (http_views.c) */

	int64_t origin_logged_ms; /* time of the last log line about a refused origin; 0: none */

	struct timer *leave_timer; /* closes idle sockets; NULL: this process accepts connections */
	int64_t leave_deadline_ms;
	struct timer *drain_poll; /* polls until all connections are closed */
	int64_t drain_until_ms;
	void (*drained)(void *owner);
	void *drain_owner;
};

#endif
