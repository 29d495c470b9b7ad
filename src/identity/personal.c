/*
 * A personal access token is looked up by its hash in the database of the tenant that it names. It
 * has those of its scopes that its owner had as permissions at the newest sign-in.
 */
#include "personal.h"

#include <stdio.h>
#include <string.h>

#include "vesper/arena.h"
#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/hashmap.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/mem.h"
#include "vesper/shares.h"
#include "vesper/store.h"

#define PREFIX       "vsp_"
#define SECRET_BYTES 32
#define SECRET_CHARS 52 /* SECRET_BYTES in base32 */
#define ALPHABET     "abcdefghijklmnopqrstuvwxyz234567"
#define LOOKUP_BYTES 65536 /* users have few permissions, with short names */

/* The store's answer for a hash. */
struct cached_token {
	struct list by_age;
	struct hashmap_node by_hash;
	struct share share; /* of its tenant */
	char hash[HASH_HEX_BYTES];
	struct principal *who; /* NULL: no valid token */
	int64_t expires_mono_ms;
};

/* The newest sign-in of a user that was stored. */
struct sign_in {
	struct hashmap_node by_user;
	struct share share; /* of the user's tenant */
	char *user;
	int64_t issued_ms;
	char permissions[HASH_HEX_BYTES];
};

struct personal {
	struct loop *loop;
	struct store *store;
	struct list by_age; /* cached answers, oldest first */
	struct hashmap cached;
	struct shares cached_shares;
	struct hashmap sign_ins;
	struct shares sign_in_shares;
	size_t lookups;
};

struct personal *personal_new(struct loop *l, struct store *s)
{
	struct personal *p = mem_alloc(sizeof(*p));

	p->loop = l;
	p->store = s;
	list_init(&p->by_age);
	hashmap_init(&p->cached);
	shares_init(&p->cached_shares, TOKEN_CACHE_MAX, SIZE_MAX);
	hashmap_init(&p->sign_ins);
	shares_init(&p->sign_in_shares, SIGN_INS_MAX, SIZE_MAX);
	return p;
}

static void cached_free(struct personal *p, struct cached_token *k)
{
	list_remove(&k->by_age);
	hashmap_remove(&p->cached, &k->by_hash);
	shares_remove(&p->cached_shares, &k->share);
	principal_free(&k->who);
	mem_free(k);
}

static void sign_in_free(struct personal *p, struct sign_in *s)
{
	hashmap_remove(&p->sign_ins, &s->by_user);
	shares_remove(&p->sign_in_shares, &s->share);
	mem_free(s->user);
	mem_free(s);
}

void personal_clear_cache(struct personal *p)
{
	while (!list_empty(&p->by_age))
		cached_free(p, list_item(p->by_age.next, struct cached_token, by_age));
}

void personal_free(struct personal **personal)
{
	struct personal *p = *personal;

	if (!p)
		return;
	*personal = NULL;
	personal_clear_cache(p);
	hashmap_each(node, &p->sign_ins)
		sign_in_free(p, hashmap_item(node, struct sign_in, by_user));
	hashmap_deinit(&p->cached);
	hashmap_deinit(&p->sign_ins);
	shares_deinit(&p->cached_shares);
	shares_deinit(&p->sign_in_shares);
	mem_free(p);
}

/* ---- token text ---- */

void identity_generate_personal_token(const char *tenant, struct buf *out)
{
	uint8_t secret[SECRET_BYTES];
	unsigned bits = 0, count = 0;

	hash_random(secret, sizeof(secret));
	buf_printf(out, PREFIX "%s_", tenant);
	for (size_t i = 0; i < sizeof(secret); i++) {
		bits = bits << 8 | secret[i];
		for (count += 8; count >= 5; count -= 5)
			buf_char(out, ALPHABET[bits >> (count - 5) & 31]);
	}
	buf_char(out, ALPHABET[bits << (5 - count) & 31]);
}

bool identity_is_personal(struct str token)
{
	return str_starts(token, STR(PREFIX));
}

/* The tenant that the token names; NULL: malformed, or an unknown tenant. */
static const char *tenant_of(const char *const *tenants, struct str token)
{
	size_t prefix = sizeof(PREFIX) - 1, fixed_len = prefix + 1 + SECRET_CHARS;
	struct str named;

	if (token.n <= fixed_len || token.p[token.n - SECRET_CHARS - 1] != '_')
		return NULL;
	named = (struct str){token.p + prefix, token.n - fixed_len};
	for (; tenants && *tenants; tenants++)
		if (str_eq(named, str_of(*tenants)))
			return *tenants;
	return NULL;
}

