/* Personal access tokens: looked up by their hash, cached for two seconds, and limited to the
 * permissions in both lists. The store is scripted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/identity.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/op_deferred.h"
#include "vesper/store.h"

#define SECRET "0123456789abcdef0123456789abcdef"
#define NOW_MS INT64_C(1772182800000)
#define ENDS   "2026-02-27T09:01:00.000Z" /* a minute later */

static const char *const tenants[] = {"vesper", "a_b", NULL};
static struct loop *loop;
static struct identity *identity;

/* ---- The store ---- */

static char known_hash[HASH_HEX_BYTES];
static struct stored_token row;
static enum err_code store_error;
static size_t lookup_count, running, uses, sign_ins;
static char looked_up_tenant[40];
static char signed_in[80];

struct find {
	struct op_deferred op;
	char hash[HASH_HEX_BYTES];
	store_tokens_cb cb;
	void *owner;
};

static void on_answer(struct op_deferred *op)
{
	struct find *f = (struct find *)op;
	struct err e;

	if (store_error != ERR_NONE) {
		err_set(&e, store_error, "the store is unavailable");
		f->cb(f->owner, NULL, 0, &e);
	} else {
		f->cb(f->owner, &row, strcmp(f->hash, known_hash) == 0, NULL);
	}
}

struct op *store_token_find(struct store *s, const char *tenant, const char *hash, struct arena *a,
			    store_tokens_cb cb, void *owner)
{
	struct find *f = op_deferred_new(loop, sizeof(*f), &running, on_answer, NULL);

	(void)s;
	(void)a;
	lookup_count++;
	snprintf(looked_up_tenant, sizeof(looked_up_tenant), "%s", tenant);
	snprintf(f->hash, sizeof(f->hash), "%s", hash);
	f->cb = cb;
	f->owner = owner;
	return &f->op.op;
}

void store_token_used(struct store *s, const struct principal *who, const char *token_id)
{
	(void)s;
	assert_string_equal(who->user, "ann");
	assert_string_equal(token_id, "id");
	uses++;
}

void store_signed_in(struct store *s, const struct principal *who, const char *permissions)
{
	(void)s;
	(void)who;
	sign_ins++;
	snprintf(signed_in, sizeof(signed_in), "%s", permissions);
}

/* ---- Fixture ---- */

static int setup(void **state)
{
	const struct identity_options o = {
		.jwt = {.hs256_secret = SECRET, .tenants = tenants, .leeway_s = 60},
		.loop = NULL,
		.store = (struct store *)&row,
		.personal_tokens = true,
	};
	struct identity_options with_loop = o;

	(void)state;
	clock_freeze_ms(NOW_MS);
	assert_true(loop_new(&loop, NULL));
	with_loop.loop = loop;
	assert_true(identity_new(&with_loop, &identity, NULL));
	row = (struct stored_token){.token_id = "id",
				    .user = "ann",
				    .scopes = "chat:use chat:read chat:admin data:use",
				    .permissions = "chat:read chat:use chat:more",
				    .expires_at = ENDS};
	store_error = ERR_NONE;
	lookup_count = uses = sign_ins = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(running, 0);
	identity_free(&identity);
	loop_free(&loop);
	clock_release();
	return 0;
}

static struct principal *authenticated;
static struct err auth_err;
static int answers;

static void on_who(void *owner, struct principal *take, const struct err *e)
{
	(void)owner;
	answers++;
	authenticated = take;
	auth_err = e ? *e : (struct err){0};
}

/* The principal of the token. Free with principal_free. */
static struct principal *authenticate(const char *token)
{
	struct principal *who;
	struct op *op;

	answers = 0;
	auth_err = (struct err){0};
	op = identity_authenticate(identity, str_of(token), &who, &auth_err, on_who, NULL);
	if (!op)
		return who;
	while (answers == 0)
		loop_run_once(loop);
	return authenticated;
}

static enum err_code refusal_code(const char *token)
{
	struct principal *who = authenticate(token);

	assert_null(who);
	return auth_err.code;
}

static void assert_accepted(const char *token)
{
	struct principal *who = authenticate(token);

	if (!who)
		fail_msg("%s", auth_err.text);
	assert_string_equal(who->user, "ann");
	principal_free(&who);
}

