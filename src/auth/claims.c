/*
 * Claims of a verified token: user, tenant, permissions, expiry. The configuration defines claim
 * names and the permissions of roles. A claim that is missing, has the wrong type or an unknown
 * value refuses the token.
 */
#include "auth_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/utf8.h"
#include "vesper/strlist.h"

#define SUB_CHARACTERS_MAX   200
#define PERMISSIONS_MAX      64
#define PERMISSION_BYTES_MAX 100
#define TENANT_MARK          "{tenantid}"
#define TIME_MAX_S           INT64_C(253402300799) /* the end of year 9999 */

/* Seconds since 1970; fractions are allowed by the standard and truncated here. Returns false when
 * it is not a time. */
static bool claim_time(const json_t *claims, const char *name, int64_t *out)
{
	const json_t *value = json_object_get(claims, name);
	if (!json_is_number(value))
		return false;
	double seconds = json_number_value(value);
	if (!(seconds >= 0 && seconds <= (double)TIME_MAX_S))
		return false;
	*out = json_is_integer(value) ? json_integer_value(value) : (int64_t)seconds;
	return true;
}

/* iat and nbf: absent, or a time that is not in the future beyond the leeway. */
static bool not_before_check(const json_t *claims, const char *name, int64_t latest_s)
{
	int64_t time;
	return !json_object_get(claims, name) ||
	       (claim_time(claims, name, &time) && time <= latest_s);
}

static bool times_check(const json_t *claims, int64_t now_ms, int64_t leeway_s, int64_t *expires_ms,
			int64_t *issued_ms, struct err *e)
{
	int64_t expires_s, issued_s;
	if (!claim_time(claims, "exp", &expires_s))
		return jwt_refuse(e, "exp missing or not a time");
	if (now_ms >= (expires_s + leeway_s) * 1000)
		return err_set(e, ERR_AUTH, "expired");
	int64_t latest_s = now_ms / 1000 + leeway_s;
	if (!not_before_check(claims, "nbf", latest_s))
		return jwt_refuse(e, "not valid yet");
	if (!not_before_check(claims, "iat", latest_s))
		return jwt_refuse(e, "issued in the future");
	*expires_ms = expires_s * 1000;
	*issued_ms = claim_time(claims, "iat", &issued_s) ? issued_s * 1000 : 0;
	return true;
}

/* Returns true when no text is required, or the text is the required one. */
static bool matches_required(const char *required, const char *text)
{
	return !required || !*required || strcmp(required, text) == 0;
}

/* The issuer of a multi-tenant application contains the tenant, so its placeholder is filled from
 * the token. The tenant must have been checked before. */
static bool issuer_matches(const json_t *claims, const char *required, const char *issuer)
{
	const char *mark = strstr(required, TENANT_MARK);
	const char *tid;
	size_t head, tid_len;
	if (!mark)
		return strcmp(required, issuer) == 0;
	if (!json_get_str(claims, "tid", &tid, NULL) || !*tid)
		return false;
	head = (size_t)(mark - required);
	tid_len = strlen(tid);
	return strncmp(issuer, required, head) == 0 && strncmp(issuer + head, tid, tid_len) == 0 &&
	       strcmp(issuer + head + tid_len, mark + strlen(TENANT_MARK)) == 0;
}

static bool issuer_check(const json_t *claims, const char *required)
{
	const char *issuer = "";
	return json_opt_str(claims, "iss", &issuer, NULL) &&
	       (!required || !*required || issuer_matches(claims, required, issuer));
}

/* `aud` is a text or a list of texts, one of which must be the required one. */
static bool audience_check(const json_t *claims, const char *required)
{
	const json_t *aud = json_object_get(claims, "aud");
	if (!aud)
		return matches_required(required, "");
	if (json_is_string(aud))
		return matches_required(required, json_string_value(aud));
	bool found = matches_required(required, "");
	for (size_t i = 0; i < json_array_size(aud); i++) {
		const char *one = json_string_value(json_array_get(aud, i));
		if (!one)
			return false;
		found |= matches_required(required, one);
	}
	return json_is_array(aud) && found;
}