/* ---- cached tokens ---- */

static void evict_expired(struct personal *p)
{
	while (!list_empty(&p->by_age)) {
		struct cached_token *k = list_item(p->by_age.next, struct cached_token, by_age);

		if (k->expires_mono_ms > clock_mono_ms())
			return;
		cached_free(p, k);
	}
}

static struct cached_token *cached_find(const struct personal *p, const char *hash)
{
	struct hashmap_node *node = hashmap_find(&p->cached, str_of(hash));

	return node ? hashmap_item(node, struct cached_token, by_hash) : NULL;
}

static void cache_add(struct personal *p, const char *tenant, const char *hash,
		      const struct principal *who)
{
	struct cached_token *k = cached_find(p, hash);
	struct share *excess;

	if (k) /* after two concurrent lookups */
		cached_free(p, k);
	k = mem_alloc(sizeof(*k));
	snprintf(k->hash, sizeof(k->hash), "%s", hash);
	k->who = who ? principal_copy(who) : NULL;
	k->expires_mono_ms = clock_mono_ms() + TOKEN_CACHE_MS;
	list_append(&p->by_age, &k->by_age);
	hashmap_add(&p->cached, &k->by_hash, str_of(k->hash));
	shares_add(&p->cached_shares, &k->share, str_of(tenant), 0);
	while ((excess = shares_next_to_evict(&p->cached_shares)))
		cached_free(p, list_item(excess, struct cached_token, share));
}

/* A copy of the token's user; NULL: unknown, revoked or expired. */
static struct principal *copy_if_valid(const struct principal *who, struct err *e)
{
	if (!who)
		err_set(e, ERR_AUTH, "personal token: unknown or revoked");
	else if (clock_now_ms() >= who->expires_ms)
		err_set(e, ERR_AUTH, "expired");
	else
		return principal_copy(who);
	return NULL;
}

/* ---- lookup in the store ---- */

struct lookup {
	struct op op;
	struct personal *personal;
	struct arena *arena;
	struct op *pending;
	const char *tenant; /* in the arena */
	char hash[HASH_HEX_BYTES];
	identity_principal_cb cb;
	void *owner;
};

static void lookup_free(struct lookup *l)
{
	l->personal->lookups--;
	arena_free(&l->arena);
	mem_free(l);
}

static void on_cancel(struct op *op)
{
	struct lookup *l = (struct lookup *)op;

	op_cancel(&l->pending);
	lookup_free(l);
}

/* The intersection of the token's scopes and the stored permissions of its owner. */
static void permissions_read(const struct stored_token *t, struct arena *a, struct principal *out)
{
	const char **granted = arena_alloc(a, (strlen(t->scopes) / 2 + 1) * sizeof(*granted));
	struct str scopes = str_of(t->scopes), scope;

	out->permissions = granted;
	while (str_split(&scopes, ' ', &scope)) {
		const char *name = arena_strndup(a, scope.p, scope.n);
		struct str owned = str_of(t->permissions), permission;

		/* Access to data sources is decided with each request; no sign-in lists it. */
		if (strcmp(name, PERMISSION_SOURCES) == 0)
			out->token_uses_sources = true;
		while (*name && str_split(&owned, ' ', &permission))
			if (str_eq(permission, scope)) {
				granted[out->permission_count++] = name;
				break;
			}
	}
}

/* NULL: a row without an expiry is invalid. */
static struct principal *read_row(const struct lookup *l, const struct stored_token *t)
{
	struct principal *who = arena_alloc(l->arena, sizeof(*who));

	*who = (struct principal){.user = t->user, .tenant = l->tenant, .token_hash = l->hash};
	if (!clock_parse_rfc3339(t->expires_at, &who->expires_ms, NULL))
		return NULL;
	permissions_read(t, l->arena, who);
	return who;
}

static void record_use(const struct lookup *l, const struct stored_token *t,
		       const struct principal *who)
{
	int64_t last_ms;

	if (clock_now_ms() >= who->expires_ms ||
	    (t->last_used_at && clock_parse_rfc3339(t->last_used_at, &last_ms, NULL) &&
	     clock_now_ms() - last_ms < TOKEN_TOUCH_MS))
		return;
	store_token_used(l->personal->store, who, t->token_id);
}

