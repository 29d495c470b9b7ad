/*
 * Loads a turn of another replica from Redis: first its owner, then all entries of its stream, page
 * by page. A turn is reported as nonexistent if it is not sealed with the secret of the cluster,
 * has a gap, or has lost its beginning.
 */
#include "cluster_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/mem.h"

#define MEMBER_BYTES_MAX (1024 * 1024)
#define ENTRY_BYTES_MAX  (4 * 1024 * 1024)

/* Positions in the reply of HMGET, whose members are in this order. */
enum { AT_REPLICA, AT_OVER, AT_SESSION, AT_WHO, AT_TURN, AT_LEASE, AT_EVENTS, AT_COUNT };

struct load_request {
	struct cluster_request request;
	char tenant[128];
	char turn_id[UUID_BYTES];
	char replica[LEASE_REPLICA_BYTES];
	char session_id[UUID_BYTES];
	char lease_key[CLUSTER_KEY_BYTES];
	char next[64]; /* entry ID at which the next page begins; "": the first page */
	bool is_over, has_members, has_no_events;
	struct arena *arena;
	struct principal *who;
	const struct principal *reader;
	struct buf takeover_data;
	struct buf events; /* all events; added to a log after the last page */
	uint64_t last;
	load_cb cb;
	void *owner;
};

/* ---- entries ---- */

/* Parses the ID of an entry, "<fence>-<first event>". */
static bool read_id(struct str id, uint64_t *fence, uint64_t *first)
{
	size_t dash = 0;

	while (dash < id.n && id.p[dash] != '-')
		dash++;
	return dash < id.n && number_read((struct str){id.p, dash}, fence) &&
	       number_read((struct str){id.p + dash + 1, id.n - dash - 1}, first);
}

/* Adds the events of a run, except the first `skip`, to the log. False: the run is damaged. */
static bool add_events(struct stream_log *log, struct str run, uint64_t skip)
{
	for (; run.n > 0; skip -= skip > 0) {
		struct event event;
		struct err e;
		uint32_t len;

		if (run.n < sizeof(len))
			return false;
		memcpy(&len, run.p, sizeof(len));
		run = (struct str){run.p + sizeof(len), run.n - sizeof(len)};
		if (len > run.n || !event_decode(run.p, len, &event, &e))
			return false;
		if (skip == 0)
			stream_append(log, &event);
		run = (struct str){run.p + len, run.n - len};
	}
	return true;
}

static const redisReply *item(const redisReply *list, size_t i)
{
	return list && list->type == REDIS_REPLY_ARRAY && i < list->elements ? list->element[i]
									     : NULL;
}

/* Unseals the events of an entry and adds them to `run`. The entry must begin with event
 * *last + 1; *last is then its last event. An entry that ends at *last or before adds nothing. */
static bool open_entry(const struct cluster *c, const char *turn_id, const redisReply *entry,
		       uint64_t *last, struct buf *run)
{
	const redisReply *fields = item(entry, 1);
	struct str sealed = reply_text(item(fields, 3));
	uint64_t fence, first, end;
	char purpose[128];

	if (!sealed.p || !read_id(reply_text(item(entry, 0)), &fence, &first) ||
	    !number_read(reply_text(item(fields, 1)), &end) || end < first)
		return false;
	if (end <= *last)
		return true;
	if (first != *last + 1)
		return false;
	snprintf(purpose, sizeof(purpose), "events %s %llu %llu %llu", turn_id,
		 (unsigned long long)fence, (unsigned long long)first, (unsigned long long)end);
	*last = end;
	return cluster_unseal(c, run, purpose, sealed);
}

bool cluster_add_entry(const struct cluster *c, const char *turn_id, struct stream_log *log,
		       const redisReply *entry)
{
	uint64_t last = stream_last_seq(log);
	struct buf run;
	bool ok;

	buf_init(&run, ENTRY_BYTES_MAX);
	ok = open_entry(c, turn_id, entry, &last, &run) &&
	     add_events(log, (struct str){run.p, run.n}, 0);
	buf_deinit(&run);
	return ok && (stream_last_seq(log) == last || stream_is_full(log));
}

/* ---- members of the turn's hash ---- */

