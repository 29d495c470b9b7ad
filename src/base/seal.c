/* Sealed bytes, with libcrypto: the ciphertext, then its tag. If libcrypto fails, the process ends,
 * since no code that relies on it may continue. */
#include "vesper/seal.h"

#include <assert.h>
#include <limits.h>
#include <openssl/evp.h>

#include "vesper/mem.h"

#define TAG_BYTES 16

static const uint8_t no_nonce[12];

void seal_add(struct buf *out, const uint8_t key[SEAL_KEY_BYTES], struct str plain)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t *bytes = mem_alloc(plain.n + TAG_BYTES);
	int n = 0, rest = 0;
	bool done;

	assert(c && plain.n < INT_MAX);
	done = EVP_EncryptInit_ex(c, EVP_aes_256_gcm(), NULL, key, no_nonce) == 1 &&
	       EVP_EncryptUpdate(c, bytes, &n, (const uint8_t *)plain.p, (int)plain.n) == 1 &&
	       EVP_EncryptFinal_ex(c, bytes + n, &rest) == 1 &&
	       EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, TAG_BYTES, bytes + plain.n) == 1;
	assert(done && (size_t)(n + rest) == plain.n);
	(void)done;
	buf_add(out, bytes, plain.n + TAG_BYTES);
	mem_free(bytes);
	EVP_CIPHER_CTX_free(c);
}

bool seal_open(struct buf *out, const uint8_t key[SEAL_KEY_BYTES], struct str sealed)
{
	EVP_CIPHER_CTX *c;
	uint8_t *bytes, tag[TAG_BYTES];
	size_t len;
	int n = 0, rest = 0;
	bool done;

	if (sealed.n < TAG_BYTES || sealed.n > INT_MAX)
		return false;
	len = sealed.n - TAG_BYTES;
	for (size_t i = 0; i < TAG_BYTES; i++)
		tag[i] = (uint8_t)sealed.p[len + i];
	c = EVP_CIPHER_CTX_new();
	bytes = mem_alloc(len + TAG_BYTES);
	assert(c);
	done = EVP_DecryptInit_ex(c, EVP_aes_256_gcm(), NULL, key, no_nonce) == 1 &&
	       EVP_DecryptUpdate(c, bytes, &n, (const uint8_t *)sealed.p, (int)len) == 1 &&
	       EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_TAG, TAG_BYTES, tag) == 1 &&
	       EVP_DecryptFinal_ex(c, bytes + n, &rest) == 1;
	if (done)
		buf_add(out, bytes, len);
	mem_free(bytes);
	EVP_CIPHER_CTX_free(c);
	return done;
}
