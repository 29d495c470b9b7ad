/* Reads the settings of authentication: algorithms, keys and tenants. */
#include <string.h>

#include "jwks.h"
#include "vesper/config.h"

#define DEMO_SECRET "vesper demo secret, never used outside demo mode"

static bool algorithm_listed(const struct config *c, const char *name)
{
	const json_t *list = config_json(c, "auth.algorithms");
	const json_t *item;
	size_t i;

	if (json_array_size(list) == 0)
		return (strcmp(name, "RS256") == 0) == (*config_text(c, "auth.jwks_url") != 0);
	json_array_foreach(list, i, item)
		if (strcmp(json_string_value(item), name) == 0)
			return true;
	return false;
}

static bool check_algorithms(const struct config *c, struct err *e)
{
	const json_t *item;
	size_t i;

	json_array_foreach(config_json(c, "auth.algorithms"), i, item)
		if (strcmp(json_string_value(item), "RS256") != 0 &&
		    strcmp(json_string_value(item), "HS256") != 0)
			return err_set(e, ERR_INPUT, "auth.algorithms: must be RS256 or HS256");
	if (config_bool(c, "demo") && !algorithm_listed(c, "HS256"))
		return err_set(e, ERR_INPUT, "auth.algorithms: demo mode needs HS256");
	return true;
}

static bool choose_secret(const struct config *c, struct jwt_options *o, struct err *e)
{
	bool demo = config_bool(c, "demo");

	if (!algorithm_listed(c, "HS256"))
		return true;
	o->hs256_secret = config_text(c, "auth.jwt_secret");
	if (!*o->hs256_secret && demo)
		o->hs256_secret = DEMO_SECRET;
	if (!*o->hs256_secret)
		return err_set(
			e, ERR_INPUT,
			"auth.jwt_secret is not set. Set VESPER_JWT_SECRET, or start the demo "
			"with VESPER_DEMO=1");
	if (!demo && strcmp(o->hs256_secret, DEMO_SECRET) == 0)
		return err_set(e, ERR_INPUT,
			       "auth.jwt_secret: the demo secret is refused outside demo mode");
	if (!demo && strlen(o->hs256_secret) < 32)
		return err_set(e, ERR_INPUT,
			       "auth.jwt_secret: must have at least 32 bytes outside demo mode");
	return true;
}

/* An issuer also signs tokens for other applications, so issuer and audience must be checked. */
static bool choose_issuer(const struct config *c, struct identity_options *o, struct err *e)
{
	if (!algorithm_listed(c, "RS256"))
		return true;
	if (!*config_text(c, "auth.jwks_url") || !*o->jwt.issuer || !*o->jwt.audience)
		return err_set(e, ERR_INPUT,
			       "RS256 needs auth.jwks_url, auth.issuer and auth.audience");
	/* With such an issuer, users of any directory may sign in, and other claims may hold any
	 * value. */
	if (strstr(o->jwt.issuer, "{tenantid}") && strcmp(o->jwt.tenant_claim, "tid") != 0)
		return err_set(e, ERR_INPUT, "auth.issuer: {tenantid} needs auth.tenant_claim tid");
	o->jwks_url = config_text(c, "auth.jwks_url");
	o->jwks_refresh_ms = config_int(c, "auth.jwks_refresh_s") * 1000;
	return jwks_url_check(o->jwks_url, e);
}

static bool may_sign_in(const json_t *allowed, const char *tenant)
{
	const json_t *item;
	size_t i;

	json_array_foreach(allowed, i, item)
		if (strcmp(json_string_value(item), tenant) == 0)
			return true;
	return json_array_size(allowed) == 0;
}

static bool choose_tenants(const struct config *c, struct arena *a, struct jwt_options *o,
			   struct err *e)
{
	const json_t *allowed = config_json(c, "auth.tenants");
	const json_t *tenants = config_json(c, "tenants");
	const char **ids = arena_alloc(a, sizeof(*ids) * (json_object_size(tenants) + 1));
	const char **values = arena_alloc(a, sizeof(*values) * (json_object_size(tenants) + 1));
	const json_t *item;
	const char *id;
	json_t *tenant;
	size_t n = 0, i;

	json_array_foreach(allowed, i, item)
		if (!json_object_get(tenants, json_string_value(item)))
			return err_set(e, ERR_INPUT,
				       "auth.tenants: must contain only tenants that are "
				       "configured in tenants");
	json_object_foreach((json_t *)tenants, id, tenant) {
		const char *claim = json_string_value(json_object_get(tenant, "claim"));

		if (!may_sign_in(allowed, id))
			continue;
		ids[n] = id;
		values[n++] = claim ? claim : id;
	}
	o->tenants = ids;
	o->tenant_values = values;
	return true;
}

static bool read_all(const struct config *c, struct arena *a, struct identity_options *o,
		     struct err *e)
{
	o->jwt = (struct jwt_options){
		.issuer = config_text(c, "auth.issuer"),
		.audience = config_text(c, "auth.audience"),
		.tenant_claim = config_text(c, "auth.tenant_claim"),
		.user_claim = config_text(c, "auth.user_claim"),
		.scope = config_text(c, "auth.scope"),
		.clients = config_texts(c, "auth.clients", a),
		.leeway_s = config_int(c, "auth.leeway_s"),
	};
	o->rates = (struct rate_limits){
		.user_per_minute = config_int(c, "limits.user_per_minute"),
		.tenant_per_minute = config_int(c, "limits.tenant_per_minute"),
	};
	o->personal_tokens = config_bool(c, "auth.personal_tokens");
	return check_algorithms(c, e) && choose_secret(c, &o->jwt, e) && choose_issuer(c, o, e) &&
	       choose_tenants(c, a, &o->jwt, e);
}

bool identity_settings_read(const struct config *c, struct arena *take,
			    struct identity_settings **out, struct err *e)
{
	struct identity_settings *s = settings_new(take, sizeof(*s));

	config_retain(c, take);
	if (!read_all(c, take, &s->options, e)) {
		settings_release(s);
		return false;
	}
	*out = s;
	return true;
}