static bool read_who(struct load_request *l, struct str text)
{
	json_t *root = json_loadb(text.p, text.n, 0, NULL);
	const json_t *list = json_object_get(root, "permissions"), *name;
	const char *user = json_string_value(json_object_get(root, "user"));
	const char **permissions =
		arena_alloc(l->arena, (json_array_size(list) + 1) * sizeof(*permissions));
	struct principal who = {.user = user, .tenant = l->tenant, .permissions = permissions};
	size_t i;

	json_array_foreach((json_t *)list, i, name)
		permissions[who.permission_count++] =
			json_is_string(name) ? json_string_value(name) : "";
	who.expires_ms = json_integer_value(json_object_get(root, "expires_ms"));
	if (user)
		l->who = principal_copy(&who);
	json_decref(root);
	return l->who != NULL;
}

static bool read_members(struct load_request *l, const redisReply *reply)
{
	struct cluster *c = l->request.cluster;
	struct str replica = reply_text(item(reply, AT_REPLICA));
	struct buf text;
	bool ok;

	if (!replica.p || replica.n >= sizeof(l->replica))
		return false;
	memcpy(l->replica, replica.p, replica.n);
	l->is_over = reply_text(item(reply, AT_OVER)).p != NULL;
	l->has_no_events = str_eq(reply_text(item(reply, AT_EVENTS)), STR("0"));
	if (reply_text(item(reply, AT_LEASE)).n < sizeof(l->lease_key))
		snprintf(l->lease_key, sizeof(l->lease_key), "%.*s",
			 STR_FMT(reply_text(item(reply, AT_LEASE))));
	buf_init(&text, MEMBER_BYTES_MAX);
	member_open(c, l->turn_id, "session", item(reply, AT_SESSION), &text);
	ok = text.n == UUID_BYTES - 1;
	if (ok)
		memcpy(l->session_id, text.p, text.n);
	buf_reset(&text);
	member_open(c, l->turn_id, "who", item(reply, AT_WHO), &text);
	ok = ok && uuid_valid(l->session_id) && text.n > 0 &&
	     read_who(l, (struct str){text.p, text.n});
	buf_deinit(&text);
	if (ok && !l->reader)
		member_open(c, l->turn_id, "turn", item(reply, AT_TURN), &l->takeover_data);
	return ok && (!l->reader || principal_same_user(l->who, l->reader));
}

/* ---- result ---- */

static struct loaded_turn loaded_of(const struct load_request *l)
{
	return (struct loaded_turn){.turn_id = l->turn_id,
				    .replica = l->replica,
				    .who = l->who,
				    .session_id = l->session_id,
				    .lease_key = l->lease_key,
				    .takeover_data = {l->takeover_data.p, l->takeover_data.n},
				    .is_over = l->is_over};
}

static bool answer_none(struct load_request *l, const struct loaded_turn *known)
{
	l->cb(l->owner, known, NULL);
	return true;
}

/* Another operation may have added the log to the hub in the meantime, or the turn runs or ran
 * here. A follower that others read is not dropped for this one. */
static bool answer_log(struct load_request *l)
{
	const struct loaded_turn known = loaded_of(l);
	struct cluster *c = l->request.cluster;
	struct stream_log *local_log = stream_find_local(c->hub, l->turn_id);
	struct follow *f = follow_of(c, l->turn_id);

	if (local_log && (l->reader || !f)) {
		l->cb(l->owner, &known,
		      !l->reader || stream_may_read(local_log, l->reader) ? local_log : NULL);
		return true;
	}
	if (l->last == 0 && !l->has_no_events) /* its first events are lost */
		return answer_none(l, &known);
	if (!f)
		f = follow_new(c, &known, l->tenant);
	if ((l->reader && !stream_may_read(follow_log(f), l->reader)) ||
	    !add_events(follow_log(f), (struct str){l->events.p, l->events.n},
			stream_last_seq(follow_log(f)))) {
		if (!local_log)
			follow_drop(f);
		return answer_none(l, &known);
	}
	l->cb(l->owner, &known, follow_read_after(f, l->next));
	return true;
}

/* ---- pages ---- */

static void request_page(struct load_request *l)
{
	char key[CLUSTER_KEY_BYTES], count[24];

	cluster_key(key, "s", l->tenant, l->turn_id);
	cluster_request_send(&l->request, 6,
			     (const struct str[]){STR("XRANGE"), str_of(key),
						  *l->next ? str_of(l->next) : STR("-"), STR("+"),
						  STR("COUNT"), number_text(CLUSTER_PAGE, count)});
}

