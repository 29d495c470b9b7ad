/*
 * Text with a length, and a growable buffer with a size limit.
 *
 * A buffer never exceeds its limit. An addition that would exceed it is dropped as a whole and
 * buf_over() stays true, so a writer may check once at the end.
 */
#ifndef VESPER_STR_H
#define VESPER_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vesper/utf8.h"

struct str {
	const char *p; /* not terminated */
	size_t n;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})
#define STR_FMT(s)   (int)(s).n, (s).p /* for "%.*s" */
/* At most max_bytes of a text, cut between characters, for "%.*s". Use only this to cut text in a
 * format. Evaluates `text` more than once. */
#define STR_CUT(text, max_bytes) (int)utf8_cut(text, strlen(text), max_bytes), text

struct str str_of(const char *text); /* NULL gives the empty string */
bool str_eq(struct str a, struct str b);
bool str_eq_nocase(struct str a, struct str b); /* ASCII */
struct str str_trim(struct str s);              /* spaces, tabs, line ends at both ends */
/* Finds the part in a terminated text, ignoring ASCII case; NULL: not found. Intended for short
 * parts. */
const char *str_find_nocase(const char *text, const char *part);
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
/* The Levenshtein distance in bytes of two short names, ignoring case; SIZE_MAX if one is longer
 * than STR_EDIT_DISTANCE_BYTES_MAX. */
#define STR_EDIT_DISTANCE_BYTES_MAX 128
size_t str_edit_distance(struct str a, struct str b);
/* Returns true for a name in files that is also used in paths and variables: lower-case letters,
 * digits and _, first a letter, at most `max` bytes. */
bool str_is_name(const char *text, size_t max);

/* Removes the part before `sep` from *rest (or all of it). False: *rest was already used up (p ==
 * NULL). */
bool str_split(struct str *rest, char sep, struct str *part);

struct buf {
	char *p; /* terminated after the first addition; NULL before */
	size_t n;
	size_t size;
	size_t cap_bytes;
	bool over;
};

void buf_init(struct buf *b, size_t cap_bytes);
void buf_deinit(struct buf *b);
void buf_reset(struct buf *b);         /* empties it, keeps the memory */
void buf_cut(struct buf *b, size_t n); /* truncates to n bytes; n <= b->n */
void buf_shrink(struct buf *b);        /* frees unused memory */

void buf_add(struct buf *b, const void *data, size_t len);
void buf_str(struct buf *b, const char *text);
void buf_char(struct buf *b, char c);
void buf_int(struct buf *b, int64_t value); /* in decimal */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Appends text as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD, so the result is
 * always valid JSON. */
void buf_json_str(struct buf *b, const char *text, size_t len);

static inline bool buf_over(const struct buf *b)
{
	return b->over;
}

/* The text so far, "" when empty; valid until the next change. */
const char *buf_text(const struct buf *b);

/* Returns the memory (free it with mem_free) and empties the buffer. Never NULL. */
char *buf_take(struct buf *b);

#endif