/* An application that signs in as itself has roles instead of scopes. */
static bool is_application(const json_t *claims)
{
	const char *idtyp = "app";

	return json_array_size(json_object_get(claims, "roles")) > 0 &&
	       json_opt_str(claims, "idtyp", &idtyp, NULL) && strcmp(idtyp, "app") == 0;
}

static bool scope_check(const json_t *claims, const char *required)
{
	const json_t *scp = json_object_get(claims, "scp");
	struct str rest, one;

	if (!required || !*required)
		return true;
	if (!scp)
		return is_application(claims);
	if (!json_is_string(scp))
		return false;
	rest = str_of(json_string_value(scp));
	while (str_split(&rest, ' ', &one))
		if (str_eq(one, str_of(required)))
			return true;
	return false;
}

/* `azp` in version 2 tokens, `appid` in version 1 tokens. */
static bool client_check(const json_t *claims, const char *const *clients)
{
	const char *client = "";

	if (!clients || !*clients)
		return true;
	if (!json_opt_str(claims, "appid", &client, NULL) ||
	    !json_opt_str(claims, "azp", &client, NULL))
		return false;
	return strlist_has(clients, client);
}

/* The tenant for this value of the claim; NULL: unknown. */
static const char *tenant_of(const struct jwt_options *options, const char *value)
{
	const char *const *values =
		options->tenant_values ? options->tenant_values : options->tenants;
	for (size_t i = 0; options->tenants && options->tenants[i]; i++)
		if (*values[i] && strcmp(values[i], value) == 0)
			return options->tenants[i];
	return NULL;
}

static bool principal_check(const json_t *claims, const struct jwt_options *options,
			    struct principal *who, struct err *e)
{
	const char *user_claim = options->user_claim ? options->user_claim : "sub";
	const char *tenant_claim = options->tenant_claim ? options->tenant_claim : "tenant_id";
	const char *tenant;
	if (!json_get_str(claims, user_claim, &who->user, NULL) || !*who->user ||
	    utf8_count(who->user, strlen(who->user)) > SUB_CHARACTERS_MAX)
		return err_set(e, ERR_AUTH, "token: %s missing, empty or too long", user_claim);
	if (!utf8_is_identifier(who->user, strlen(who->user)))
		return err_set(e, ERR_AUTH,
			       "token: %s must have no control or invisible characters and no "
			       "leading or trailing blanks",
			       user_claim);
	if (!json_get_str(claims, tenant_claim, &tenant, NULL))
		return err_set(e, ERR_AUTH, "token: %s missing", tenant_claim);
	who->tenant = tenant_of(options, tenant);
	if (!who->tenant)
		return jwt_refuse(e, "unknown tenant");
	if (!issuer_check(claims, options->issuer))
		return jwt_refuse(e, "wrong issuer");
	if (!audience_check(claims, options->audience))
		return jwt_refuse(e, "wrong audience");
	if (!scope_check(claims, options->scope))
		return jwt_refuse(e, "without the required scope");
	if (!client_check(claims, options->clients))
		return jwt_refuse(e, "from an application that is not listed");
	return true;
}

/* Fills the array, which has room for PERMISSIONS_MAX. */
static bool permissions_check(const json_t *claims, const char **out, size_t *count, struct err *e)
{
	const json_t *list = json_object_get(claims, "permissions");
	if (!json_is_array(list))
		return jwt_refuse(e, "permissions missing or not a list");
	if (json_array_size(list) > PERMISSIONS_MAX)
		return jwt_refuse(e, "too many permissions");
	for (size_t i = 0; i < json_array_size(list); i++) {
		out[i] = json_string_value(json_array_get(list, i));
		if (!out[i] || !*out[i] || strlen(out[i]) > PERMISSION_BYTES_MAX)
			return jwt_refuse(e, "permissions must be short texts");
	}
	*count = json_array_size(list);
	return true;
}