/* A new token that the store has. */
static char *token_new(const char *tenant)
{
	struct buf text;
	char *token;

	buf_init(&text, TOKEN_BYTES_MAX);
	identity_generate_personal_token(tenant, &text);
	token = buf_take(&text);
	hash_sha256_hex(token, strlen(token), known_hash);
	return token;
}

/* ---- The tests ---- */

static void token_text_has_fixed_format(void **state)
{
	char *one = token_new("a_b"), *other = token_new("a_b");

	(void)state;
	assert_int_equal(strlen(one), strlen("vsp_a_b_") + 52);
	assert_memory_equal(one, "vsp_a_b_", 8);
	assert_int_equal(strspn(one + 8, "abcdefghijklmnopqrstuvwxyz234567"), 52);
	assert_string_not_equal(one, other);
	assert_accepted(other);
	assert_string_equal(looked_up_tenant, "a_b");
	assert_int_equal(refusal_code(one), ERR_AUTH);
	mem_free(one);
	mem_free(other);
}

static void permissions_are_intersection_with_scopes(void **state)
{
	char *token = token_new("vesper");
	struct principal *who = authenticate(token);

	(void)state;
	assert_int_equal(who->permission_count, 2);
	assert_true(may(who, "chat:use") && may(who, "chat:read"));
	assert_string_equal(who->tenant, "vesper");
	assert_string_equal(who->token_hash, known_hash);
	assert_true(who->token_uses_sources &&
		    !may(who, "data:use")); /* a sign-in does not grant it */
	assert_int_equal(who->expires_ms, NOW_MS + 60000);
	principal_free(&who);
	mem_free(token);
}

