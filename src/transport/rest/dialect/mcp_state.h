/* State that an MCP client returns with the answer to a form: sealed text, valid for one user until
 * it expires. Pure. Any thread. */
#ifndef VESPER_MCP_STATE_H
#define VESPER_MCP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/seal.h"
#include "vesper/str.h"

#define MCP_SALT_BYTES 16

struct mcp_state {
	const char *tenant, *user;
	const char *session, *ask_id;
	const char *skip; /* the value that means skipping; NULL: skipping is not allowed */
	int64_t expires_ms;
};

/* Adds visible ASCII characters. A random salt must be used for one state only. */
void mcp_state_seal(struct buf *out, const uint8_t secret[SEAL_KEY_BYTES],
		    const uint8_t salt[MCP_SALT_BYTES], const struct mcp_state *s);
/* Texts of *out are in the arena. Returns false when the seal is invalid, is of another user, or
 * has expired. */
bool mcp_state_open(const char *text, const uint8_t secret[SEAL_KEY_BYTES], const char *tenant,
		    const char *user, int64_t now_ms, struct arena *a, struct mcp_state *out);

#endif
