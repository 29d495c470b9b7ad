/*
 * pcre2 behind three functions. Every pattern has a step limit: users write the texts, and one
 * catastrophic match would block all streams.
 *
 * Most texts are ASCII. For them an ASCII pattern is compiled a second time without Unicode: it
 * matches the same in half the time, without decoding or property lookups.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "vesper/rx.h"

#include <assert.h>
#include <pcre2.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

#define UNICODE (PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF)

struct rx {
	pcre2_code *code;
	pcre2_code *ascii; /* for texts in ASCII, or NULL */
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

static bool is_ascii(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

static pcre2_code *compile(const char *pattern, uint32_t options, int *code, PCRE2_SIZE *at)
{
	pcre2_code *compiled =
		pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
			      options | PCRE2_CASELESS | PCRE2_NEVER_BACKSLASH_C, code, at, NULL);

	/* Without a JIT (missing on some platforms) the interpreter gives the same results. */
	if (compiled)
		(void)pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
	return compiled;
}

bool rx_new(const char *pattern, struct rx **out, struct err *e)
{
	int code;
	PCRE2_SIZE at;
	pcre2_code *compiled = compile(pattern, UNICODE, &code, &at);
	if (!compiled) {
		char why[120];
		pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
		return err_set(e, ERR_INPUT, "pattern, character %zu: %s", at, why);
	}

	struct rx *rx = mem_alloc(sizeof(*rx));
	rx->code = compiled;
	rx->ascii = is_ascii(pattern, strlen(pattern)) ? compile(pattern, 0, &code, &at) : NULL;
	rx->data = pcre2_match_data_create(RX_GROUPS_MAX, NULL);
	rx->limits = pcre2_match_context_create(NULL);
	assert(rx->data && rx->limits);
	pcre2_set_match_limit(rx->limits, RX_STEPS_MAX);
	*out = rx;
	return true;
}

void rx_free(struct rx **rx)
{
	if (!*rx)
		return;
	pcre2_match_context_free((*rx)->limits);
	pcre2_match_data_free((*rx)->data);
	pcre2_code_free((*rx)->code);
	pcre2_code_free((*rx)->ascii);
	mem_free(*rx);
	*rx = NULL;
}

bool rx_match(struct rx *rx, struct str text, size_t from, struct str groups[RX_GROUPS_MAX])
{
	if (from > text.n)
		return false;
	PCRE2_SPTR subject = (PCRE2_SPTR)(text.p ? text.p : "");
	const pcre2_code *code =
		rx->ascii && is_ascii((const char *)subject, text.n) ? rx->ascii : rx->code;
	int count = pcre2_match(code, subject, text.n, from, 0, rx->data, rx->limits);
	if (count < 0)
		return false;
	/* 0: the pattern has more groups than RX_GROUPS_MAX; the first ones are filled. */
	size_t filled = count == 0 ? RX_GROUPS_MAX : (size_t)count;
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(rx->data);
	for (size_t i = 0; i < RX_GROUPS_MAX; i++) {
		bool has_matched =
			i < filled && at[2 * i] != PCRE2_UNSET && at[2 * i] <= at[2 * i + 1];
		groups[i] = has_matched ? (struct str){(const char *)subject + at[2 * i],
						       at[2 * i + 1] - at[2 * i]}
					: (struct str){NULL, 0};
	}
	return true;
}
