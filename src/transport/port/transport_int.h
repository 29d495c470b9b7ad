/* What the files of the transport share: the port itself and the count of its connections. */
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
	size_t signed_in_places;
	struct seats *admin_seats; /* so that probes are answered however crowded that is */

	uint8_t cursor_key[32];   /* seals cursors */
	struct list pending_keys; /* keys on their way to the store whose requests are gone
				     (idempotency.c) */
	struct list downloads;    /* whole results that are being read or sent (http_views.c) */

	int64_t origin_told_ms; /* when the log last named a refused origin; 0: never */

	struct timer *leave; /* NULL: this process accepts connections */
	int64_t leave_until_ms;
	struct timer *drain_look; /* is everybody gone yet? */
	int64_t drain_until_ms;
	void (*drained)(void *owner);
	void *drain_owner;
};

#endif
