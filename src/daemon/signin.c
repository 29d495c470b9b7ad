/* Who may sign in, from the configuration: algorithms, keys, tenants, and what roles stand for. */
#include "daemon.h"

#include <string.h>

#include "vesper/catalog.h"
#include "vesper/transport.h"

#define DEMO_SECRET "vesper demo secret, never used outside demo mode"

static bool algorithm_listed(const struct daemon *d, const char *name)
{
	const json_t *list = config_json(d->config, "auth.algorithms");
	const json_t *one;
	size_t i;

	if (json_array_size(list) == 0)
		return (strcmp(name, "RS256") == 0) ==
		       (*config_text(d->config, "auth.jwks_url") != 0);
	json_array_foreach(list, i, one)
		if (strcmp(json_string_value(one), name) == 0)
			return true;
	return false;
}

static bool check_algorithms(const struct daemon *d, struct err *e)
{
	const json_t *one;
	size_t i;

	json_array_foreach(config_json(d->config, "auth.algorithms"), i, one)
		if (strcmp(json_string_value(one), "RS256") != 0 &&
		    strcmp(json_string_value(one), "HS256") != 0)
			return err_set(e, ERR_INPUT, "auth.algorithms: RS256 and HS256 are known");
	if (config_bool(d->config, "demo") && !algorithm_listed(d, "HS256"))
		return err_set(e, ERR_INPUT, "auth.algorithms: demo mode needs HS256");
	return true;
}

/* The demo signs anybody in as anybody, and its secret is in its source. */
static bool check_demo_address(const struct daemon *d, struct err *e)
{
	if (!config_bool(d->config, "demo") || config_bool(d->config, "demo_public") ||
	    transport_is_loopback(config_text(d->config, "listen")))
		return true;
	return err_set(
		e, ERR_INPUT,
		"demo: it signs anybody in, so it listens on this machine only: set listen to "
		"127.0.0.1:8080 or [::1]:8080, or say with demo_public "
		"(VESPER_DEMO_PUBLIC=1) that everybody who reaches %s may use it",
		config_text(d->config, "listen"));
}

static bool choose_secret(struct daemon *d, struct err *e)
{
	bool demo = config_bool(d->config, "demo");

	if (!algorithm_listed(d, "HS256"))
		return true;
	d->secret = config_text(d->config, "auth.jwt_secret");
	if (!*d->secret && demo)
		d->secret = DEMO_SECRET;
	if (!*d->secret)
		return err_set(e, ERR_INPUT,
			       "auth.jwt_secret is not set (VESPER_JWT_SECRET), and this is no "
			       "demo (VESPER_DEMO=1)");
	if (!demo && strcmp(d->secret, DEMO_SECRET) == 0)
		return err_set(e, ERR_INPUT,
			       "auth.jwt_secret: the demo's secret is refused outside demo mode");
	if (!demo && strlen(d->secret) < 32)
		return err_set(e, ERR_INPUT,
			       "auth.jwt_secret: at least 32 bytes are wanted outside demo mode");
	return true;
}

/* An issuer signs tokens for others, too: whose they are and for whom must be checked. */
static bool choose_issuer(struct daemon *d, struct identity_options *o, struct err *e)
{
	if (!algorithm_listed(d, "RS256"))
		return true;
	if (!*config_text(d->config, "auth.jwks_url") || !*o->jwt.issuer || !*o->jwt.audience)
		return err_set(e, ERR_INPUT,
			       "RS256 needs auth.jwks_url, auth.issuer and auth.audience");
	/* Any directory may sign in with such an issuer and put what it likes into other claims. */
	if (strstr(o->jwt.issuer, "{tenantid}") && strcmp(o->jwt.tenant_claim, "tid") != 0)
		return err_set(e, ERR_INPUT, "auth.issuer: {tenantid} needs auth.tenant_claim tid");
	o->jwks_url = config_text(d->config, "auth.jwks_url");
	o->jwks_refresh_ms = config_int(d->config, "auth.jwks_refresh_s") * 1000;
	return true;
}

static bool may_sign_in(const json_t *allowed, const char *tenant)
{
	const json_t *one;
	size_t i;

	json_array_foreach(allowed, i, one)
		if (strcmp(json_string_value(one), tenant) == 0)
			return true;
	return json_array_size(allowed) == 0;
}

