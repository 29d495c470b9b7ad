/* Personal access tokens: found only by hash, limited per user, revoked by their owner or an
 * administrator, limited to the permissions of the newest sign-in, audited. */
#include "store_test.h"

#include "vesper/clock.h"
#include "vesper/limits.h"

#define ID      "0198c0de-0000-7000-8000-0000000000%02d"
#define HASH    "%064d"
#define NOW_MS  INT64_C(1772182800000)
#define DAY_MS  (24 * 3600 * 1000)
#define FOREVER "2030-01-01T00:00:00.000Z"

static char received[2000];

static void on_tokens(void *owner, const struct stored_token *list, size_t count,
		      const struct err *e)
{
	struct fixture *f = owner;

	received[0] = '\0';
	for (size_t i = 0; i < count && !e; i++)
		snprintf(received + strlen(received), sizeof(received) - strlen(received),
			 "%s %s %s|%s %s;", list[i].user, list[i].name, list[i].scopes,
			 list[i].permissions, list[i].last_used_at ? list[i].last_used_at : "-");
	f->count = count;
	on_done(owner, e);
}

static enum err_code add_token(struct fixture *f, const struct principal *who, int n,
			       const char *until)
{
	char id[48], hash[80];
	const struct stored_token token = {.token_id = id,
					   .name = "laptop",
					   .hash = hash,
					   .scopes = "chat:use",
					   .permissions = "chat:use chat:read_it",
					   .expires_at = until};

	snprintf(id, sizeof(id), ID, n);
	snprintf(hash, sizeof(hash), HASH, n);
	begin(f);
	store_token_add(f->store, who, &token, f->arena, on_tokens, f);
	wait_done(f);
	return f->err.code;
}

static const char *find_token(struct fixture *f, const char *tenant, int n)
{
	char hash[80];

	snprintf(hash, sizeof(hash), HASH, n);
	begin(f);
	store_token_find(f->store, tenant, hash, f->arena, on_tokens, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	return received;
}

static size_t list_tokens(struct fixture *f, const struct principal *who, bool all)
{
	begin(f);
	store_tokens(f->store, who, all, f->arena, on_tokens, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	return f->count;
}

static enum err_code revoke_token(struct fixture *f, const struct principal *who, int n, bool all)
{
	char id[48];

	snprintf(id, sizeof(id), ID, n);
	begin(f);
	store_token_delete(f->store, who, id, all, on_done, f);
	wait_done(f);
	return f->err.code;
}

/* Pending writes are committed with the next write. */
static void flush_group_commits(struct fixture *f)
{
	assert_int_equal(revoke_token(f, &ann, 99, false), ERR_NOT_FOUND);
}

static const char *read_audit_log(struct fixture *f)
{
	return file_query(f, f->acme,
			  "SELECT group_concat(user_id || ' ' || tool_name || ' ' || "
			  "substr(agent_name, -2), ';') FROM chat_audit_log");
}

static void creates_finds_and_revokes_token(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add_token(f, &ann, 1, FOREVER), ERR_NONE);
	assert_string_equal(received, "ann laptop chat:use|chat:use chat:read_it -;");
	assert_string_equal(find_token(f, "acme", 1),
			    "ann laptop chat:use|chat:use chat:read_it -;");
	assert_string_equal(find_token(f, "acme", 2), "");
	assert_string_equal(find_token(f, "vesper", 1),
			    ""); /* the hash is not found in another tenant */
	assert_int_equal(list_tokens(f, &bob, false), 0);
	assert_int_equal(list_tokens(f, &bob, true), 1);
	assert_int_equal(list_tokens(f, &ann_other_tenant, true), 0);

	assert_int_equal(revoke_token(f, &bob, 1, false), ERR_NOT_FOUND);
	assert_int_equal(revoke_token(f, &ann_other_tenant, 1, true), ERR_NOT_FOUND);
	assert_int_equal(list_tokens(f, &ann, false), 1);
	assert_int_equal(revoke_token(f, &ann, 1, false), ERR_NONE);
	assert_int_equal(revoke_token(f, &ann, 1, false), ERR_NOT_FOUND);
	assert_string_equal(find_token(f, "acme", 1), "");

	assert_int_equal(add_token(f, &ann, 2, FOREVER), ERR_NONE);
	assert_int_equal(revoke_token(f, &bob, 2, true), ERR_NONE);
	assert_string_equal(read_audit_log(f), "ann token.created 01;ann token.revoked 01;"
					       "ann token.created 02;bob token.revoked 02");
}

static void limits_tokens_per_user(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < TOKENS_PER_USER_MAX; i++)
		assert_int_equal(
			add_token(f, &ann, i, i < 2 ? "2001-01-01T00:00:00.000Z" : FOREVER),
			ERR_NONE);
	/* the two expired tokens were deleted */
	assert_int_equal(add_token(f, &ann, 90, FOREVER), ERR_NONE);
	assert_int_equal(add_token(f, &ann, 91, FOREVER), ERR_NONE);
	assert_int_equal(add_token(f, &ann, 92, FOREVER), ERR_LIMIT);
	assert_non_null(strstr(f->err.text, "revoke one"));
	assert_string_equal(find_token(f, "acme", 92), "");
	assert_int_equal(add_token(f, &bob, 93, FOREVER), ERR_NONE);
	assert_int_equal(list_tokens(f, &ann, false), TOKENS_PER_USER_MAX);
}

