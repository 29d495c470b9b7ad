/* Hashes against published vectors, base64url in canonical form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vesper/hash.h"

static void sha256(void **state)
{
	(void)state;
	char hex[HASH_HEX_BYTES];
	hash_sha256_hex("abc", 3, hex);
	assert_string_equal(hex,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	hash_sha256_hex("", 0, hex);
	assert_string_equal(hex,
			    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void hasher_hashes_texts_in_parts(void **state)
{
	struct hasher *h = hasher_new();
	char one[HASH_HEX_BYTES], whole[HASH_HEX_BYTES];

	(void)state;
	for (int i = 0; i < 3; i++) {
		hasher_add(h, "a", 1);
		hasher_add(h, "", 0);
		hasher_add(h, "bc", 2);
		hasher_end_hex(h, one);
		hash_sha256_hex("abc", 3, whole);
		assert_string_equal(one, whole);
		hasher_end_hex(h, one);
		hash_sha256_hex("", 0, whole);
		assert_string_equal(one, whole);
	}
	hasher_free(&h);
	assert_null(h);
}

static void hmac(void **state)
{
	(void)state;
	/* RFC 4231, case 2 */
	static const uint8_t want[] = {0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e,
				       0x6a, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xc7,
				       0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27, 0x39, 0x83,
				       0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43};
	uint8_t out[HASH_SHA256_BYTES];
	hash_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, out);
	assert_true(hash_equal(out, want, sizeof(out)));
	out[31] ^= 1;
	assert_false(hash_equal(out, want, sizeof(out)));
}

static void check(const char *plain, const char *encoded)
{
	struct buf b;
	buf_init(&b, 100);
	hash_base64url(&b, plain, strlen(plain));
	assert_string_equal(buf_text(&b), encoded);
	buf_reset(&b);
	assert_true(hash_base64url_decode(&b, encoded, strlen(encoded)));
	assert_string_equal(buf_text(&b), plain);
	buf_deinit(&b);
}

static void base64url(void **state)
{
	(void)state;
	check("", "");
	check("f", "Zg");
	check("fo", "Zm8");
	check("foo", "Zm9v");
	check("foob", "Zm9vYg");
	check("\xfb\xff\xfe", "-__-");
}

static void base64url_is_strict(void **state)
{
	(void)state;
	const char *bad[] = {"Z", "Zg==", "Zh", "Zm9", "Zm+v", "Zm/v", "Zm 9v", "Zm9vZ", "Zg\n"};
	struct buf b;
	buf_init(&b, 100);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (hash_base64url_decode(&b, bad[i], strlen(bad[i])))
			fail_msg("%s", bad[i]);
	buf_deinit(&b);
}

static void base64_is_read_in_canonical_form_only(void **state)
{
	static const char *const good[][2] = {
		{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"\xfb\xff\xfe", "+//+"}};
	static const char *const bad[] = {"Zg",   "Zg=",   "Zg===", "Zh==", "Zm9=",    "-__-",
					  "Zm 9", "Zm9v=", "=",     "====", "Zg==Zg=="};
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		buf_reset(&b);
		assert_true(hash_base64_decode(&b, good[i][1], strlen(good[i][1])));
		assert_string_equal(buf_text(&b), good[i][0]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (hash_base64_decode(&b, bad[i], strlen(bad[i])))
			fail_msg("%s", bad[i]);
	buf_deinit(&b);
}

static void random_bytes_differ(void **state)
{
	(void)state;
	uint8_t a[16] = {0};
	uint8_t b[16] = {0};
	hash_random(a, sizeof(a));
	hash_random(b, sizeof(b));
	assert_false(hash_equal(a, b, sizeof(a)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256),
		cmocka_unit_test(hasher_hashes_texts_in_parts),
		cmocka_unit_test(hmac),
		cmocka_unit_test(base64url),
		cmocka_unit_test(base64url_is_strict),
		cmocka_unit_test(base64_is_read_in_canonical_form_only),
		cmocka_unit_test(random_bytes_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
