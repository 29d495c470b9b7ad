/*
 * Connections without a user are in one list, longest idle first, and in one list per address.
 * Ending a connection frees its seat at once; its owner closes the descriptor when it reads the end
 * of the socket.
 */
#include "seats.h"

#include <assert.h>
#include <string.h>

#include "vesper/hashmap.h"
#include "vesper/list.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

const struct metric seats_refused = {
	.name = "vesper_connections_refused_total",
	.help = "Connections refused because no seat was free.",
};
static const struct metric displaced = {
	.name = "vesper_connections_displaced_total",
	.help = "Idle connections that were closed to make room for others.",
};

/* An address, user or tenant that has connections. */
struct holder {
	struct hashmap_node node;
	struct list unauthenticated; /* of an address: seats, longest idle first */
	size_t count;
	char key[];
};

struct seats {
	struct seats_limits limits;
	struct hashmap holders;
	struct list unauthenticated; /* longest idle first */
	size_t unauthenticated_count;
	size_t signed_in_count;
};

struct seat {
	struct seats *all;
	struct list node;
	struct list of_address;
	int fd;
	bool proxied;
	bool ended; /* the socket was shut down; the seat no longer counts */
	bool signed_in;
	struct net_address from;
	struct holder *address; /* of a connection without a user; NULL: not counted by address */
	struct holder *user, *tenant;
};

/* ---- holders ---- */

/* Takes ownership of the key. */
static struct holder *holder_of(struct seats *s, char *key, size_t len)
{
	struct hashmap_node *node = hashmap_find(&s->holders, (struct str){key, len});
	struct holder *h;

	if (node) {
		h = hashmap_item(node, struct holder, node);
	} else {
		h = mem_alloc(sizeof(*h) + len);
		list_init(&h->unauthenticated);
		memcpy(h->key, key, len);
		hashmap_add(&s->holders, &h->node, (struct str){h->key, len});
	}
	mem_free(key);
	h->count++;
	return h;
}

static void holder_leave(struct seats *s, struct holder **holder)
{
	struct holder *h = *holder;

	*holder = NULL;
	if (!h || --h->count > 0)
		return;
	hashmap_remove(&s->holders, &h->node);
	mem_free(h);
}

static struct holder *address_holder(struct seats *s, const struct net_address *address)
{
	struct str key = net_address_key(address);
	char *text = mem_alloc(key.n + 1);

	text[0] = 'a';
	memcpy(text + 1, key.p, key.n);
	return holder_of(s, text, key.n + 1);
}

static struct holder *named_holder(struct seats *s, const char *tenant, const char *user)
{
	char *key = user ? mem_printf("u%s\x1f%s", tenant, user) : mem_printf("t%s", tenant);

	return holder_of(s, key, strlen(key));
}

static bool is_over(const struct holder *h, size_t limit)
{
	return h && limit > 0 && h->count > limit;
}

/* ---- connections without a user ---- */

static void remove_unauthenticated(struct seat *seat)
{
	list_remove(&seat->node);
	list_remove(&seat->of_address);
	holder_leave(seat->all, &seat->address);
	seat->all->unauthenticated_count--;
}

static void seat_end(struct seat *seat)
{
	remove_unauthenticated(seat);
	seat->ended = true;
	metric_add(&displaced, NULL, 1);
	shutdown(seat->fd, SHUT_RDWR);
}

/* The newest connection is last in both lists, so it is never the one that is ended. */
static void make_room(struct seats *s, struct holder *address)
{
	while (is_over(address, s->limits.per_address) && address->count > 1)
		seat_end(list_item(address->unauthenticated.next, struct seat, of_address));
	while (s->unauthenticated_count > s->limits.unauthenticated && s->unauthenticated_count > 1)
		seat_end(list_item(s->unauthenticated.next, struct seat, node));
}

