/* Personal access tokens: a signed-in user creates, lists and revokes them. A token is shown only
 * in the answer that creates it, so that answer is not stored for idempotent retries. */
#include "rest/http_route.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/store.h"
#include "vesper/utf8.h"
#include "vesper/uuid.h"

/* A token that could create tokens would outlive its own expiry, and one that could revoke them
 * could lock its user out. */
static bool may_manage(struct request *r)
{
	if (!r->who->token_hash)
		return true;
	reply_problem(r, CODE_DENIED, "A personal token cannot manage tokens. Sign in.");
	return false;
}

/* An administrator manages the tokens of the whole tenant. */
static bool may_manage_all(const struct request *r)
{
	return may(r->who, "chat:admin");
}

static json_t *scopes_json(const char *scopes)
{
	struct str rest = str_of(scopes), scope;
	json_t *list = json_array();

	while (str_split(&rest, ' ', &scope))
		if (scope.n > 0)
			json_push_take(list, json_strn(scope.p, scope.n));
	return list;
}

static json_t *token_json(const struct stored_token *t)
{
	json_t *out = json_make({"token_id", json_str(t->token_id)}, {"name", json_str(t->name)},
				{"scopes", scopes_json(t->scopes)}, {"user_id", json_str(t->user)},
				{"created_at", json_str(t->created_at)},
				{"expires_at", json_str(t->expires_at)});

	json_set_str(out, "last_used_at", t->last_used_at);
	return out;
}

/* ---- Creating ---- */

/* The requested token; texts are in the request's arena. */
struct new_token {
	const char *name, *scopes;
	int64_t lifetime_s;
	const char *text; /* of the token */
};

/* Allowed scopes are the permissions of the tenant's packs and the one to use data sources; a
 * single source cannot be a scope. */
static bool read_scopes(const struct request *r, struct new_token *m, struct err *e)
{
	const struct catalog *c =
		turns_knowledge(r->transport->options.turns, r->who->tenant)->catalog;
	struct buf text;
	json_t *list = NULL;
	const json_t *one;
	size_t i;

	if (!json_opt_array(r->body, "scopes", &list, e))
		return false;
	if (json_array_size(list) == 0)
		return err_set(e, ERR_INPUT, "scopes: must list the permissions of the token");
	buf_init(&text, BODY_BYTES_MAX);
	json_array_foreach(list, i, one) {
		const char *scope = json_string_value(one);

		if (!scope || !may(r->who, scope) ||
		    (!catalog_has_permission(c, scope) && strcmp(scope, PERMISSION_SOURCES) != 0)) {
			buf_deinit(&text);
			return err_set(e, ERR_INPUT,
				       "scopes[%zu]: must be one of your own permissions", i);
		}
		buf_printf(&text, "%s%s", i > 0 ? " " : "", scope);
	}
	m->scopes = arena_strdup(r->arena, buf_text(&text));
	buf_deinit(&text);
	return true;
}

static bool read_body(const struct request *r, struct new_token *m, struct err *e)
{
	static const char *const names[] = {"name", "scopes", "expires_in_s", NULL};

	*m = (struct new_token){.lifetime_s = TOKEN_LIFE_S};
	if (!json_check_members(r->body, names, e) || !json_get_str(r->body, "name", &m->name, e) ||
	    !json_opt_int(r->body, "expires_in_s", &m->lifetime_s, e))
		return false;
	if (strlen(m->name) > TOKEN_NAME_BYTES_MAX || !utf8_is_identifier(m->name, strlen(m->name)))
		return err_set(e, ERR_INPUT, "name: must be 1 to %d bytes of visible text",
			       TOKEN_NAME_BYTES_MAX);
	if (m->lifetime_s < 1 || m->lifetime_s > TOKEN_LIFE_S_MAX)
		return err_set(e, ERR_INPUT, "expires_in_s: must be from 1 to %d",
			       TOKEN_LIFE_S_MAX);
	return read_scopes(r, m, e);
}

static void on_created(void *owner, const struct stored_token *tokens, size_t count,
		       const struct err *e)
{
	struct request *r = owner;
	const struct new_token *m = r->task;
	json_t *body;

	(void)count;
	r->op = NULL;
	if (e && e->code == ERR_LIMIT) {
		reply_problem(r, CODE_INVALID, e->text);
	} else if (e) {
		reply_err(r, e);
	} else {
		body = token_json(&tokens[0]);
		json_set_str(body, "token", m->text);
		reply_json(r, 201, body);
	}
}

static void create_token(struct request *r, struct new_token *m)
{
	char hash[HASH_HEX_BYTES], expires_at[CLOCK_RFC3339_BYTES];
	struct buf text, permissions;

	buf_init(&text, TOKEN_BYTES_MAX);
	buf_init(&permissions, BODY_BYTES_MAX);
	identity_generate_personal_token(r->who->tenant, &text);
	identity_permissions_text(r->who, &permissions);
	hash_sha256_hex(buf_text(&text), text.n, hash);
	clock_rfc3339(clock_now_ms() + m->lifetime_s * 1000, expires_at);
	m->text = arena_strdup(r->arena, buf_text(&text));
	r->op = store_token_add(r->transport->options.store, r->who,
				&(struct stored_token){.token_id = uuid_new().text,
						       .name = m->name,
						       .hash = hash,
						       .scopes = m->scopes,
						       .permissions = buf_text(&permissions),
						       .expires_at = expires_at},
				r->arena, on_created, r);
	buf_deinit(&permissions);
	buf_deinit(&text);
}

void on_post_tokens(struct request *r)
{
	struct new_token *m = arena_alloc(r->arena, sizeof(*m));
	struct err e = {0};

	r->task = m;
	if (!may_manage(r))
		return;
	if (read_body(r, m, &e))
		create_token(r, m);
	else
		reply_invalid(r, &e);
}

/* ---- Listing and revoking ---- */

static void on_listed(void *owner, const struct stored_token *tokens, size_t count,
		      const struct err *e)
{
	struct request *r = owner;
	json_t *data;

	if (reply_failed(r, e))
		return;
	data = json_array();
	for (size_t i = 0; i < count; i++)
		json_push_take(data, token_json(&tokens[i]));
	reply_json(r, 200, json_make({"data", data}));
}

void on_get_tokens(struct request *r)
{
	if (may_manage(r))
		r->op = store_tokens(r->transport->options.store, r->who, may_manage_all(r),
				     r->arena, on_listed, r);
}

static void on_revoked(void *owner, const struct err *e)
{
	struct request *r = owner;

	identity_personal_revoked(r->transport->options.identity);
	reply_done(r, e);
}

void on_delete_token(struct request *r)
{
	if (!may_manage(r))
		return;
	if (uuid_valid(r->params[0]))
		r->op = store_token_delete(r->transport->options.store, r->who, r->params[0],
					   may_manage_all(r), on_revoked, r);
	else
		reply_problem(r, CODE_NOT_FOUND, NULL);
}
