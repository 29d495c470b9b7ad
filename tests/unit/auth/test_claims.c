/* Claims with configured names and roles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "auth_int.h"
#include "vesper/json.h"

#define NOW_MS INT64_C(1772182800000)
#define EXP    "\"exp\":1772182900"
#define TID    "9b1f6f0e-0000-4000-8000-000000000001"
#define ISS    "https://login.example/" TID "/v2.0"

static const char *const tenants[] = {"vesper", "acme", NULL};
static const char *const values[] = {TID, "9b1f6f0e-0000-4000-8000-000000000002", NULL};
static const char *const viewer[] = {"chat:use", "chat:read_projects", NULL};
static const char *const admin[] = {"chat:use", "chat:admin", NULL};
static const struct jwt_role roles[] = {
	{"Vesper.Viewer", viewer}, {"Vesper.Admin", admin}, {NULL, NULL}};
static struct jwt_options entra = {
	.tenants = tenants,
	.tenant_values = values,
	.tenant_claim = "tid",
	.user_claim = "oid",
	.roles = roles,
	.issuer = "https://login.example/{tenantid}/v2.0",
	.audience = "api",
};

static struct principal *check(const char *claims, const char **why)
{
	static struct err e;
	struct principal *who = NULL;
	json_t *object;

	assert_true(json_parse(claims, strlen(claims), 10000, &object, NULL));
	if (!jwt_claims_check(object, &entra, NOW_MS, &who, &e)) {
		assert_null(who);
		*why = e.text;
	}
	json_decref(object);
	return who;
}

static void refused(const char *claims, const char *wanted)
{
	const char *why = "accepted";
	struct principal *who = check(claims, &why);

	principal_free(&who);
	if (!strstr(why, wanted))
		fail_msg("%s: wanted \"%s\", got \"%s\"", claims, wanted, why);
}

static void accepted(const char *claims)
{
	const char *why = "";
	struct principal *who = check(claims, &why);

	if (!who)
		fail_msg("%s: %s", claims, why);
	principal_free(&who);
}

#define CLAIMS(oid, tid, iss, rest)                                                                \
	"{\"oid\":\"" oid "\",\"tid\":\"" tid "\",\"iss\":\"" iss "\",\"aud\":\"api\"," EXP rest "}"

static void roles_grant_permissions(void **state)
{
	const char *why = "";
	struct principal *who =
		check(CLAIMS("o-1", TID, ISS,
			     ",\"roles\":[\"Vesper.Viewer\",\"Other.App\",\"Vesper.Admin\"]"),
		      &why);

	(void)state;
	assert_non_null(who);
	assert_string_equal(who->user, "o-1");
	assert_string_equal(who->tenant, "vesper");
	assert_true(may(who, "chat:use") && may(who, "chat:read_projects") &&
		    may(who, "chat:admin"));
	assert_int_equal(who->permission_count, 3);
	principal_free(&who);
}

#define USER(rest) CLAIMS("o-1", TID, ISS, ",\"roles\":[\"Vesper.Viewer\"]" rest)

static void scopes_and_applications(void **state)
{
	static const char *const listed[] = {"app-1", "app-2", NULL};
	struct jwt_options before = entra;

	(void)state;
	accepted(USER(""));
	entra.scope = "Chat.Use";
	accepted(USER(",\"scp\":\"Chat.Use\""));
	accepted(USER(",\"scp\":\"User.Read Chat.Use\""));
	accepted(USER("")); /* the token of an application */
	accepted(USER(",\"idtyp\":\"app\""));
	refused(USER(",\"scp\":\"Chat.UseAll\""), "scope");
	refused(USER(",\"scp\":\"\""), "scope");
	refused(USER(",\"scp\":[\"Chat.Use\"]"), "scope");
	refused(USER(",\"idtyp\":\"user\""), "scope");
	refused(CLAIMS("o-1", TID, ISS, ",\"roles\":[]"), "scope");
	entra = before;
	entra.clients = listed;
	accepted(USER(",\"azp\":\"app-2\""));
	accepted(USER(",\"appid\":\"app-1\""));
	refused(USER(",\"azp\":\"app-3\""), "application");
	refused(USER(",\"azp\":\"app-3\",\"appid\":\"app-1\""), "application");
	refused(USER(",\"azp\":7"), "application");
	refused(USER(""), "application");
	entra = before;
}

static void no_role_grants_no_permission(void **state)
{
	const char *why = "";
	const char *const claims[] = {CLAIMS("o-1", TID, ISS, ""),
				      CLAIMS("o-1", TID, ISS, ",\"roles\":[]"),
				      CLAIMS("o-1", TID, ISS, ",\"roles\":[\"vesper.viewer\"]")};

	(void)state;
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		struct principal *who = check(claims[i], &why);

		assert_non_null(who);
		assert_int_equal(who->permission_count, 0);
		principal_free(&who);
	}
}

static void permissions_take_precedence_over_roles(void **state)
{
	const char *why = "";
	struct principal *who = check(CLAIMS("o-1", TID, ISS,
					     ",\"roles\":[\"Vesper.Admin\"],"
					     "\"permissions\":[\"chat:use\"]"),
				      &why);

	(void)state;
	assert_non_null(who);
	assert_false(may(who, "chat:admin"));
	principal_free(&who);
}

static void rejects_invalid_claims(void **state)
{
	(void)state;
	refused(CLAIMS("", TID, ISS, ""), "oid");
	refused("{\"sub\":\"ann\",\"tid\":\"" TID "\"," EXP "}", "oid");
	refused("{\"oid\":\"o\",\"tenant_id\":\"vesper\"," EXP "}", "tid missing");
	/* The issuer does not confirm the configured name of a tenant. */
	refused(CLAIMS("o", "vesper", "https://login.example/vesper/v2.0", ""), "unknown tenant");
	refused(CLAIMS("o", "unknown", "https://login.example/unknown/v2.0", ""), "unknown tenant");
	refused(CLAIMS("o", "", "https://login.example//v2.0", ""), "unknown tenant");
	refused(CLAIMS("o", TID, "https://login.example/{tenantid}/v2.0", ""), "wrong issuer");
	refused(CLAIMS("o", TID, "https://login.example/9b1f6f0e-0000-4000-8000-000000000002/v2.0",
		       ""),
		"wrong issuer");
	refused(CLAIMS("o", TID, ISS "/", ""), "wrong issuer");
	refused(CLAIMS("o", TID, "https://login.example/", ""), "wrong issuer");
	refused(CLAIMS("o", TID, ISS, ",\"roles\":\"Vesper.Admin\""), "roles");
	refused(CLAIMS("o", TID, ISS, ",\"roles\":[5]"), "roles");
	refused(CLAIMS("o", TID, ISS, ",\"permissions\":\"chat:admin\""), "permissions");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roles_grant_permissions),
		cmocka_unit_test(no_role_grants_no_permission),
		cmocka_unit_test(scopes_and_applications),
		cmocka_unit_test(permissions_take_precedence_over_roles),
		cmocka_unit_test(rejects_invalid_claims),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
