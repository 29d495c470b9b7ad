/* The state that a form returns is valid only unchanged, for its user, and until it expires. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "rest/dialect/mcp_state.h"
#include "vesper/mem.h"

static const uint8_t secret[SEAL_KEY_BYTES] = "a secret";
static const uint8_t other_secret[SEAL_KEY_BYTES] = "another";
static const uint8_t salt[MCP_SALT_BYTES] = "salt";
static const struct mcp_state state = {"t", "u", "s", "q", "skip it", 1000};

static char *sealed(const struct mcp_state *s)
{
	struct buf out;
	char *text;

	buf_init(&out, 10000);
	mcp_state_seal(&out, secret, salt, s);
	text = mem_strdup(buf_text(&out));
	buf_deinit(&out);
	return text;
}

static bool opens(const char *text, const uint8_t *key, const char *tenant, const char *user,
		  int64_t now_ms)
{
	struct arena *a = arena_new(1 << 12);
	struct mcp_state out;
	bool is_valid = mcp_state_open(text, key, tenant, user, now_ms, a, &out);

	if (is_valid) {
		assert_string_equal(out.session, "s");
		assert_string_equal(out.ask_id, "q");
		assert_int_equal(out.expires_ms, 1000);
	}
	arena_free(&a);
	return is_valid;
}

static void opens_for_its_user_until_it_expires(void **none)
{
	char *text = sealed(&state);

	(void)none;
	assert_true(opens(text, secret, "t", "u", 999));
	assert_false(opens(text, secret, "t", "u", 1000));
	assert_false(opens(text, secret, "t", "v", 999));
	assert_false(opens(text, secret, "v", "u", 999));
	assert_false(opens(text, other_secret, "t", "u", 999));
	mem_free(text);
}

static void rejects_any_changed_character(void **none)
{
	char *text = sealed(&state);
	size_t n = strlen(text);

	(void)none;
	assert_null(strstr(text, "u\""));
	for (size_t i = 0; i < n; i++) {
		char original = text[i];

		text[i] = original == 'A' ? 'B' : 'A';
		assert_false(opens(text, secret, "t", "u", 0));
		text[i] = '\0';
		assert_false(opens(text, secret, "t", "u", 0));
		text[i] = original;
	}
	assert_true(opens(text, secret, "t", "u", 0));
	mem_free(text);
}

static void keeps_the_skip_value(void **none)
{
	struct mcp_state without_skip = state, out;
	struct arena *a = arena_new(1 << 12);
	char *text = sealed(&state);

	(void)none;
	assert_true(mcp_state_open(text, secret, "t", "u", 0, a, &out));
	assert_string_equal(out.skip, "skip it");
	mem_free(text);
	without_skip.skip = NULL;
	text = sealed(&without_skip);
	assert_true(mcp_state_open(text, secret, "t", "u", 0, a, &out));
	assert_null(out.skip);
	mem_free(text);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_for_its_user_until_it_expires),
		cmocka_unit_test(rejects_any_changed_character),
		cmocka_unit_test(keeps_the_skip_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