static bool choose_tenants(struct daemon *d, struct jwt_options *o, struct err *e)
{
	const json_t *allowed = config_json(d->config, "auth.tenants");
	const json_t *tenants = config_json(d->config, "tenants");
	const char **ids = arena_alloc(d->arena, sizeof(*ids) * (d->databases.tenant_count + 1));
	const char **values =
		arena_alloc(d->arena, sizeof(*values) * (d->databases.tenant_count + 1));
	const json_t *one;
	size_t n = 0, i;

	json_array_foreach(allowed, i, one)
		if (!json_object_get(tenants, json_string_value(one)))
			return err_set(e, ERR_INPUT, "auth.tenants: one of them is no tenant");
	for (i = 0; i < d->databases.tenant_count; i++) {
		const char *id = d->databases.tenant_ids[i];
		const char *claim =
			json_string_value(json_object_get(json_object_get(tenants, id), "claim"));

		if (!may_sign_in(allowed, id))
			continue;
		ids[n] = id;
		values[n++] = claim ? claim : id;
	}
	o->tenants = ids;
	o->tenant_values = values;
	return true;
}

static const char *const *list_of(struct daemon *d, const char *key)
{
	const json_t *list = config_json(d->config, key);
	const char **texts = arena_alloc(d->arena, sizeof(*texts) * (json_array_size(list) + 1));

	for (size_t i = 0; i < json_array_size(list); i++)
		texts[i] = json_string_value(json_array_get(list, i));
	return texts;
}

bool daemon_open_identity(struct daemon *d, struct err *e)
{
	struct identity_options o = {
		.jwt = {.issuer = config_text(d->config, "auth.issuer"),
			.audience = config_text(d->config, "auth.audience"),
			.tenant_claim = config_text(d->config, "auth.tenant_claim"),
			.user_claim = config_text(d->config, "auth.user_claim"),
			.scope = config_text(d->config, "auth.scope"),
			.clients = list_of(d, "auth.clients"),
			.leeway_s = config_int(d->config, "auth.leeway_s")},
		.rates = {.user_per_minute = config_int(d->config, "limits.user_per_minute"),
			  .tenant_per_minute = config_int(d->config, "limits.tenant_per_minute")},
		.loop = d->loop,
		.http = d->http,
		.shared = d->cache_shared ? d->cache : NULL,
	};

	if (!check_demo_address(d, e) || !check_algorithms(d, e) || !choose_secret(d, e) ||
	    !choose_issuer(d, &o, e) || !choose_tenants(d, &o.jwt, e))
		return false;
	o.jwt.hs256_secret = d->secret;
	return identity_new(&o, &d->identity, e);
}

static const char *const *texts_copy(struct arena *a, const char *const *texts)
{
	const char **copy;
	size_t n = 0;

	while (texts[n])
		n++;
	copy = arena_alloc(a, sizeof(*copy) * (n + 1));
	for (size_t i = 0; i < n; i++)
		copy[i] = arena_strdup(a, texts[i]);
	return copy;
}

/* A role of config/permissions.json with what the packs of all lists add to it: a permission that a
 * tenant's packs do not know opens nothing there. */
static const char *const *role_permissions(const struct catalog *const *catalogs, size_t count,
					   const char *role, struct arena *a)
{
	const char **all;
	size_t n = 0, room = 1;

	if (!catalog_role(catalogs[0], role))
		return NULL;
	for (size_t i = 0; i < count; i++)
		for (const char *const *p = catalog_role(catalogs[i], role); p && *p; p++)
			room++;
	all = arena_alloc(a, room * sizeof(*all));
	for (size_t i = 0; i < count; i++)
		for (const char *const *p = catalog_role(catalogs[i], role); p && *p; p++) {
			size_t k = 0;

			while (k < n && strcmp(all[k], *p) != 0)
				k++;
			if (k == n)
				all[n++] = *p;
		}
	all[n] = NULL;
	return all;
}

/* What the roles of tokens stand for in these catalogues. */
static bool roles_load(const struct daemon *d, const struct catalog *const *catalogs, size_t count,
		       struct arena *a, const struct jwt_role **out, struct err *e)
{
	const json_t *map = config_json(d->config, "auth.role_map");
	struct jwt_role *roles = arena_alloc(a, sizeof(*roles) * (json_object_size(map) + 1));
	const char *name;
	json_t *role;
	size_t n = 0;

	json_object_foreach((json_t *)map, name, role) {
		const char *const *permissions =
			role_permissions(catalogs, count, json_string_value(role), a);

		if (!permissions)
			return err_set(e, ERR_INPUT,
				       "auth.role_map: %s: config/permissions.json has no role %s",
				       name, json_string_value(role));
		roles[n++] = (struct jwt_role){name, texts_copy(a, permissions)};
	}
	*out = n > 0 ? roles : NULL;
	return true;
}

bool daemon_use_roles(struct daemon *d, const struct catalog *const *catalogs, size_t count,
		      struct err *e)
{
	struct arena *a = arena_new(1 << 20);
	const struct jwt_role *roles = NULL;

	if (!roles_load(d, catalogs, count, a, &roles, e)) {
		arena_free(&a);
		return false;
	}
	identity_use_roles(d->identity, roles);
	arena_free(&d->roles);
	d->roles = a;
	return true;
}
