/*
 * Bytes that lie where others may read and change them: AES-256-GCM. A key seals one thing only,
 * ever, so no nonce is kept.
 */
#ifndef VESPER_SEAL_H
#define VESPER_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/str.h"

#define SEAL_KEY_BYTES 32

/* Adds the sealed bytes to `out`: a little longer than `plain`. */
void seal_add(struct buf *out, const uint8_t key[SEAL_KEY_BYTES], struct str plain);
/* Adds the plain bytes to `out`. False, and nothing added: another key sealed it, or somebody
 * changed it. */
bool seal_open(struct buf *out, const uint8_t key[SEAL_KEY_BYTES], struct str sealed);

#endif