static void sign_in(struct fixture *f, int64_t issued_ms, const char *permissions)
{
	struct principal who = ann;

	who.issued_ms = issued_ms;
	store_signed_in(f->store, &who, permissions);
	flush_group_commits(f);
}

static void newest_sign_in_sets_permissions(void **state)
{
	struct fixture *f = *state;
	struct principal ann_signed_in = ann;

	ann_signed_in.issued_ms = NOW_MS;
	assert_int_equal(add_token(f, &ann_signed_in, 1, FOREVER), ERR_NONE);
	assert_int_equal(add_token(f, &bob, 2, FOREVER), ERR_NONE);
	sign_in(f, NOW_MS + 2000, "chat:use");
	assert_string_equal(find_token(f, "acme", 1), "ann laptop chat:use|chat:use -;");
	sign_in(f, NOW_MS + 1000, "chat:use chat:admin"); /* an older token of the provider */
	assert_string_equal(find_token(f, "acme", 1), "ann laptop chat:use|chat:use -;");
	sign_in(f, NOW_MS + 2000,
		"chat:read_it"); /* the roles' permissions have changed meanwhile */
	assert_string_equal(find_token(f, "acme", 1), "ann laptop chat:use|chat:read_it -;");
	assert_string_equal(find_token(f, "acme", 2),
			    "bob laptop chat:use|chat:use chat:read_it -;");
}

static void use_token(struct fixture *f)
{
	char id[48];

	snprintf(id, sizeof(id), ID, 1);
	store_token_used(f->store, &ann, id);
	flush_group_commits(f);
}

static void audits_first_use_of_day(void **state)
{
	struct fixture *f = *state;

	clock_freeze_ms(NOW_MS);
	assert_int_equal(add_token(f, &ann, 1, FOREVER), ERR_NONE);
	use_token(f);
	assert_string_equal(find_token(f, "acme", 1),
			    "ann laptop chat:use|chat:use chat:read_it 2026-02-27T09:00:00.000Z;");
	use_token(f);
	clock_freeze_ms(NOW_MS + DAY_MS);
	use_token(f);
	clock_release();
	assert_string_equal(read_audit_log(f),
			    "ann token.created 01;ann token.used 01;ann token.used 01");
}

static void tokens_are_deleted_with_user(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add_token(f, &ann, 1, FOREVER), ERR_NONE);
	assert_int_equal(add_token(f, &bob, 2, FOREVER), ERR_NONE);
	begin(f);
	store_user_delete(f->store, &bob, "ann", on_done, f);
	wait_done(f);
	assert_string_equal(find_token(f, "acme", 1), "");
	assert_string_equal(find_token(f, "acme", 2),
			    "bob laptop chat:use|chat:use chat:read_it -;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(creates_finds_and_revokes_token, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(limits_tokens_per_user, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(newest_sign_in_sets_permissions, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(audits_first_use_of_day, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(tokens_are_deleted_with_user, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
