/*
 * Authenticated encryption with AES-256-GCM, for bytes stored where others may read and change
 * them. A key must seal one text only, so no nonce is stored.
 */
#ifndef VESPER_SEAL_H
#define VESPER_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/str.h"

#define SEAL_KEY_BYTES 32

/* Appends the sealed bytes to `out`; they are a little longer than `plain`. */
void seal_add(struct buf *out, const uint8_t key[SEAL_KEY_BYTES], struct str plain);
/* Appends the plain bytes to `out`. False: nothing was appended, because the key is wrong or the
 * bytes were changed. */
bool seal_open(struct buf *out, const uint8_t key[SEAL_KEY_BYTES], struct str sealed);

#endif
