/*
 * Signals between replicas: one line of JSON in the receiver's stream. Sent to the replica that
 * runs a turn, or to all other replicas.
 */
#include "cluster_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/mem.h"

#define SIGNAL_BYTES_MAX 4096
#define USER_BYTES_MAX   1024

static const char *const ops[] = {
	[SIGNAL_CANCEL] = "cancel", [SIGNAL_WATCHERS] = "watch", [SIGNAL_TAKE_OVER] = "take_over",
	[SIGNAL_LOST] = "lost",     [SIGNAL_EVICT] = "evict",
};

struct signal_request {
	struct cluster_request request;
	struct buf json;
	char turn_id[UUID_BYTES];
	char *user; /* required owner of the turn; NULL: any user */
	bool broadcast;
	lease_found_cb cb; /* or NULL */
	void *owner;
};

static void send_to_replica(struct cluster *c, struct str replica, struct str json)
{
	char key[CLUSTER_KEY_BYTES], limit[24], ms[24];
	int n = snprintf(key, sizeof(key), "vesper:{r}:in:%.*s", STR_FMT(replica));

	if (n >= (int)sizeof(key))
		return;
	cluster_send(c, 8,
		     (const struct str[]){STR("XADD"), str_of(key), STR("MAXLEN"), STR("~"),
					  number_text(CLUSTER_INBOX_MAX, limit), STR("*"), STR("m"),
					  json});
	cluster_send(c, 3,
		     (const struct str[]){STR("PEXPIRE"), str_of(key),
					  number_text(CLUSTER_STREAM_TTL_MS, ms)});
}

void cluster_interrupt_read(struct cluster *c)
{
	send_to_replica(c, str_of(c->replica), STR("{\"op\":\"wake\"}"));
}

static void send_to_others(struct signal_request *t, const redisReply *reply)
{
	struct cluster *c = t->request.cluster;

	for (size_t i = 0; reply && reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++) {
		struct str replica = reply_text(reply->element[i]);

		if (!str_eq(replica, str_of(c->replica)))
			send_to_replica(c, replica, (struct str){t->json.p, t->json.n});
	}
}

/* The reply has the fields replica, over and user. */
static bool send_to_runner(struct signal_request *t, const redisReply *reply)
{
	struct cluster *c = t->request.cluster;
	struct str replica;
	struct buf user;
	bool is_owner;

	if (!reply || reply->type != REDIS_REPLY_ARRAY || reply->elements != 3 ||
	    !reply_text(reply->element[0]).p || reply_text(reply->element[1]).p)
		return false;
	replica = reply_text(reply->element[0]);
	buf_init(&user, USER_BYTES_MAX);
	member_open(c, t->turn_id, "user", reply->element[2], &user);
	is_owner = !t->user || str_eq((struct str){user.p, user.n}, str_of(t->user));
	buf_deinit(&user);
	if (is_owner)
		send_to_replica(c, replica, (struct str){t->json.p, t->json.n});
	return is_owner;
}

static bool on_reply(struct cluster_request *q, const redisReply *reply)
{
	struct signal_request *t = (struct signal_request *)q;
	bool found = false;

	if (t->broadcast)
		send_to_others(t, reply);
	else
		found = send_to_runner(t, reply);
	if (t->cb)
		t->cb(t->owner, found);
	return true;
}

static void on_clean(struct cluster_request *q)
{
	struct signal_request *t = (struct signal_request *)q;

	buf_deinit(&t->json);
	mem_free(t->user);
}

static void write_signal(const struct lease_signal *s, struct buf *out)
{
	json_t *o = json_object();

	json_set_str(o, "op", ops[s->kind]);
	json_set_str(o, "tenant", s->tenant);
	json_set_str(o, "user", s->user);
	json_set_str(o, "turn", s->holder);
	json_set_str(o, "session", s->session);
	json_set_str(o, "replica", s->replica);
	json_set_int(o, "reason", s->reason);
	json_set_int(o, "n", (int64_t)s->watchers);
	char *text = json_text(o);
	buf_str(out, text);
	mem_free(text);
	json_decref(o);
}

struct op *cluster_signal(void *self, const struct lease_signal *s, lease_found_cb cb, void *owner)
{
	struct cluster *c = self;
	struct signal_request *t =
		cluster_request_new(c, sizeof(*t), cb != NULL, on_reply, on_clean);
	char key[CLUSTER_KEY_BYTES], limit[24];

	buf_init(&t->json, SIGNAL_BYTES_MAX);
	write_signal(s, &t->json);
	t->cb = cb;
	t->owner = owner;
	t->broadcast = !s->holder;
	if (s->user)
		t->user = mem_strndup(s->user, strlen(s->user));
	if (!t->broadcast) {
		if (uuid_valid(s->holder)) /* otherwise no turn has this id */
			memcpy(t->turn_id, s->holder, UUID_BYTES);
		cluster_key(key, "t", s->tenant, t->turn_id);
		cluster_request_send(&t->request, 5,
				     (const struct str[]){STR("HMGET"), str_of(key), STR("replica"),
							  STR("over"), STR("user")});
	} else {
		cluster_request_send(
			&t->request, 4,
			(const struct str[]){STR("ZRANGE"), STR(CLUSTER_ALIVE), STR("0"),
					     number_text(CLUSTER_REPLICAS_MAX - 1, limit)});
	}
	return cb ? &t->request.op : NULL;
}

/* ---- receiving ---- */

static bool kind_of(const char *op, enum lease_signal_kind *out)
{
	for (size_t i = 0; op && i < sizeof(ops) / sizeof(ops[0]); i++)
		if (strcmp(ops[i], op) == 0) {
			*out = (enum lease_signal_kind)i;
			return true;
		}
	return false;
}

void cluster_handle_signal(struct cluster *c, struct str json)
{
	json_t *o = json.n <= SIGNAL_BYTES_MAX ? json_loadb(json.p, json.n, 0, NULL) : NULL;
	struct lease_signal s = {0};
	struct local_turn *h;

	if (!kind_of(json_string_value(json_object_get(o, "op")), &s.kind)) {
		json_decref(o); /* a wake-up, or a signal of another version */
		return;
	}
	s.tenant = json_string_value(json_object_get(o, "tenant"));
	s.user = json_string_value(json_object_get(o, "user"));
	s.holder = json_string_value(json_object_get(o, "turn"));
	s.session = json_string_value(json_object_get(o, "session"));
	s.replica = json_string_value(json_object_get(o, "replica"));
	s.reason = (int)json_integer_value(json_object_get(o, "reason"));
	s.watchers = (size_t)json_integer_value(json_object_get(o, "n"));
	h = s.kind == SIGNAL_WATCHERS && s.holder ? local_turn_find(c, s.holder) : NULL;
	if (h && s.replica)
		publish_watchers(h, s.replica, s.watchers);
	else if ((s.kind == SIGNAL_CANCEL || s.kind == SIGNAL_EVICT) && s.tenant && s.user &&
		 c->on_signal)
		c->on_signal(c->signal_owner, &s);
	json_decref(o);
}
