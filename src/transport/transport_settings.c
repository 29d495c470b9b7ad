/* Reads the transport settings: dialects, origins, connection limits. */
#include "port/transport_int.h"

#include <string.h>

#include "vesper/choice.h"
#include "vesper/json.h"
#include "vesper/strlist.h"

/* The sign-in scopes of this API: those that begin with auth.audience. */
static const char *const *own_scopes(const struct config *c, struct arena *a)
{
	const char *audience = config_text(c, "auth.audience");
	const char *const *all = config_texts(c, "signin.scopes", a);
	struct strlist own = {0};

	for (; *audience && *all; all++)
		if (strncmp(*all, audience, strlen(audience)) == 0)
			strlist_add(&own, a, *all);
	strlist_add(&own, a, NULL);
	return own.items;
}

static const struct choice first_frame_words[] = {{"browser", false}, {"always", true}, {NULL, 0}};

static bool read_dialects(const struct config *c, struct arena *a, unsigned *out, struct err *e)
{
	static const struct choice words[] = {{"ai", CLIENT_AI},
					      {"agui", CLIENT_AGUI},
					      {"openai", CLIENT_OPENAI},
					      {"mcp", CLIENT_MCP},
					      {NULL, 0}};
	const char *const *names = config_texts(c, "dialects", a);
	int dialect;

	for (*out = 0; *names; names++) {
		if (!choice_find(words, *names, &dialect))
			return err_set(e, ERR_INPUT,
				       "dialects: \"%s\" is unknown. Use ai, agui, openai or mcp",
				       *names);
		*out |= (unsigned)dialect;
	}
	return true;
}

bool transport_settings_read(const struct config *c, struct arena *take,
			     struct transport_settings **out, struct err *e)
{
	struct transport_settings *s = settings_new(take, sizeof(*s));

	config_retain(c, take);
	if (!read_dialects(c, take, &s->dialects, e)) {
		settings_release(s);
		return false;
	}
	s->origins = config_texts(c, "auth.origins", take);
	s->frame_hosts = config_texts(c, "pbi.hosts", take);
	s->per_address = (size_t)config_int(c, "limits.connections_per_address");
	s->per_user = (size_t)config_int(c, "limits.connections_per_user");
	s->per_tenant = (size_t)config_int(c, "limits.connections_per_tenant");
	s->hide_existence = config_bool(c, "checks.hide_existence");
	s->aliases = config_bool(c, "api.aliases");
	s->allow_query_token = config_bool(c, "auth.allow_query_token");
	s->first_frame_always = choice_of(first_frame_words, config_text(c, "auth.first_frame"));
	s->public_url = config_text(c, "server.public_url");
	s->issuer = config_text(c, "auth.issuer");
	s->scopes = own_scopes(c, take);
	if (*s->public_url && !signin_check_public_url(s->public_url, e)) {
		settings_release(s);
		return false;
	}
	*out = s;
	return true;
}