static void next_after(struct load_request *l, struct str id)
{
	uint64_t fence, first;

	if (read_id(id, &fence, &first))
		snprintf(l->next, sizeof(l->next), "%llu-%llu", (unsigned long long)fence,
			 (unsigned long long)first + 1);
}

static bool on_page(struct load_request *l, const redisReply *reply)
{
	const struct loaded_turn known = loaded_of(l);

	if (!reply || reply->type != REDIS_REPLY_ARRAY)
		return answer_none(l, NULL);
	for (size_t i = 0; i < reply->elements; i++) {
		if (!open_entry(l->request.cluster, l->turn_id, item(reply, i), &l->last,
				&l->events))
			return answer_none(l, &known);
		next_after(l, reply_text(item(item(reply, i), 0)));
	}
	if (reply->elements < CLUSTER_PAGE)
		return answer_log(l);
	request_page(l);
	return false;
}

static bool on_reply(struct cluster_request *q, const redisReply *reply)
{
	struct load_request *l = (struct load_request *)q;
	const struct loaded_turn none = {.turn_id = l->turn_id};

	if (l->has_members)
		return on_page(l, reply);
	if (!reply || reply->type != REDIS_REPLY_ARRAY)
		return answer_none(l, NULL);
	if (!read_members(l, reply))
		return answer_none(l, &none);
	l->has_members = true;
	request_page(l);
	return false;
}

static void on_clean(struct cluster_request *q)
{
	struct load_request *l = (struct load_request *)q;

	buf_deinit(&l->events);
	principal_free(&l->who);
	buf_deinit(&l->takeover_data);
	arena_free(&l->arena);
}

struct op *cluster_load(struct cluster *c, const char *tenant, const char *turn_id,
			const struct principal *reader, load_cb cb, void *owner)
{
	struct load_request *l =
		cluster_request_new(c, sizeof(*l), reader != NULL, on_reply, on_clean);
	char key[CLUSTER_KEY_BYTES];

	l->arena = arena_new(MEMBER_BYTES_MAX);
	snprintf(l->tenant, sizeof(l->tenant), "%s", tenant);
	memcpy(l->turn_id, turn_id, UUID_BYTES);
	l->reader = reader;
	buf_init(&l->takeover_data, MEMBER_BYTES_MAX);
	buf_init(&l->events, 2 * EVENT_LOG_BYTES_MAX);
	l->cb = cb;
	l->owner = owner;
	cluster_key(key, "t", l->tenant, l->turn_id);
	cluster_request_send(&l->request, 2 + AT_COUNT,
			     (const struct str[]){STR("HMGET"), str_of(key), STR("replica"),
						  STR("over"), STR("session"), STR("who"),
						  STR("turn"), STR("lease"), STR("n")});
	return &l->request.op;
}

/* ---- find, for the hub ---- */

struct find_operation {
	struct op op;
	struct op *loading;
	struct cluster *cluster;
	char turn_id[UUID_BYTES];
	const struct principal *who;
	stream_found_cb cb;
	void *owner;
};

static void find_free(struct find_operation *f)
{
	f->cluster->pending_count--;
	mem_free(f);
}

static void on_find_cancel(struct op *op)
{
	struct find_operation *f = list_item(op, struct find_operation, op);

	op_cancel(&f->loading);
	find_free(f);
}

static void answer_found(struct find_operation *f, struct stream_log *log, const struct err *e)
{
	stream_found_cb cb = f->cb;
	void *owner = f->owner;

	find_free(f);
	cb(owner, log, e);
}

static void on_found(void *owner, const struct loaded_turn *l, struct stream_log *log)
{
	struct find_operation *f = owner;
	struct err e = {0};

	f->loading = NULL;
	if (!l)
		err_set_retry(&e, ERR_UPSTREAM, "the events of other replicas are unavailable");
	else if (!log)
		err_set(&e, ERR_NOT_FOUND, "this turn has no log");
	answer_found(f, log, log ? NULL : &e);
}

struct op *cluster_find(void *self, const char *turn_id, const struct principal *who,
			stream_found_cb cb, void *owner)
{
	struct cluster *c = self;
	struct find_operation *f = mem_alloc(sizeof(*f));

	*f = (struct find_operation){.op = {.cancel = on_find_cancel},
				     .cluster = c,
				     .who = who,
				     .cb = cb,
				     .owner = owner};
	memcpy(f->turn_id, turn_id, UUID_BYTES);
	c->pending_count++;
	f->loading = cluster_load(c, who->tenant, turn_id, who, on_found, f);
	return &f->op;
}
