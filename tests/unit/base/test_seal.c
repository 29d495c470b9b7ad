/* Sealed bytes: opened completely or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vesper/seal.h"

static const uint8_t key[SEAL_KEY_BYTES] = {1, 2, 3};
static const uint8_t other[SEAL_KEY_BYTES] = {1, 2, 4};

static void sealed_text_opens_unchanged(void **state)
{
	static const char *const texts[] = {"", "x", "a longer text than one block of the cipher"};
	struct buf sealed, plain;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		buf_init(&sealed, 1000);
		buf_init(&plain, 1000);
		seal_add(&sealed, key, str_of(texts[i]));
		assert_true(sealed.n > strlen(texts[i]));
		if (*texts[i])
			assert_null(strstr(buf_text(&sealed), texts[i]));
		assert_true(seal_open(&plain, key, (struct str){sealed.p, sealed.n}));
		assert_string_equal(buf_text(&plain), texts[i]);
		buf_deinit(&sealed);
		buf_deinit(&plain);
	}
}

static void wrong_key_or_changed_bytes_do_not_open(void **state)
{
	struct buf sealed, plain;

	(void)state;
	buf_init(&sealed, 1000);
	buf_init(&plain, 1000);
	seal_add(&sealed, key, STR("a secret"));
	assert_false(seal_open(&plain, other, (struct str){sealed.p, sealed.n}));
	for (size_t n = 0; n < sealed.n; n++)
		assert_false(seal_open(&plain, key, (struct str){sealed.p, n}));
	for (size_t i = 0; i < sealed.n; i++) {
		sealed.p[i] ^= 1;
		assert_false(seal_open(&plain, key, (struct str){sealed.p, sealed.n}));
		sealed.p[i] ^= 1;
	}
	assert_int_equal(plain.n, 0);
	assert_true(seal_open(&plain, key, (struct str){sealed.p, sealed.n}));
	buf_deinit(&sealed);
	buf_deinit(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sealed_text_opens_unchanged),
		cmocka_unit_test(wrong_key_or_changed_bytes_do_not_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
