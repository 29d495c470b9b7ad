/* Reads the Power BI settings from the configuration. */
#include "pbi_int.h"
#include "vesper/choice.h"
#include "vesper/config.h"

static const struct choice identities[] = {
	{"none", PBI_IDENTITY_NONE},
	{"user", PBI_IDENTITY_USER},
	{"tenant", PBI_IDENTITY_TENANT},
	{NULL, 0},
};

static void read_reports(const json_t *map, struct arena *a, struct pbi_options *o)
{
	struct pbi_report *out = arena_alloc(a, sizeof(*out) * (json_object_size(map) + 1));
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)map, name, value)
		out[o->report_count++] = (struct pbi_report){name, json_string_value(value)};
	o->reports = out;
}

static void read_roles(const json_t *map, struct arena *a, struct pbi_options *o)
{
	struct pbi_role *out = arena_alloc(a, sizeof(*out) * (json_object_size(map) + 1));
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)map, name, value)
		out[o->role_count++] = (struct pbi_role){name, json_string_value(value)};
	o->roles = out;
}

/* Without row-level identity, a report may only serve one tenant. */
static bool check(const struct config *c, const struct pbi_options *o, struct err *e)
{
	if (o->identity == PBI_IDENTITY_NONE && o->role_count > 0)
		return err_set(e, ERR_INPUT, "pbi.roles: pbi.identity must be user or tenant");
	if (o->identity == PBI_IDENTITY_NONE && json_object_size(config_json(c, "tenants")) > 1)
		return err_set(e, ERR_INPUT,
			       "pbi.identity: must be user or tenant if there are several tenants. "
			       "Otherwise one tenant could see the rows of another");
	return true;
}

bool pbi_settings_read(const struct config *c, struct arena *take, struct pbi_settings **out,
		       struct err *e)
{
	struct pbi_settings *s = settings_new(take, sizeof(*s));
	struct pbi_options *o = &s->options;

	config_retain(c, take);
	o->login_url = config_text(c, "pbi.login_url");
	o->api_url = config_text(c, "pbi.api_url");
	o->scope = config_text(c, "pbi.scope");
	o->hosts = config_texts(c, "pbi.hosts", take);
	o->tenant_id = config_text(c, "pbi.tenant_id");
	o->client_id = config_text(c, "pbi.client_id");
	o->client_secret = config_text(c, "pbi.client_secret");
	o->identity = (enum pbi_identity)choice_of(identities, config_text(c, "pbi.identity"));
	read_reports(config_json(c, "pbi.reports"), take, o);
	read_roles(config_json(c, "pbi.roles"), take, o);
	s->wanted = *o->tenant_id || *o->client_id || *o->client_secret;
	if (pbi_hosts_check(o->hosts, e) && (!s->wanted || check(c, o, e))) {
		*out = s;
		return true;
	}
	settings_release(s);
	return false;
}
