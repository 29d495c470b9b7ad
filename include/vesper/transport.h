/*
 * The public port: its first bytes decide between libwebsockets (/ws/…) and libmicrohttpd (all
 * else), both on the one loop. Every answer is a projection of a turn's event log or of the store;
 * there is no logic of chat in here.
 */
#ifndef VESPER_TRANSPORT_H
#define VESPER_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/config.h"
#include "vesper/err.h"
#include "vesper/identity.h"
#include "vesper/loop.h"
#include "vesper/pbi.h"
#include "vesper/settings.h"
#include "vesper/signin.h"
#include "vesper/store.h"
#include "vesper/stream.h"
#include "vesper/turn.h"
#include "vesper/upload.h"

struct transport;

/* A request goes by those of the moment in which they are asked for. */
/* Wire formats of other clients; docs/dialects.md. */
enum client_dialect { CLIENT_AI = 1, CLIENT_AGUI = 2, CLIENT_OPENAI = 4, CLIENT_MCP = 8 };

struct transport_settings {
	struct settings base;
	const char *const *origins;     /* browsers' origins that may open sockets; NULL-ended; same
					   origin is always fine */
	const char *const *frame_hosts; /* that the page shows reports from; NULL-ended, or NULL */
	/* Connections; 0: no limit. */
	size_t per_address; /* without a user, of one address */
	size_t per_user;
	size_t per_tenant;   /* 0: half of the places where there are several tenants */
	bool hide_existence; /* a report that the caller may not see is reported as nonexistent */
	unsigned dialects;   /* that are served */
	bool aliases;        /* addresses without a version are served, too */
	bool allow_query_token;
	bool first_frame_always; /* also without an Origin a socket may authenticate by its first
				    frame */
	/* For clients that look for a token. */
	const char *public_url;    /* this port as they reach it, without a path; "": not said */
	const char *issuer;        /* of tokens; "": not said */
	const char *const *scopes; /* of tokens for this interface; NULL-ended */
};
/* The arena is the settings' from now on, also where they can't be read: ERR_INPUT, with the key.
 */
MUST_CHECK bool transport_settings_read(const struct config *c, struct arena *take,
					struct transport_settings **out, struct err *e);

/* Sockets that listen already; -1: none. Those that are used are the transport's own. */
struct sockets {
	int listen, admin;
};

struct transport_options {
	struct loop *loop;
	struct sockets sockets;   /* instead of the addresses */
	const char *listen;       /* "127.0.0.1:8080", "[::]:8080" */
	const char *admin_listen; /* "" : none; serves /livez /readyz /health /metrics only */
	const char *const *trusted_proxies; /* addresses and ranges; NULL-ended, or NULL: none */
	size_t tenant_count;
	bool echo;                 /* /ws/echo */
	bool demo;                 /* POST /api/v1/demo/login and the page */
	const char *cursor_secret; /* seals list cursors, the same for all replicas; NULL or "": a
				      random one, so that cursors end with the process */
	struct identity *identity;
	struct signin *signin; /* NULL: no page to sign in at */
	struct stream_hub *streams;
	struct store *store;
	struct turns *turns;
	const struct transport_settings *settings; /* held */
	struct uploads *uploads;                   /* NULL: users bring no data of their own */
	struct pbi *pbi; /* held; NULL: reports can't be opened here, answers only link */
	/* A tool was switched for this tenant: called once it is stored, in force when it returns.
	 */
	void (*switched)(void *owner, const char *tenant, const struct tool_switch *change);
	void *switch_owner;
	/* An approved answer was added, edited or deleted: called once it is stored. */
	void (*flows_changed)(void *owner, const char *tenant);
	void *flows_owner;
	/* What may be spent now, on models; or NULL. */
	const struct budget_settings *(*budget)(void *owner);
	void *budget_owner;
	/* Feedback was given: called once it is stored. Or NULL. */
	void (*feedback_given)(void *owner, const struct feedback *feedback);
	void *feedback_owner;
};

/* Binds and listens. ERR_INPUT names the address that could not be bound, or the proxy that is no
 * address, and why. */
MUST_CHECK bool transport_open(const struct transport_options *options, struct transport **out,
			       struct err *e);
/* From now on; connections that are open stay, whatever the limits. */
void transport_use(struct transport *t, const struct transport_settings *settings, struct pbi *pbi);
/* The bound address, with the port the system chose for ":0". */
const char *transport_address(const struct transport *t);

/* Borrowed. */
struct sockets transport_sockets(const struct transport *t);
/* Another process accepts from now on: connections that are here are served, requests are their
 * connection's last, and WebSockets without a running turn are closed with 1012, not all at once
 * but within that time, and later as their turns end. */
void transport_leave(struct transport *t, int64_t within_ms);
/* No new connections; sockets are closed with 1012, then `done` is called. */
void transport_drain(struct transport *t, void (*done)(void *owner), void *owner);
void transport_close(struct transport **t);

/* Whether only this machine reaches a listening address ("127.0.0.1:8080"). Any thread. */
bool transport_is_loopback(const char *address);

#endif
