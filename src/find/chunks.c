/*
 * Splits a text into passages. A heading ends a passage. Below it, paragraphs are gathered until
 * the passage has the target length. Tables and fenced listings are paragraphs that are split only
 * if they are too long. Lengths are bytes.
 */
#include "find_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/utf8.h"

struct splitter {
	struct str text;
	struct arena *arena;
	struct find_chunk *chunks;
	size_t count, cap;
	uint32_t heading_from, heading_to;
};

/* The offset after the line that starts at `at`, including its line end. */
static size_t line_end(const struct splitter *c, size_t at)
{
	const char *end = memchr(c->text.p + at, '\n', c->text.n - at);

	return end ? (size_t)(end - c->text.p) + 1 : c->text.n;
}

static bool is_blank(const struct splitter *c, size_t from, size_t to)
{
	while (from < to && strchr(" \t\n", c->text.p[from]))
		from++;
	return from == to;
}

static size_t count_marks(const struct splitter *c, size_t from, size_t to, char mark)
{
	size_t n = 0;

	while (from + n < to && c->text.p[from + n] == mark)
		n++;
	return n;
}

static bool is_heading(const struct splitter *c, size_t from, size_t to)
{
	size_t n = count_marks(c, from, to, '#');

	return n >= 1 && n <= 6 && from + n < to && c->text.p[from + n] == ' ' &&
	       !is_blank(c, from + n, to);
}

static bool is_fence(const struct splitter *c, size_t from, size_t to)
{
	return count_marks(c, from, to, '`') >= 3 || count_marks(c, from, to, '~') >= 3;
}

static void set_heading(struct splitter *c, size_t from, size_t to)
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
static void add_chunk(struct splitter *c, size_t from, size_t to)
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

/* The last position in (from, latest] after the end of a sentence, else after a word, else between
 * characters. */
static size_t split_before(const struct splitter *c, size_t from, size_t latest)
{
	for (size_t i = latest; i > from + DOCUMENT_OVERLAP_BYTES + 1; i--)
		if (ends_sentence(c->text.p + i - 1) ||
		    (i >= 2 && ends_sentence(c->text.p + i - 2)))
			return i;
	for (size_t i = latest; i > from + DOCUMENT_OVERLAP_BYTES + 1; i--)
		if (strchr(" \t\n", c->text.p[i - 1]))
			return i;
	latest = from + utf8_cut(c->text.p + from, latest - from + 1, latest - from);
	return latest;
}

/* The start of the next passage, which repeats the last sentences of this one. */
static size_t overlap_start(const struct splitter *c, size_t from, size_t end)
{
	size_t earliest = end > from + DOCUMENT_OVERLAP_BYTES ? end - DOCUMENT_OVERLAP_BYTES : end;

	for (size_t i = earliest; i < end && i > 0; i++)
		if (ends_sentence(c->text.p + i - 1))
			return i;
	return end;
}

static void add_long(struct splitter *c, size_t from, size_t to, size_t bytes_max)
{
	while (to - from > bytes_max) {
		size_t end = split_before(c, from, from + bytes_max);
		size_t next = overlap_start(c, from, end);

		add_chunk(c, from, end);
		from = next > from ? next : end;
	}
	add_chunk(c, from, to);
}

/* ---- paragraphs ---- */

/* The offset after the paragraph at `at`, which ends before a blank line, heading or fence. A fence
 * ends after its closing fence. *is_unsplittable: a fence or table, not
 * split if it fits. */
static size_t paragraph_end(const struct splitter *c, size_t at, bool *is_unsplittable)
{
	size_t end = line_end(c, at);

	*is_unsplittable = is_fence(c, at, end) || c->text.p[at] == '|';
	if (is_fence(c, at, end)) {
		char mark = c->text.p[at];

		while (end < c->text.n) {
			size_t next = line_end(c, end);
			bool is_closing_fence = count_marks(c, end, next, mark) >= 3;

			end = next;
			if (is_closing_fence)
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

/* Splits the text below one heading; returns the end. */
static size_t split_section(struct splitter *c, size_t at)
{
	size_t from = at;

	while (at < c->text.n) {
		size_t next = line_end(c, at);
		bool is_unsplittable;

		if (is_heading(c, at, next))
			break;
		if (is_blank(c, at, next)) {
			at = next;
			continue;
		}
		next = paragraph_end(c, at, &is_unsplittable);
		if (next - from > DOCUMENT_CHUNK_BYTES && at > from) {
			add_chunk(c, from, at);
			from = at;
		}
		if (next - from > DOCUMENT_CHUNK_BYTES) {
			add_long(c, from, next,
				 is_unsplittable ? DOCUMENT_CHUNK_BYTES_MAX : DOCUMENT_CHUNK_BYTES);
			from = next;
		}
		at = next;
	}
	add_chunk(c, from, at);
	return at;
}

bool find_split(struct str text, struct arena *a, struct find_chunk **out, size_t *count)
{
	struct splitter c = {.text = text, .arena = a};
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