/* `address` NULL: not counted by address, as for a proxy between two requests. */
static void add_unauthenticated(struct seat *seat, const struct net_address *address)
{
	struct seats *s = seat->all;

	list_append(&s->unauthenticated, &seat->node);
	s->unauthenticated_count++;
	if (address) {
		seat->address = address_holder(s, address);
		list_append(&seat->address->unauthenticated, &seat->of_address);
	}
	make_room(s, seat->address);
}

static void release_holders(struct seat *seat)
{
	if (seat->signed_in) {
		holder_leave(seat->all, &seat->user);
		holder_leave(seat->all, &seat->tenant);
		seat->all->signed_in_count--;
		seat->signed_in = false;
	} else if (!seat->ended) {
		remove_unauthenticated(seat);
	}
}

/* ---- seats ---- */

struct seats *seats_new(const struct seats_limits *limits)
{
	struct seats *s = mem_alloc(sizeof(*s));

	s->limits = *limits;
	hashmap_init(&s->holders);
	list_init(&s->unauthenticated);
	return s;
}

void seats_set_limits(struct seats *s, size_t per_address, size_t per_user, size_t per_tenant)
{
	s->limits.per_address = per_address;
	s->limits.per_user = per_user;
	s->limits.per_tenant = per_tenant;
}

void seats_free(struct seats **seats)
{
	struct seats *s = *seats;

	*seats = NULL;
	if (!s)
		return;
	assert(s->holders.count == 0 && list_empty(&s->unauthenticated) && s->signed_in_count == 0);
	hashmap_deinit(&s->holders);
	mem_free(s);
}

struct seat *seat_new(struct seats *s, int fd, const struct sockaddr *from)
{
	struct seat *seat = mem_alloc(sizeof(*seat));
	bool is_ip = net_address_of(from, &seat->from);

	seat->all = s;
	seat->fd = fd;
	seat->proxied =
		is_ip && net_range_has(s->limits.proxies, s->limits.proxy_count, &seat->from);
	add_unauthenticated(seat, seat->proxied ? NULL : &seat->from);
	return seat;
}

void seat_free(struct seat **seat)
{
	if (!*seat)
		return;
	release_holders(*seat);
	mem_free(*seat);
	*seat = NULL;
}

bool seat_is_proxied(const struct seat *seat)
{
	return seat->proxied;
}

void seat_forwarded(struct seat *seat, struct str list, struct str forwarded)
{
	const struct seats_limits *limits = &seat->all->limits;
	struct net_address client;

	if (seat->ended || seat->signed_in)
		return;
	if (!forwarded_client(limits->proxies, limits->proxy_count, list, forwarded, &client))
		client = seat->from;
	remove_unauthenticated(seat);
	add_unauthenticated(seat, &client);
}

enum seat_result seat_sign_in(struct seat *seat, const struct principal *who)
{
	struct seats *s = seat->all;
	enum seat_result answer = SEAT_ASSIGNED;

	assert(!seat->signed_in);
	if (seat->ended || s->signed_in_count >= s->limits.signed_in) {
		metric_add(&seats_refused, NULL, 1);
		return SEAT_FULL;
	}
	seat->user = named_holder(s, who->tenant, who->user);
	seat->tenant = named_holder(s, who->tenant, NULL);
	if (is_over(seat->user, s->limits.per_user) || is_over(seat->tenant, s->limits.per_tenant))
		answer = SEAT_TOO_MANY;
	if (answer == SEAT_ASSIGNED) {
		remove_unauthenticated(seat);
		seat->signed_in = true;
		s->signed_in_count++;
	} else {
		holder_leave(s, &seat->user);
		holder_leave(s, &seat->tenant);
		metric_add(&seats_refused, NULL, 1);
	}
	return answer;
}

void seat_idle(struct seat *seat)
{
	if (seat->ended)
		return;
	release_holders(seat);
	add_unauthenticated(seat, seat->proxied ? NULL : &seat->from);
}
