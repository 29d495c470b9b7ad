/* Hashes, compared with published vectors, and canonical base64url. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vesper/hash.h"

static void sha256_matches_published_vectors(void **state)
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

static void hasher_accepts_text_in_parts(void **state)
{
	struct hasher *h = hasher_new();
	char in_parts[HASH_HEX_BYTES], at_once[HASH_HEX_BYTES];

	(void)state;
	for (int i = 0; i < 3; i++) {
		hasher_add(h, "a", 1);
		hasher_add(h, "", 0);
		hasher_add(h, "bc", 2);
		hasher_end_hex(h, in_parts);
		hash_sha256_hex("abc", 3, at_once);
		assert_string_equal(in_parts, at_once);
		hasher_end_hex(h, in_parts);
		hash_sha256_hex("", 0, at_once);
		assert_string_equal(in_parts, at_once);
	}
	hasher_free(&h);
	assert_null(h);
}

static void hmac_matches_rfc_4231(void **state)
{
	(void)state;
	/* RFC 4231, case 2 */
	static const uint8_t expected[] = {0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e,
					   0x6a, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xc7,
					   0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27, 0x39, 0x83,
					   0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43};
	uint8_t out[HASH_SHA256_BYTES];
	hash_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, out);
	assert_true(hash_equal(out, expected, sizeof(out)));
	out[31] ^= 1;
	assert_false(hash_equal(out, expected, sizeof(out)));
}

static void assert_base64url(const char *plain, const char *encoded)
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

static void encodes_and_decodes_base64url(void **state)
{
	(void)state;
	assert_base64url("", "");
	assert_base64url("f", "Zg");
	assert_base64url("fo", "Zm8");
	assert_base64url("foo", "Zm9v");
	assert_base64url("foob", "Zm9vYg");
	assert_base64url("\xfb\xff\xfe", "-__-");
}

static void rejects_noncanonical_base64url(void **state)
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

static void decodes_only_canonical_base64(void **state)
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
		cmocka_unit_test(sha256_matches_published_vectors),
		cmocka_unit_test(hasher_accepts_text_in_parts),
		cmocka_unit_test(hmac_matches_rfc_4231),
		cmocka_unit_test(encodes_and_decodes_base64url),
		cmocka_unit_test(rejects_noncanonical_base64url),
		cmocka_unit_test(decodes_only_canonical_base64),
		cmocka_unit_test(random_bytes_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
