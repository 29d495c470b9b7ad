/* Opens the port and its two libraries, and closes them in the required order. */
#include "port/transport_int.h"

#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include "rest/http_route.h"
#include "port/listen.h"
#include "http/mhd.h"
#include "http/idempotency.h"
#include "port/seats.h"
#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "ws/ws.h"

#define DRAIN_POLL_MS 20
#define LEAVE_TICK_MS 100

static void on_drain_poll(void *owner);

/* Each connection may become a WebSocket. Upstream streams, databases and files also need
 * descriptors.
 */
static size_t max_connections(void)
{
	struct rlimit limit;
	size_t all;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return CONNECTIONS_MAX;
	all = limit.rlim_cur / 4 * 3 / WS_DESCRIPTORS;
	return all < CONNECTIONS_MAX ? all : CONNECTIONS_MAX;
}

static bool proxies_open(struct transport *t, size_t *count, struct err *e)
{
	const char *const *texts = t->options.trusted_proxies;
	size_t n = 0;

	while (texts && texts[n])
		n++;
	t->proxies = mem_alloc((n + 1) * sizeof(*t->proxies));
	for (size_t i = 0; i < n; i++)
		if (!net_range_parse(texts[i], &t->proxies[i], e))
			return err_prefix(e, "trusted_proxies");
	*count = n;
	return true;
}

/* A new connection has no user until its first request authenticates one, so a share of the seats
 * is reserved for connections without a user. */
static bool seats_open(struct transport *t, struct err *e)
{
	size_t all = max_connections();
	struct seats_limits public = {.unauthenticated = all / UNAUTHENTICATED_SHARE,
				      .signed_in = all - all / UNAUTHENTICATED_SHARE};

	if (!proxies_open(t, &public.proxy_count, e))
		return false;
	public.proxies = t->proxies;
	t->seats = seats_new(&public);
	t->signed_in_limit = public.signed_in;
	t->admin_seats =
		seats_new(&(struct seats_limits){.unauthenticated = ADMIN_CONNECTIONS_MAX});
	return true;
}

void transport_apply_settings(struct transport *t, const struct transport_settings *s,
			      struct pbi *pbi)
{
	size_t per_tenant = s->per_tenant;
	struct pbi *before = t->pbi;

	if (per_tenant == 0 && t->options.tenant_count > 1)
		per_tenant = t->signed_in_limit / 2;
	seats_set_limits(t->seats, s->per_address, s->per_user, per_tenant);
	settings_replace(&t->settings, s);
	t->pbi = pbi_ref(pbi);
	pbi_free(&before);
}

static bool ports_open(struct transport *t, struct err *e)
{
	const struct listener_options port = {
		.transport = t,
		.seats = t->seats,
		.address = t->options.listen,
		.fd = t->options.sockets.listen,
		.on_http = http_server_adopt,
		.on_handshake = ws_server_handshake,
		.http_owner = t->http,
		.ws_owner = t->ws,
	};
	const struct listener_options admin = {
		.transport = t,
		.seats = t->admin_seats,
		.address = t->options.admin_listen,
		.fd = t->options.sockets.admin,
		.on_http = http_server_adopt,
		.http_owner = t->admin,
	};

	return listener_open(&port, &t->port, e) &&
	       (!t->admin || listener_open(&admin, &t->admin_port, e));
}

static bool components_open(struct transport *t, struct err *e)
{
	bool has_admin = t->options.admin_listen && *t->options.admin_listen;

	if (!seats_open(t, e))
		return false;
	transport_apply_settings(t, t->options.settings, t->options.pbi);
	return ws_server_new(t, &t->ws, e) && http_server_new(t, public_routes, &t->http, e) &&
	       (!has_admin || http_server_new(t, admin_routes, &t->admin, e)) && ports_open(t, e);
}

bool transport_open(const struct transport_options *options, struct transport **out, struct err *e)
{
	struct transport *t = mem_alloc(sizeof(*t));

	list_init(&t->downloads);
	list_init(&t->pending_keys);

	t->options = *options;
	if (options->cursor_secret && *options->cursor_secret)
		hash_sha256(options->cursor_secret, strlen(options->cursor_secret), t->cursor_key);
	else
		hash_random(t->cursor_key, sizeof(t->cursor_key));
	t->drain_poll = timer_new(options->loop, on_drain_poll, t);
	if (!components_open(t, e)) {
		transport_close(&t);
		return false;
	}
	*out = t;
	return true;
}

const char *transport_address(const struct transport *t)
{
	return listener_address(t->port);
}

struct sockets transport_sockets(const struct transport *t)
{
	return (struct sockets){listener_fd(t->port), t->admin ? listener_fd(t->admin_port) : -1};
}

/* Closes idle sockets gradually, so that their clients reconnect to the new process at different
 * times. */
static void on_leave_tick(void *owner)
{
	struct transport *t = owner;
	int64_t left = t->leave_deadline_ms - clock_mono_ms();
	size_t idle = ws_server_idle_count(t->ws);

	ws_server_close_idle(t->ws,
			     left > LEAVE_TICK_MS ? idle * LEAVE_TICK_MS / (size_t)left + 1 : idle);
}

void transport_hand_over(struct transport *t, int64_t within_ms)
{
	listener_stop_accepting(t->port);
	if (t->admin)
		listener_stop_accepting(t->admin_port);
	t->leave_deadline_ms = clock_mono_ms() + within_ms;
	t->leave_timer = timer_new(t->options.loop, on_leave_tick, t);
	timer_repeat(t->leave_timer, LEAVE_TICK_MS);
}

static bool is_empty(const struct transport *t)
{
	return ws_server_is_empty(t->ws) && list_empty(http_server_requests(t->http)) &&
	       list_empty(&t->pending_keys);
}

static void on_drain_poll(void *owner)
{
	struct transport *t = owner;
	int64_t left = t->drain_until_ms - clock_mono_ms();

	/* At first only idle sockets are closed, so that running turns can send their last
	 * frames. */
	if (left > DRAIN_MS / 2)
		ws_server_close_idle(t->ws, SIZE_MAX);
	else
		ws_server_drain(t->ws);
	if (!is_empty(t) && left > 0)
		return;
	timer_stop(t->drain_poll);
	t->drained(t->drain_owner);
}

void transport_drain(struct transport *t, void (*done)(void *owner), void *owner)
{
	t->drained = done;
	t->drain_owner = owner;
	t->drain_until_ms = clock_mono_ms() + DRAIN_MS;
	timer_free(&t->leave_timer);
	listener_stop(t->port);
	ws_server_refuse_new(t->ws);
	timer_repeat(t->drain_poll, DRAIN_POLL_MS);
}

/* Stops accepting first, then closes WebSockets (libwebsockets has to close its handles on the
 * loop), then HTTP requests. */
void transport_close(struct transport **transport)
{
	struct transport *t = *transport;

	if (!t)
		return;
	*transport = NULL;
	listener_close(&t->port);
	listener_close(&t->admin_port);
	ws_server_free(&t->ws);
	http_server_free(&t->http);
	http_server_free(&t->admin);
	idempotency_free(t);
	seats_free(&t->seats);
	seats_free(&t->admin_seats);
	mem_free(t->proxies);
	settings_release(t->settings);
	pbi_free(&t->pbi);
	timer_free(&t->drain_poll);
	timer_free(&t->leave_timer);
	mem_free(t);
}
