/* Reads the sign-in settings of browsers. */
#include "signin_int.h"

#include <string.h>

#include "jwks.h"

#define PARAMETERS_BYTES_MAX 4096

/* "https://vesper.example.com": only an origin, because Origin headers are compared with it. */
bool signin_check_public_url(const char *url, struct err *e)
{
	const char *host = strstr(url, "://");

	if (!http_url_is_safe(url))
		return err_set(e, ERR_INPUT,
			       "server.public_url: must be an https address (http on loopback "
			       "only), because sign-ins return to it");
	if (!host || !host[3] || strpbrk(host + 3, "/?#"))
		return err_set(e, ERR_INPUT,
			       "server.public_url: must be scheme and host only, without a path");
	for (const char *c = url; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			return err_set(
				e, ERR_INPUT,
				"server.public_url: must be in lower case, as browsers send it");
	return true;
}

static const char *join_scopes(const struct config *c, struct arena *a)
{
	const char *const *scopes = config_texts(c, "signin.scopes", a);
	const char *all = "";

	for (; *scopes; scopes++)
		all = arena_printf(a, "%s%s%s", all, *all ? " " : "", *scopes);
	return all;
}

static bool is_reserved(const char *name)
{
	static const char *const reserved[] = {"response_type",
					       "response_mode",
					       "client_id",
					       "redirect_uri",
					       "scope",
					       "state",
					       "nonce",
					       "code_challenge",
					       "request",
					       "request_uri",
					       "code_challenge_method"};

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(name, reserved[i]) == 0)
			return true;
	return false;
}

static bool encode_parameters(const json_t *map, struct arena *a, const char **out, struct err *e)
{
	struct buf text;
	const char *name;
	json_t *value;
	bool is_ok = true;

	buf_init(&text, PARAMETERS_BYTES_MAX);
	json_object_foreach((json_t *)map, name, value) {
		if (is_reserved(name) || !str_is_name(name, 40))
			is_ok = err_set(e, ERR_INPUT, "signin.parameters: %.*s cannot be set",
					STR_CUT(name, 40));
		buf_char(&text, '&');
		form_encode(&text, name);
		buf_char(&text, '=');
		form_encode(&text, json_string_value(value));
	}
	if (buf_over(&text))
		is_ok = err_set(e, ERR_INPUT, "signin.parameters: too long");
	*out = arena_strdup(a, buf_text(&text));
	buf_deinit(&text);
	return is_ok;
}

static bool check_scope(const char *scope, struct err *e)
{
	struct str rest = str_of(scope), scope_part;

	while (str_split(&rest, ' ', &scope_part))
		if (str_eq(scope_part, STR("openid")))
			return true;
	return err_set(e, ERR_INPUT, "signin.scopes: must include openid");
}

bool signin_options_read(const struct config *c, struct arena *a, bool *is_enabled,
			 struct signin_options *out, struct err *e)
{
	*is_enabled = *config_text(c, "signin.client_id") != 0;
	if (!*is_enabled)
		return true;
	*out = (struct signin_options){
		.public_url = config_text(c, "server.public_url"),
		.client_id = config_text(c, "signin.client_id"),
		.client_secret = config_text(c, "signin.client_secret"),
		.scope = join_scopes(c, a),
		.bearer_is_id_token = strcmp(config_text(c, "signin.bearer"), "id_token") == 0,
		.session_ms = config_int(c, "signin.session_h") * 3600 * 1000,
	};
	if (!jwks_is_discovery(config_text(c, "auth.jwks_url")))
		return err_set(e, ERR_INPUT,
			       "signin.client_id: signing in needs auth.jwks_url to be the "
			       "provider's …/.well-known/openid-configuration");
	return signin_check_public_url(out->public_url, e) && check_scope(out->scope, e) &&
	       encode_parameters(config_json(c, "signin.parameters"), a, &out->parameters, e);
}