static void malformed_tokens_are_not_looked_up(void **state)
{
	static const char *const none[] = {
		"vsp_",
		"vsp_vesper",
		"vsp_vesper_abc",
		"vsp__aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"vsp_vesperaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"vsp_nobody_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"vsp_vesper_x_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(refusal_code(none[i]), ERR_AUTH);
	assert_int_equal(lookup_count, 0);
}

static void answer_is_cached_for_two_seconds(void **state)
{
	char *token = token_new("vesper");

	(void)state;
	assert_accepted(token);
	clock_advance_ms(TOKEN_CACHE_MS - 1);
	assert_accepted(token);
	assert_int_equal(lookup_count, 1);
	*known_hash = '\0'; /* revoked by another replica */
	clock_advance_ms(1);
	assert_int_equal(refusal_code(token), ERR_AUTH);
	assert_int_equal(refusal_code(token), ERR_AUTH); /* the refusal is cached too */
	assert_int_equal(lookup_count, 2);
	mem_free(token);
}

static void local_revocation_is_immediate(void **state)
{
	char *token = token_new("vesper");

	(void)state;
	assert_accepted(token);
	*known_hash = '\0';
	identity_personal_revoked(identity);
	assert_int_equal(refusal_code(token), ERR_AUTH);
	mem_free(token);
}

static void reauthenticates_known_principal(void **state)
{
	char *token = token_new("vesper");
	struct principal *who = authenticate(token), *again;
	struct op *op;

	(void)state;
	op = identity_reauthenticate(identity, who, &again, &auth_err, on_who, NULL);
	assert_null(op);
	assert_string_equal(again->user, "ann");
	principal_free(&again);
	*known_hash = '\0';
	identity_personal_revoked(identity);
	answers = 0;
	assert_non_null(identity_reauthenticate(identity, who, &again, &auth_err, on_who, NULL));
	while (answers == 0)
		loop_run_once(loop);
	assert_null(authenticated);
	assert_int_equal(auth_err.code, ERR_AUTH);
	principal_free(&who);
	mem_free(token);
}

static void expires_to_the_millisecond(void **state)
{
	char *token = token_new("vesper");
	struct principal *who;

	(void)state;
	clock_advance_ms(59999);
	who = authenticate(token);
	assert_false(identity_expired(identity, who));
	clock_advance_ms(1);
	assert_true(identity_expired(identity, who)); /* Vesper set the expiry itself: no leeway */
	assert_int_equal(refusal_code(token), ERR_AUTH);
	assert_string_equal(auth_err.text, "expired");
	row.expires_at = "soon";
	clock_advance_ms(TOKEN_CACHE_MS);
	assert_int_equal(refusal_code(token), ERR_AUTH);
	principal_free(&who);
	mem_free(token);
}

/* If the store fails, the token is not reported as invalid. */
static void store_is_unavailable(void **state)
{
	char *token = token_new("vesper");

	(void)state;
	store_error = ERR_UPSTREAM;
	assert_int_equal(refusal_code(token), ERR_UPSTREAM);
	store_error = ERR_NONE;
	assert_accepted(token);
	mem_free(token);
}

static void concurrent_lookups_are_limited(void **state)
{
	char *token = token_new("vesper");
	struct op *ops[TOKEN_LOOKUPS_MAX];
	struct principal *who;

	(void)state;
	for (int i = 0; i < TOKEN_LOOKUPS_MAX; i++) {
		ops[i] = identity_authenticate(identity, str_of(token), &who, &auth_err, on_who,
					       NULL);
		assert_non_null(ops[i]);
	}
	assert_int_equal(refusal_code(token), ERR_LIMIT);
	for (int i = 0; i < TOKEN_LOOKUPS_MAX; i++)
		op_cancel(&ops[i]);
	assert_accepted(token);
	mem_free(token);
}

static void use_is_recorded_once_per_minute(void **state)
{
	char *token = token_new("vesper");

	(void)state;
	assert_accepted(token);
	assert_int_equal(uses, 1);
	row.last_used_at = "2026-02-27T09:00:00.000Z";
	clock_advance_ms(TOKEN_CACHE_MS);
	assert_accepted(token);
	assert_int_equal(uses, 1);
	row.last_used_at = "2026-02-27T08:59:00.000Z";
	clock_advance_ms(TOKEN_CACHE_MS);
	assert_accepted(token);
	assert_int_equal(uses, 2);
	mem_free(token);
}

static void sign_in(int64_t at_ms, size_t permission_count)
{
	static const char *const all[] = {"chat:use", "chat:read"};
	const struct principal ann = {.user = "ann",
				      .tenant = "vesper",
				      .permissions = all,
				      .permission_count = permission_count};
	struct principal *who;
	struct buf token;

	buf_init(&token, TOKEN_BYTES_MAX);
	jwt_mint(&token, &ann, at_ms, 3600, SECRET);
	who = authenticate(buf_text(&token));
	assert_non_null(who);
	principal_free(&who);
	buf_deinit(&token);
}

static void newest_sign_in_is_recorded(void **state)
{
	(void)state;
	sign_in(NOW_MS - 5000, 2);
	sign_in(NOW_MS - 5000, 2);
	assert_int_equal(sign_ins, 1);
	assert_string_equal(signed_in, "chat:use chat:read");
	sign_in(NOW_MS - 2000, 1);
	assert_int_equal(sign_ins, 2);
	assert_string_equal(signed_in, "chat:use");
	sign_in(NOW_MS - 5000, 2); /* an older token that is still valid */
	assert_int_equal(sign_ins, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(token_text_has_fixed_format, setup, teardown),
		cmocka_unit_test_setup_teardown(permissions_are_intersection_with_scopes, setup,
						teardown),
		cmocka_unit_test_setup_teardown(malformed_tokens_are_not_looked_up, setup,
						teardown),
		cmocka_unit_test_setup_teardown(answer_is_cached_for_two_seconds, setup, teardown),
		cmocka_unit_test_setup_teardown(local_revocation_is_immediate, setup, teardown),
		cmocka_unit_test_setup_teardown(reauthenticates_known_principal, setup, teardown),
		cmocka_unit_test_setup_teardown(expires_to_the_millisecond, setup, teardown),
		cmocka_unit_test_setup_teardown(store_is_unavailable, setup, teardown),
		cmocka_unit_test_setup_teardown(concurrent_lookups_are_limited, setup, teardown),
		cmocka_unit_test_setup_teardown(use_is_recorded_once_per_minute, setup, teardown),
		cmocka_unit_test_setup_teardown(newest_sign_in_is_recorded, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
