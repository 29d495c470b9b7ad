/*
 * Cuts a text into passages. A heading ends a passage. Below it, paragraphs are gathered until the
 * passage has the target length. Tables and fenced listings are paragraphs that are cut only if
 * they are too long. Lengths are bytes.
 */
#include "find_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/utf8.h"

struct cutter {
	struct str text;
	struct arena *arena;
	struct find_chunk *chunks;
	size_t count, cap;
	uint32_t heading_from, heading_to;
};

/* The offset after the line that starts at `at`, including its line end. */
static size_t line_end(const struct cutter *c, size_t at)
{
	const char *end = memchr(c->text.p + at, '\n', c->text.n - at);

	return end ? (size_t)(end - c->text.p) + 1 : c->text.n;
}

static bool is_blank(const struct cutter *c, size_t from, size_t to)
{
	while (from < to && strchr(" \t\n", c->text.p[from]))
		from++;
	return from == to;
}

static size_t count_marks(const struct cutter *c, size_t from, size_t to, char mark)
{
	size_t n = 0;

	while (from + n < to && c->text.p[from + n] == mark)
		n++;
	return n;
}

static bool is_heading(const struct cutter *c, size_t from, size_t to)
{
	size_t n = count_marks(c, from, to, '#');

	return n >= 1 && n <= 6 && from + n < to && c->text.p[from + n] == ' ' &&
	       !is_blank(c, from + n, to);
}

static bool is_fence(const struct cutter *c, size_t from, size_t to)
{
	return count_marks(c, from, to, '`') >= 3 || count_marks(c, from, to, '~') >= 3;
}

static void set_heading(struct cutter *c, size_t from, size_t to)
{
	from += count_marks(c, from, to, '#');
	while (from < to && strchr(" \t", c->text.p[from]))
		from++;
	while (to > from && strchr(" \t\n#", c->text.p[to - 1]))
		to--;
	c->heading_from = (uint32_t)from;
	c->heading_to = (uint32_t)to;
}

/* Adds a passage, without blanks at its ends. */
static void add(struct cutter *c, size_t from, size_t to)
{
	while (from < to && strchr(" \t\n", c->text.p[from]))
		from++;
	while (to > from && strchr(" \t\n", c->text.p[to - 1]))
		to--;
	if (from == to)
		return;
	c->chunks = arena_grow(c->arena, c->chunks, c->count, &c->cap, sizeof(*c->chunks));
	c->chunks[c->count++] =
		(struct find_chunk){(uint32_t)from, (uint32_t)to, c->heading_from, c->heading_to};
}

/* ---- paragraphs that are too long ---- */

static bool ends_sentence(const char *p)
{
	return strchr(".!?\n", p[0]) && (p[0] == '\n' || strchr(" \n\t", p[1]));
}

/* The last position in (from, most] after the end of a sentence, else after a word, else between
 * characters. */
static size_t split_before(const struct cutter *c, size_t from, size_t most)
{
	for (size_t i = most; i > from + DOCUMENT_OVERLAP_BYTES + 1; i--)
		if (ends_sentence(c->text.p + i - 1) ||
		    (i >= 2 && ends_sentence(c->text.p + i - 2)))
			return i;
	for (size_t i = most; i > from + DOCUMENT_OVERLAP_BYTES + 1; i--)
		if (strchr(" \t\n", c->text.p[i - 1]))
			return i;
	most = from + utf8_cut(c->text.p + from, most - from + 1, most - from);
	return most;
}

/* The start of the next passage, which repeats the last sentences of this one. */
static size_t overlap_start(const struct cutter *c, size_t from, size_t cut)
{
	size_t least = cut > from + DOCUMENT_OVERLAP_BYTES ? cut - DOCUMENT_OVERLAP_BYTES : cut;

	for (size_t i = least; i < cut && i > 0; i++)
		if (ends_sentence(c->text.p + i - 1))
			return i;
	return cut;
}

static void add_long(struct cutter *c, size_t from, size_t to, size_t most)
{
	while (to - from > most) {
		size_t cut = split_before(c, from, from + most);
		size_t next = overlap_start(c, from, cut);

		add(c, from, cut);
		from = next > from ? next : cut;
	}
	add(c, from, to);
}

/* ---- paragraphs ---- */

/* The offset after the paragraph at `at`, which ends before a blank line, heading or fence. A fence
 * ends after its closing fence. *whole: a fence or table, not cut if it fits. */
static size_t paragraph_end(const struct cutter *c, size_t at, bool *whole)
{
	size_t end = line_end(c, at);

	*whole = is_fence(c, at, end) || c->text.p[at] == '|';
	if (is_fence(c, at, end)) {
		char mark = c->text.p[at];

		while (end < c->text.n) {
			size_t next = line_end(c, end);
			bool closes = count_marks(c, end, next, mark) >= 3;

			end = next;
			if (closes)
				break;
		}
		return end;
	}
	while (end < c->text.n) {
		size_t next = line_end(c, end);

		if (is_blank(c, end, next) || is_heading(c, end, next) || is_fence(c, end, next))
			break;
		end = next;
	}
	return end;
}

/* Cuts the text below one heading; returns the end. */
static size_t split_section(struct cutter *c, size_t at)
{
	size_t from = at;

	while (at < c->text.n) {
		size_t next = line_end(c, at);
		bool whole;

		if (is_heading(c, at, next))
			break;
		if (is_blank(c, at, next)) {
			at = next;
			continue;
		}
		next = paragraph_end(c, at, &whole);
		if (next - from > DOCUMENT_CHUNK_BYTES && at > from) {
			add(c, from, at);
			from = at;
		}
		if (next - from > DOCUMENT_CHUNK_BYTES) {
			add_long(c, from, next,
				 whole ? DOCUMENT_CHUNK_BYTES_MAX : DOCUMENT_CHUNK_BYTES);
			from = next;
		}
		at = next;
	}
	add(c, from, at);
	return at;
}

bool find_split(struct str text, struct arena *a, struct find_chunk **out, size_t *count)
{
	struct cutter c = {.text = text, .arena = a};
	size_t at = 0;

	while (at < text.n && c.count <= DOCUMENT_CHUNKS_MAX) {
		size_t next = line_end(&c, at);

		if (is_heading(&c, at, next)) {
			set_heading(&c, at, next);
			at = next;
		}
		if (at < text.n && !is_heading(&c, at, line_end(&c, at)))
			at = split_section(&c, at);
	}
	*out = c.chunks;
	*count = c.count;
	return c.count <= DOCUMENT_CHUNKS_MAX;
}
