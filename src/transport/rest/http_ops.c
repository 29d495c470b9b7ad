/* Probes and tickets; in demo mode also the page and its sign-in. */
#include "http_route.h"

#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/jwt.h"
#include "vesper/limits.h"
#include "vesper/metric.h"
#include "vesper/strlist.h"

static void reply_status(struct request *r, int status, const char *name)
{
	json_t *body = json_object();

	json_set_str(body, "status", name);
	reply_json(r, status, body);
}

void on_livez(struct request *r)
{
	reply_status(r, 200, "ok");
}

void on_readyz(struct request *r)
{
	bool ready = health_is_ready();

	reply_status(r, ready ? 200 : 503, ready ? "ready" : "not ready");
}

static void on_waiting(void *owner, const char *tenant)
{
	json_push_take(owner, json_str(tenant));
}

/* For the operator: lists the tenants that cannot be served. */
void on_admin_readyz(struct request *r)
{
	bool ready = health_is_ready();
	json_t *body = json_object();
	json_t *tenants = json_array();

	health_each_waiting(on_waiting, tenants);
	json_set_str(body, "status", ready ? "ready" : "not ready");
	json_set_take(body, "not_ready", tenants);
	reply_json(r, ready ? 200 : 503, body);
}

static void on_check(void *owner, const char *check, enum health_state state, const char *note)
{
	json_t *checks = owner;
	char text[320];

	if (state == HEALTH_OK || !note || !*note)
		snprintf(text, sizeof(text), "%s", health_state_name(state));
	else
		snprintf(text, sizeof(text), "%s: %s", health_state_name(state), note);
	json_set_str(checks, check, text);
}

/* Names of checks contain tenants, and their notes contain hosts and files, so the public answer is
 * one word. */
void on_health(struct request *r)
{
	reply_status(r, 200, health_is_healthy() ? "healthy" : "degraded");
}

void on_admin_health(struct request *r)
{
	json_t *body = json_object();
	json_t *checks = json_object();

	health_each(on_check, checks);
	json_set_str(body, "status", health_is_healthy() ? "healthy" : "degraded");
	json_set_take(body, "checks", checks);
	reply_json(r, 200, body);
}

void on_metrics(struct request *r)
{
	struct buf text;

	buf_init(&text, METRICS_BYTES_MAX);
	metric_text(&text);
	reply_bytes(r, 200, "text/plain; version=0.0.4; charset=utf-8", buf_text(&text), text.n);
	buf_deinit(&text);
}

static void on_ticket(void *owner, const char *ticket)
{
	struct request *r = owner;
	json_t *body = json_object();

	r->op = NULL;
	json_set_str(body, "ticket", ticket);
	json_set_int(body, "expires_in", TICKET_LIFE_MS / 1000);
	reply_json(r, 200, body);
}

void on_post_ticket(struct request *r)
{
	r->op = identity_ticket_new(r->transport->options.identity, r->who, request_token(r),
				    on_ticket, r);
}

/* Issues no token that authentication would reject; this also detects an unknown tenant. */
static bool demo_token(struct request *r, const char *tenant, const char *role, struct buf *token,
		       struct err *e)
{
	const struct transport_options *o = &r->transport->options;
	const struct turn_knowledge *k = turns_knowledge(o->turns, tenant);
	const char *const *permissions = k ? catalog_role(k->catalog, role) : NULL;
	const struct principal who = {
		.user = arena_printf(r->arena, "demo-%s@%s", role, tenant),
		.tenant = tenant,
		.permissions = permissions,
		.permission_count = permissions ? strlist_len(permissions) : 0,
	};
	struct principal *checked;

	if (!k)
		return err_set(e, ERR_INPUT, "tenant: unknown tenant");
	if (!permissions)
		return err_set(e, ERR_INPUT, "role: unknown role");
	identity_mint(o->identity, token, &who, DEMO_TOKEN_LIFE_S);
	if (!identity_token(o->identity, (struct str){buf_text(token), token->n}, &checked, NULL))
		return err_set(e, ERR_INPUT, "tenant: unknown tenant");
	principal_free(&checked);
	return true;
}

void on_demo_login(struct request *r)
{
	static const char *const names[] = {"tenant", "role", NULL};
	const char *tenant;
	const char *role;
	struct buf token;
	struct err e;
	json_t *body;

	buf_init(&token, TOKEN_BYTES_MAX);
	if (json_check_members(r->body, names, &e) &&
	    json_get_str(r->body, "tenant", &tenant, &e) &&
	    json_get_str(r->body, "role", &role, &e) && demo_token(r, tenant, role, &token, &e)) {
		body = json_object();
		json_set_str(body, "token", buf_text(&token));
		reply_json(r, 200, body);
	} else {
		reply_invalid(r, &e);
	}
	buf_deinit(&token);
}
