/*
 * The corpora of tests/gate, and statements created from them by changing a few tokens. In the
 * files, {HH} is the byte HH, so that a line can contain any byte.
 */
#ifndef FAKES_GATE_CORPUS_H
#define FAKES_GATE_CORPUS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "vesper/file.h"
#include "vesper/gate.h"

#define GATE_CORPUS_BYTES_MAX (4 << 20)

static const char *const gate_corpus_views[] = {
	"Stage.mc_dayahead",
	"Stage.mc_vendor_files",
	"stage.pbi_activity_events",
	"dbo.per_project",
	"dbo.per_projecthealth",
	"dbo.per_tasks",
	"dbo.per_project45",
	"dbo.activeportfolio_mm",
	"dbo.changes",
	NULL,
};

struct gate_line {
	struct str dialect; /* "all": every dialect */
	struct str sql;
	struct str reason;
};

static inline int gate_hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline struct str gate_decode(struct arena *a, struct str text)
{
	char *out = arena_alloc(a, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '{' && i + 3 < text.n && text.p[i + 3] == '}' &&
		    gate_hex(text.p[i + 1]) >= 0 && gate_hex(text.p[i + 2]) >= 0) {
			out[n++] = (char)(gate_hex(text.p[i + 1]) * 16 + gate_hex(text.p[i + 2]));
			i += 3;
		} else {
			out[n++] = text.p[i];
		}
	}
	return (struct str){out, n};
}

static inline bool gate_line_is(const struct gate_line *line, enum dialect d)
{
	return str_eq(line->dialect, STR("all")) || str_eq(line->dialect, str_of(dialect_name(d)));
}

/* dialect<TAB>sql[<TAB>reason]; NULL if the file cannot be read. */
static inline const struct gate_line *gate_corpus(const char *name, struct arena *a, size_t *count)
{
	struct gate_line *lines = NULL;
	size_t cap = 0;
	char path[500];
	const char *text;
	struct str rest, line;

	*count = 0;
	snprintf(path, sizeof(path), "%s/tests/gate/%s", VESPER_SOURCE_DIR, name);
	if (!file_read(path, GATE_CORPUS_BYTES_MAX, a, &text, NULL))
		return NULL;
	rest = str_of(text);
	while (str_split(&rest, '\n', &line)) {
		struct gate_line l = {0};

		if (line.n == 0 || line.p[0] == '#' || !str_split(&line, '\t', &l.dialect) ||
		    !str_split(&line, '\t', &l.sql))
			continue;
		l.sql = gate_decode(a, l.sql);
		if (line.p)
			str_split(&line, '\t', &l.reason);
		lines = arena_grow(a, lines, *count, &cap, sizeof(*lines));
		lines[(*count)++] = l;
	}
	return lines;
}

/* ---- mutations ---- */

static inline uint32_t gate_random(uint64_t *seed, uint32_t below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (uint32_t)(*seed >> 11) % below;
}

/* The piece of text that starts at p: a word, a quoted piece, or one byte. */
static inline size_t gate_piece(const char *p, size_t n)
{
	size_t i = 1;
	bool word = p[0] == '_' || (p[0] | 0x20) >= 'a';

	if (p[0] == '\'' || p[0] == '"') {
		while (i < n && p[i] != p[0])
			i++;
		return i < n ? i + 1 : n;
	}
	while (word && i < n &&
	       (p[i] == '_' || (p[i] >= '0' && p[i] <= '9') || (p[i] | 0x20) >= 'a'))
		i++;
	return i;
}

/* A random piece of a random line. */
static inline struct str gate_any_piece(const struct gate_line *lines, size_t count, uint64_t *seed)
{
	struct str sql = lines[gate_random(seed, (uint32_t)count)].sql;
	size_t stop = gate_random(seed, (uint32_t)sql.n + 1), i = 0, n = 0;

	while (i < sql.n) {
		n = gate_piece(sql.p + i, sql.n - i);
		if (i + n > stop)
			break;
		i += n;
	}
	return i < sql.n ? (struct str){sql.p + i, n} : STR(" ");
}

/* The statement with one to three of its pieces removed, duplicated, replaced or followed by pieces
 * of other statements. */
static inline void gate_mutate(const struct gate_line *lines, size_t count, struct str sql,
			       uint64_t *seed, struct buf *out)
{
	uint32_t changes = 1 + gate_random(seed, 3);

	buf_reset(out);
	for (size_t i = 0, n; i < sql.n; i += n) {
		n = gate_piece(sql.p + i, sql.n - i);
		struct str piece = {sql.p + i, n};

		if (changes > 0 && gate_random(seed, (uint32_t)(sql.n / 4 + 2)) == 0) {
			struct str other = gate_any_piece(lines, count, seed);
			uint32_t what = gate_random(seed, 8);

			changes--;
			if (what == 0)
				continue;
			if (what == 1)
				buf_add(out, piece.p, piece.n);
			if (what == 2) {
				buf_add(out, other.p, other.n);
				buf_char(out, ' ');
			}
			if (what > 2)
				piece = other;
		}
		buf_add(out, piece.p, piece.n);
	}
}

#endif
