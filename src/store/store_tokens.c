/* Personal access tokens: create, find by hash, list, revoke; their owner's permissions. */
#include "store_int.h"

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/log.h"

struct tokens_call {
	struct call call;
	struct arena *arena;
	bool adding;
	store_tokens_cb cb;
	store_done_cb done;
	void *owner;
};

static const char *cell_copy(const struct table *t, size_t row, const char *column, struct arena *a)
{
	return arena_strdup(a, store_cell(t, row, column));
}

static struct stored_token token_from_row(const struct table *t, size_t row, struct arena *a)
{
	return (struct stored_token){
		.token_id = cell_copy(t, row, "token_id", a),
		.user = cell_copy(t, row, "user_id", a),
		.name = cell_copy(t, row, "name", a),
		.scopes = cell_copy(t, row, "scopes", a),
		.permissions = cell_copy(t, row, "permissions", a),
		.created_at = cell_copy(t, row, "created_at", a),
		.expires_at = cell_copy(t, row, "expires_at", a),
		.last_used_at = arena_strdup(a, table_cell(t, row, "last_used_at")),
	};
}

static void on_tokens(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct tokens_call *k = list_item(c, struct tokens_call, call);
	const struct table *t = !e && count > 0 ? tables[0] : NULL;
	size_t n = t ? t->row_count : 0;
	struct stored_token *list = arena_alloc(k->arena, (n + 1) * sizeof(*list));
	struct err full;

	for (size_t i = 0; i < n; i++)
		list[i] = token_from_row(t, i, k->arena);
	if (!e && k->adding && n == 0) {
		err_set(&full, ERR_LIMIT,
			"you have reached the limit of %d tokens; revoke one to create another",
			TOKENS_PER_USER_MAX);
		e = &full;
	}
	k->cb(k->owner, list, n, e);
}

static void on_deleted(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct tokens_call *k = list_item(c, struct tokens_call, call);
	struct err failure;

	if (!e && !store_require_row(tables, count, 0, "token", &failure))
		e = &failure;
	k->done(k->owner, e);
}

static void on_recorded(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	(void)c;
	(void)tables;
	(void)count;
	if (e)
		log_error("store.tokens", "the use of a token or a sign-in could not be stored: %s",
			  e->text);
}

struct op *store_token_find(struct store *s, const char *tenant, const char *hash, struct arena *a,
			    store_tokens_cb cb, void *owner)
{
	struct tokens_call *k = store_call_new(s, tenant, sizeof(*k));

	k->arena = a;
	k->cb = cb;
	k->owner = owner;
	k->call.finish = on_tokens;
	store_call_text(&k->call, "hash", hash);
	store_call_add(&k->call, "token_by_hash");
	return store_call_read(&k->call, 1);
}

struct op *store_tokens(struct store *s, const struct principal *who, bool all, struct arena *a,
			store_tokens_cb cb, void *owner)
{
	struct tokens_call *k = store_call_new_for(s, who, sizeof(*k));

	k->arena = a;
	k->cb = cb;
	k->owner = owner;
	k->call.finish = on_tokens;
	if (!all)
		store_call_text(&k->call, "of_user", who->user);
	store_call_int(&k->call, "limit", PAGE_MAX);
	store_call_add(&k->call, "tokens");
	return store_call_read(&k->call, PAGE_MAX);
}

struct op *store_token_add(struct store *s, const struct principal *who,
			   const struct stored_token *token, struct arena *a, store_tokens_cb cb,
			   void *owner)
{
	struct tokens_call *k = store_call_new_for(s, who, sizeof(*k));
	struct call *c = &k->call;

	k->arena = a;
	k->adding = true;
	k->cb = cb;
	k->owner = owner;
	c->finish = on_tokens;
	store_call_text(c, "token_id", token->token_id);
	store_call_text(c, "name", token->name);
	store_call_text(c, "hash", token->hash);
	store_call_text(c, "scopes", token->scopes);
	store_call_text(c, "permissions", token->permissions);
	store_call_text(c, "expires_at", token->expires_at);
	store_call_text(c, "what", "token.created");
	store_call_time(c, "signed_in_at", who->issued_ms ? who->issued_ms : clock_now_ms());
	store_call_int(c, "most", TOKENS_PER_USER_MAX);
	store_call_int(c, "limit", 1);
	store_call_now(c);
	store_call_add(c, "tokens_expire");
	store_call_add(c, "token_insert");
	store_call_add(c, "token_audit");
	store_call_add(c, "tokens");
	return store_call_write(c);
}

struct op *store_token_delete(struct store *s, const struct principal *who, const char *token_id,
			      bool all, store_done_cb cb, void *owner)
{
	struct tokens_call *k = store_call_new_for(s, who, sizeof(*k));
	struct call *c = &k->call;

	k->done = cb;
	k->owner = owner;
	c->finish = on_deleted;
	k->arena = c->arena;
	store_call_text(c, "token_id", token_id);
	if (!all)
		store_call_text(c, "of_user", who->user);
	store_call_text(c, "what", "token.revoked");
	store_call_int(c, "limit", 1);
	store_call_now(c);
	store_call_add(c, "tokens");
	store_call_add(c, "token_audit");
	store_call_add(c, "token_delete");
	return store_call_write(c);
}

void store_token_used(struct store *s, const struct principal *who, const char *token_id)
{
	struct tokens_call *k = store_call_new_for(s, who, sizeof(*k));
	struct call *c = &k->call;
	char day[CLOCK_RFC3339_BYTES];

	c->finish = on_recorded;
	clock_rfc3339(clock_now_ms(), day);
	day[DATE_ISO_BYTES - 1] = '\0';
	store_call_text(c, "token_id", token_id);
	store_call_text(c, "day", day);
	store_call_text(c, "what", "token.used");
	store_call_now(c);
	store_call_add(c, "token_audit");
	store_call_add(c, "token_touch");
	store_call_write(c);
}

void store_signed_in(struct store *s, const struct principal *who, const char *permissions)
{
	struct tokens_call *k = store_call_new_for(s, who, sizeof(*k));
	struct call *c = &k->call;

	c->finish = on_recorded;
	c->group_commit = true;
	store_call_text(c, "permissions", permissions);
	store_call_time(c, "signed_in_at", who->issued_ms ? who->issued_ms : clock_now_ms());
	store_call_add(c, "tokens_signed_in");
	store_call_write(c);
}
