/*
 * The public port. A connection's first bytes select libwebsockets (/ws/…) or libmicrohttpd
 * (everything else); both run on the one loop. Every response is a projection of a turn's event
 * log or of the store; there is no chat logic here.
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

/* Wire formats of other clients; see docs/dialects.md. */
enum client_dialect { CLIENT_AI = 1, CLIENT_AGUI = 2, CLIENT_OPENAI = 4, CLIENT_MCP = 8 };

/* A request uses the settings in effect when it reads them. */
struct transport_settings {
	struct settings base;
	const char *const *origins; /* origins that may open sockets; NULL-ended; the same origin is
				       always allowed */
	const char *const
		*frame_hosts; /* hosts of reports shown in the page; NULL-ended; or NULL */
	/* Connection limits; 0: none. */
	size_t per_address; /* per address, without a user */
	size_t per_user;
	size_t per_tenant;   /* 0: half of the connections if there are several tenants */
	bool hide_existence; /* reports that the caller may not see are reported as nonexistent */
	unsigned dialects;   /* the dialects served; bits of enum client_dialect */
	bool aliases;        /* addresses without a version are served too */
	bool allow_query_token;
	bool first_frame_always; /* a socket without an Origin may also authenticate by its first
				    frame */
	/* For clients that need to get a token. */
	const char *public_url;    /* public address of this port, without a path; "": unknown */
	const char *issuer;        /* issuer of tokens; "": unknown */
	const char *const *scopes; /* scopes of tokens for this interface; NULL-ended */
};
/* Takes ownership of the arena, even on failure. ERR_INPUT: a setting is invalid; the error names
 * its key. */
MUST_CHECK bool transport_settings_read(const struct config *c, struct arena *take,
					struct transport_settings **out, struct err *e);

/* Listening sockets; -1: none. The transport takes ownership of those it uses. */
struct sockets {
	int listen, admin;
};

struct transport_options {
	struct loop *loop;
	struct sockets sockets;   /* used instead of the addresses */
	const char *listen;       /* "127.0.0.1:8080", "[::]:8080" */
	const char *admin_listen; /* "": none; serves only /livez /readyz /health /metrics */
	const char *const *trusted_proxies; /* addresses and ranges; NULL-ended, or NULL: none */
	size_t tenant_count;
	bool echo;                 /* /ws/echo */
	bool demo;                 /* POST /api/v1/demo/login and the page */
	const char *cursor_secret; /* seals list cursors, equal on all replicas; NULL or "": random,
				      so cursors expire with the process */
	struct identity *identity;
	struct signin *signin; /* NULL: no sign-in by browser */
	struct stream_hub *streams;
	struct store *store;
	struct turns *turns;
	const struct transport_settings *settings; /* keeps a reference */
	struct uploads *uploads;                   /* NULL: no uploads */
	struct pbi *pbi; /* keeps a reference; NULL: answers only link to reports */
	/* Called after a tool switch of this tenant was stored; effective on return. */
	void (*switched)(void *owner, const char *tenant, const struct tool_switch *change);
	void *switch_owner;
	/* Called after an approved answer was added, edited or deleted in the store. */
	void (*flows_changed)(void *owner, const char *tenant);
	void *flows_owner;
	/* The current budget of model costs; or NULL. */
	const struct budget_settings *(*budget)(void *owner);
	void *budget_owner;
	/* Called after feedback was stored; or NULL. */
	void (*feedback_given)(void *owner, const struct feedback *feedback);
	void *feedback_owner;
};

/* Binds and listens. ERR_INPUT: an address cannot be bound, or a trusted proxy is invalid; the
 * error says which, and why. */
MUST_CHECK bool transport_open(const struct transport_options *options, struct transport **out,
			       struct err *e);
/* Replaces settings and pbi. Open connections stay, even above the new limits. */
void transport_apply_settings(struct transport *t, const struct transport_settings *settings,
			      struct pbi *pbi);
/* The bound address, with the port chosen by the system for ":0". */
const char *transport_address(const struct transport *t);

/* Borrowed. */
struct sockets transport_sockets(const struct transport *t);
/* Another process accepts connections now. Existing connections get one more request each.
 * WebSockets without a running turn are closed with 1012, spread over `within_ms`; others when
 * their turns end. */
void transport_hand_over(struct transport *t, int64_t within_ms);
/* Accepts no new connections, closes sockets with 1012, then calls `done`. */
void transport_drain(struct transport *t, void (*done)(void *owner), void *owner);
void transport_close(struct transport **t);

/* Returns true if only this machine can reach a listening address ("127.0.0.1:8080"). Any
 * thread. */
bool transport_is_loopback(const char *address);

#endif