static void permission_add(const char *permission, const char **out, size_t *count)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(out[i], permission) == 0)
			return;
	if (*count < PERMISSIONS_MAX)
		out[(*count)++] = permission;
}

static const struct jwt_role *role_find(const struct jwt_role *roles, const char *name)
{
	for (; roles->name; roles++)
		if (strcmp(roles->name, name) == 0)
			return roles;
	return NULL;
}

/* The list may contain roles of other applications, which grant nothing. A user without roles has
 * no permissions. */
static bool roles_check(const json_t *claims, const struct jwt_role *roles, const char **out,
			size_t *count, struct err *e)
{
	const json_t *list = json_object_get(claims, "roles");
	const json_t *value;
	size_t i;
	*count = 0;
	if (list && !json_is_array(list))
		return jwt_refuse(e, "roles is not a list");
	json_array_foreach(list, i, value) {
		const struct jwt_role *role;
		if (!json_is_string(value))
			return jwt_refuse(e, "roles must be texts");
		role = role_find(roles, json_string_value(value));
		for (const char *const *p = role ? role->permissions : NULL; p && *p; p++)
			permission_add(*p, out, count);
	}
	return true;
}

bool jwt_claims_check(const json_t *claims, const struct jwt_options *options, int64_t now_ms,
		      struct principal **out, struct err *e)
{
	const char *permissions[PERMISSIONS_MAX];
	struct principal who = {.permissions = permissions};
	bool by_role = options->roles && !json_object_get(claims, "permissions");
	if (!times_check(claims, now_ms, options->leeway_s, &who.expires_ms, &who.issued_ms, e) ||
	    !principal_check(claims, options, &who, e))
		return false;
	if (by_role ? !roles_check(claims, options->roles, permissions, &who.permission_count, e)
		    : !permissions_check(claims, permissions, &who.permission_count, e))
		return false;
	*out = principal_copy(&who);
	return true;
}

/* The first of these claims that is a text. */
static void name_of(const json_t *claims, char out[JWT_NAME_BYTES])
{
	static const char *const names[] = {"name", "preferred_username", "email"};
	const char *name = NULL;

	for (size_t i = 0; !name && i < sizeof(names) / sizeof(names[0]); i++)
		name = json_string_value(json_object_get(claims, names[i]));
	snprintf(out, JWT_NAME_BYTES, "%.*s", STR_CUT(name ? name : "", JWT_NAME_BYTES - 1));
}

bool jwt_id_claims_check(const json_t *claims, const struct jwt_options *options, const char *nonce,
			 int64_t now_ms, struct jwt_user *out, struct err *e)
{
	const char *subject;
	const char *party = options->audience;
	const char *nonce_claim = NULL;
	int64_t expires_ms, issued_ms;

	if (!times_check(claims, now_ms, options->leeway_s, &expires_ms, &issued_ms, e))
		return false;
	if (!json_get_str(claims, "sub", &subject, NULL) || !*subject ||
	    strlen(subject) >= JWT_SUBJECT_BYTES)
		return jwt_refuse(e, "sub missing, empty or too long");
	if (!issuer_check(claims, options->issuer))
		return jwt_refuse(e, "wrong issuer");
	if (!json_object_get(claims, "aud") || !audience_check(claims, options->audience))
		return jwt_refuse(e, "wrong audience");
	if (!json_opt_str(claims, "azp", &party, NULL) || strcmp(party, options->audience) != 0)
		return jwt_refuse(e, "for another application");
	if (nonce &&
	    (!json_get_str(claims, "nonce", &nonce_claim, NULL) || strcmp(nonce_claim, nonce) != 0))
		return jwt_refuse(e, "wrong nonce");
	snprintf(out->subject, sizeof(out->subject), "%s", subject);
	name_of(claims, out->name);
	return true;
}