static void on_found(void *owner, const struct stored_token *tokens, size_t count,
		     const struct err *e)
{
	struct lookup *l = owner;
	struct principal *who = !e && count > 0 ? read_row(l, tokens) : NULL, *take = NULL;
	struct err reason = {0};

	l->pending = NULL;
	if (e) {
		reason = *e;
	} else {
		cache_add(l->personal, l->tenant, l->hash, who);
		take = copy_if_valid(who, &reason);
	}
	if (take)
		record_use(l, tokens, who);
	l->cb(l->owner, take, take ? NULL : &reason);
	lookup_free(l);
}

static struct op *lookup_start(struct personal *p, const char *tenant, const char *hash,
			       struct err *e, identity_principal_cb cb, void *owner)
{
	struct lookup *l;

	if (p->lookups >= TOKEN_LOOKUPS_MAX) {
		err_set_retry(e, ERR_LIMIT, "too many personal tokens are being looked up");
		return NULL;
	}
	p->lookups++;
	l = mem_alloc(sizeof(*l));
	*l = (struct lookup){.op = {.cancel = on_cancel},
			     .personal = p,
			     .arena = arena_new(LOOKUP_BYTES),
			     .cb = cb,
			     .owner = owner};
	l->tenant = arena_strdup(l->arena, tenant);
	snprintf(l->hash, sizeof(l->hash), "%s", hash);
	l->pending = store_token_find(p->store, l->tenant, l->hash, l->arena, on_found, l);
	return &l->op;
}

static struct op *find(struct personal *p, const char *tenant, const char *hash,
		       struct principal **out, struct err *e, identity_principal_cb cb, void *owner)
{
	const struct cached_token *k;

	*out = NULL;
	evict_expired(p);
	k = cached_find(p, hash);
	if (!k)
		return lookup_start(p, tenant, hash, e, cb, owner);
	*out = copy_if_valid(k->who, e);
	return NULL;
}

struct op *personal_authenticate(struct personal *p, const char *const *tenants, struct str token,
				 struct principal **out, struct err *e, identity_principal_cb cb,
				 void *owner)
{
	const char *tenant = tenant_of(tenants, token);
	char hash[HASH_HEX_BYTES];

	*out = NULL;
	if (!tenant) {
		err_set(e, ERR_AUTH, "personal token: malformed, or its tenant is unknown");
		return NULL;
	}
	hash_sha256_hex(token.p, token.n, hash);
	return find(p, tenant, hash, out, e, cb, owner);
}

struct op *personal_reauthenticate(struct personal *p, const struct principal *who,
				   struct principal **out, struct err *e, identity_principal_cb cb,
				   void *owner)
{
	return find(p, who->tenant, who->token_hash, out, e, cb, owner);
}

/* ---- permissions of the owner ---- */

static struct sign_in *sign_in_of(struct personal *p, const struct principal *who)
{
	char *user = mem_printf("%s\x1f%s", who->tenant, who->user);
	struct hashmap_node *node = hashmap_find(&p->sign_ins, str_of(user));
	struct share *excess;
	struct sign_in *s;

	if (node) {
		mem_free(user);
		s = hashmap_item(node, struct sign_in, by_user);
		shares_touch(&s->share);
		return s;
	}
	while ((excess = shares_next_to_evict(&p->sign_in_shares)))
		sign_in_free(p, list_item(excess, struct sign_in, share));
	s = mem_alloc(sizeof(*s));
	s->user = user;
	hashmap_add(&p->sign_ins, &s->by_user, str_of(user));
	shares_add(&p->sign_in_shares, &s->share, str_of(who->tenant), 0);
	return s;
}

void identity_permissions_text(const struct principal *who, struct buf *out)
{
	for (size_t i = 0; i < who->permission_count; i++)
		buf_printf(out, "%s%s", i > 0 ? " " : "", who->permissions[i]);
}

void personal_note_sign_in(struct personal *p, const struct principal *who)
{
	struct sign_in *s = sign_in_of(p, who);
	char hash[HASH_HEX_BYTES];
	struct buf text;

	if (who->issued_ms < s->issued_ms)
		return;
	buf_init(&text, LOOKUP_BYTES);
	identity_permissions_text(who, &text);
	hash_sha256_hex(buf_text(&text), text.n, hash);
	if (who->issued_ms != s->issued_ms || strcmp(hash, s->permissions) != 0) {
		s->issued_ms = who->issued_ms;
		memcpy(s->permissions, hash, sizeof(hash));
		store_signed_in(p->store, who, buf_text(&text));
	}
	buf_deinit(&text);
}
