/* What a client of MCP brings back with the answer to a form: sealed text, good for one user and
 * until its end. Pure, any thread. */
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
	const char *skip; /* the value that stands for skipping; NULL: it may not be skipped */
	int64_t expires_ms;
};

/* Adds visible ASCII characters. A salt (random) seals one state only. */
void mcp_state_seal(struct buf *out, const uint8_t secret[SEAL_KEY_BYTES],
		    const uint8_t salt[MCP_SALT_BYTES], const struct mcp_state *s);
/* Texts of *out are in the arena. False: it was not sealed so, or for another user, or its time is
 * over. */
bool mcp_state_open(const char *text, const uint8_t secret[SEAL_KEY_BYTES], const char *tenant,
		    const char *user, int64_t now_ms, struct arena *a, struct mcp_state *out);

#endif
