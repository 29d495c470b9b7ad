/* Sign-in: the parts that depend on several folders. */
#include "daemon.h"

#include <string.h>

#include "vesper/catalog.h"
#include "vesper/transport.h"
#include "vesper/strlist.h"

/* The demo lets every caller sign in as any user, and its secret is in the source code. */
static bool check_demo_address(const struct daemon *d, struct err *e)
{
	if (!config_bool(d->config, "demo") || config_bool(d->config, "demo_public") ||
	    transport_is_loopback(config_text(d->config, "listen")))
		return true;
	return err_set(
		e, ERR_INPUT,
		"demo: anyone can sign in, so the demo listens on loopback only: set listen to "
		"127.0.0.1:8080 or [::1]:8080, or set demo_public (VESPER_DEMO_PUBLIC=1) to "
		"let everyone who can reach %s use it",
		config_text(d->config, "listen"));
}

bool daemon_open_identity(struct daemon *d, struct err *e)
{
	struct identity_options o = d->settings.identity->options;

	o.loop = d->loop;
	o.http = d->http;
	o.shared = d->cache.shared ? d->cache.store : NULL;
	o.store = d->store;
	return check_demo_address(d, e) && identity_new(&o, &d->identity, e);
}

bool daemon_open_signin(struct daemon *d, struct err *e)
{
	struct signin_options o;
	bool is_enabled;

	if (!signin_options_read(d->config, d->arena, &is_enabled, &o, e))
		return false;
	if (!is_enabled)
		return true;
	o.secret = daemon_shared_secret(d);
	o.identity = d->identity;
	o.loop = d->loop;
	o.http = d->http;
	o.shared = d->cache.shared ? d->cache.store : NULL;
	d->signin = signin_new(&o);
	return true;
}

/* The permissions of a role in config/permissions.json, with the additions of the packs of all
 * lists. A permission unknown to a tenant's packs grants nothing to that tenant. */
static const char *const *role_permissions(const struct catalog *const *catalogs, size_t count,
					   const char *role, struct arena *a)
{
	const char **all;
	size_t n = 0, max_count = 1;

	if (!catalog_role(catalogs[0], role))
		return NULL;
	for (size_t i = 0; i < count; i++)
		for (const char *const *p = catalog_role(catalogs[i], role); p && *p; p++)
			max_count++;
	all = arena_alloc(a, max_count * sizeof(*all));
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

bool signin_read_roles(const struct config *c, const struct catalog *const *catalogs, size_t count,
		       struct arena *a, const struct jwt_role **out, struct err *e)
{
	const json_t *map = config_json(c, "auth.role_map");
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
		roles[n++] = (struct jwt_role){arena_strdup(a, name), strlist_copy(permissions, a)};
	}
	*out = n > 0 ? roles : NULL;
	return true;
}
