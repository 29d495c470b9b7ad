/* The first pass over a file: finds out its encoding, delimiter, header and types. The types are
 * decided after all rows. */
#include "shape_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "header.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define HEAD_RECORDS 100
#define HEAD_BYTES   BODY_BLOCK_BYTES
#define RAGGED_SHARE 20 /* if more than one row in this many is ragged, the delimiter is wrong */
#define DECODED_BYTES                                                                              \
	(4 * (BODY_BLOCK_BYTES + DATA_SOURCE_LINE_BYTES_MAX)) /* of a block and a line */

/* ---- the text of a file ---- */

bool text_open(struct text_file *f, const char *path, struct err *e)
{
	*f = (struct text_file){.fd = open(path, O_RDONLY | O_CLOEXEC)};
	buf_init(&f->text, DECODED_BYTES);
	if (f->fd < 0)
		return err_set(e, ERR_INTERNAL, "%s: %s", path, strerror(errno));
	f->block = mem_alloc(BODY_BLOCK_BYTES);
	return true;
}

void text_decode(struct text_file *f, enum encoding encoding)
{
	decoder_free(&f->decoder);
	f->decoder = decoder_new(encoding);
}

/* False at the end of the file, and on an error. */
bool text_block(struct text_file *f, size_t *len, struct err *e)
{
	ssize_t n;

	do
		n = read(f->fd, f->block, BODY_BLOCK_BYTES);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		err_set(e, ERR_INTERNAL, "the spool cannot be read: %s", strerror(errno));
	*len = n > 0 ? (size_t)n : 0;
	f->bytes += (int64_t)*len;
	return n > 0;
}

bool text_next(struct text_file *f, bool *more, struct err *e)
{
	size_t len;

	e->code = ERR_NONE;
	buf_reset(&f->text);
	*more = text_block(f, &len, e);
	if (*more)
		decoder_add(f->decoder, f->block, len, &f->text);
	else
		decoder_end(f->decoder, &f->text);
	return e->code == ERR_NONE;
}

void text_close(struct text_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	decoder_free(&f->decoder);
	buf_deinit(&f->text);
	mem_free(f->block);
	*f = (struct text_file){.fd = -1};
}

bool shape_cancelled(const struct shape_options *o, struct err *e)
{
	return o->cancelled && atomic_load(o->cancelled) &&
	       !err_set(e, ERR_CANCELLED, "the load was cancelled");
}

bool set_text_fault(struct fault *fault, const char *code, size_t line, const char *reason,
		    struct err *e)
{
	*fault = (struct fault){code, line};
	if (line > 0)
		return err_set(e, ERR_INPUT, "line %zu: %s", line, reason);
	return err_set(e, ERR_INPUT, "%s", reason);
}

/* ---- the encoding ---- */

static bool read_encoding(const struct shape_options *o, struct shape *out, struct fault *fault,
			  struct err *e)
{
	struct encoding_scan scan = {0};
	struct text_file f;
	bool ok = text_open(&f, o->path, e);
	size_t len;

	e->code = ERR_NONE;
	while (ok && !shape_cancelled(o, e) && text_block(&f, &len, e))
		encoding_scan_add(&scan, f.block, len);
	ok = ok && e->code == ERR_NONE;
	text_close(&f);
	if (!ok)
		return false;
	if (scan.seen == 0)
		return set_text_fault(fault, "empty", 0, "the file is empty", e);
	if (!encoding_scan_end(&scan, &out->encoding, e)) {
		*fault = (struct fault){"nul", scan.nul_line};
		return false;
	}
	out->odd_lines = out->encoding == ENCODING_MIXED ? scan.odd_lines : 0;
	return true;
}

/* ---- the head ---- */

struct head {
	struct arena *arena;
	struct record records[HEAD_RECORDS];
	size_t count;
};

static void on_head(void *owner, const struct record *r)
{
	struct head *h = owner;
	struct str *cells;

	if (h->count == HEAD_RECORDS)
		return;
	cells = arena_alloc(h->arena, (r->count + 1) * sizeof(*cells));
	for (size_t i = 0; i < r->count; i++)
		cells[i] = (struct str){
			r->cells[i].p ? arena_strndup(h->arena, r->cells[i].p, r->cells[i].n)
				      : NULL,
			r->cells[i].n};
	h->records[h->count++] = (struct record){r->line, cells, r->count};
}

static size_t most_common_length(const struct head *h)
{
	size_t best_count = 0, length = 0;

	for (size_t i = 0; i < h->count; i++) {
		size_t same = 0;

		for (size_t k = 0; k < h->count; k++)
			same += h->records[k].count == h->records[i].count;
		if (same > best_count) {
			best_count = same;
			length = h->records[i].count;
		}
	}
	return length;
}

static void name_columns(struct shape *s, const char *const *labels, struct arena *a)
{
	const char *const *names = header_names(labels, s->column_count, a);

	s->columns = arena_alloc(a, (s->column_count + 1) * sizeof(*s->columns));
	for (size_t i = 0; i < s->column_count; i++)
		s->columns[i] = (struct shape_column){.name = names[i],
						      .label = *labels[i] ? labels[i] : names[i],
						      .example = ""};
}

static void read_header(const struct shape_options *o, const struct head *h, struct shape *s,
			struct arena *a)
{
	const char **labels;

	s->has_header = o->header == HEADER_YES ||
			(o->header == HEADER_BY_CONTENT && header_detect(h->records, h->count));
	s->column_count = s->has_header ? h->records[0].count : most_common_length(h);
	labels = arena_alloc(a, (s->column_count + 1) * sizeof(*labels));
	for (size_t i = 0; i < s->column_count; i++)
		labels[i] = s->has_header ? header_label(h->records[0].cells[i], a) : "";
	name_columns(s, labels, a);
}

static void sniff(const struct shape_options *o, struct text_file *f, struct shape *s)
{
	size_t n = utf8_complete_bytes(buf_text(&f->text),
				       f->text.n < HEAD_BYTES ? f->text.n : HEAD_BYTES);

	s->delimiter = o->format == FORMAT_TSV ? '\t'
		       : o->delimiter          ? o->delimiter
					       : records_delimiter(buf_text(&f->text), n);
}

/* Decides by the first block. Faults in it are ignored here; the pass over the whole file reports
 * them. */
static bool read_head(const struct shape_options *o, struct arena *a, struct shape *s,
		      struct err *e)
{
	struct head h = {.arena = arena_new(HEAD_BYTES * 4)};
	struct records *r = NULL;
	struct fault ignored;
	struct err reason;
	struct text_file f;
	bool more, ok = text_open(&f, o->path, e);

	if (ok) {
		text_decode(&f, s->encoding);
		ok = text_next(&f, &more, e);
	}
	if (ok && o->format != FORMAT_JSONL) {
		sniff(o, &f, s);
		r = records_new(o->format, s->delimiter, on_head, &h);
		if (records_add(r, buf_text(&f.text), f.text.n, &ignored, &reason) &&
		    f.bytes < BODY_BLOCK_BYTES)
			(void)!records_end(r, &ignored, &reason);
		read_header(o, &h, s, a);
	}
	records_free(&r);
	text_close(&f);
	arena_free(&h.arena);
	return ok;
}

/* ---- all rows ---- */

struct counting {
	struct shape *shape;
	struct arena *arena;
	struct type_counts *counts;
	size_t *lines;
	bool header_seen;
};

static void count_ragged(struct counting *c, const struct record *r)
{
	struct shape *s = c->shape;

	if (s->format == FORMAT_JSONL || r->count == s->column_count)
		return;
	s->ragged_rows++;
	if (s->ragged_line_count < DATA_SOURCE_LINES_LISTED)
		c->lines[s->ragged_line_count++] = r->line;
}

static void on_counted(void *owner, const struct record *r)
{
	struct counting *c = owner;
	struct shape *s = c->shape;
	size_t n = s->format == FORMAT_JSONL || r->count < s->column_count ? r->count
									   : s->column_count;

	if (s->has_header && !c->header_seen) {
		c->header_seen = true;
		return;
	}
	s->rows++;
	count_ragged(c, r);
	for (size_t i = 0; i < n; i++)
		types_count(&c->counts[i], r->cells[i]);
}

static bool count_all(const struct shape_options *o, struct records *r, struct shape *s,
		      struct fault *fault, struct err *e)
{
	struct text_file f;
	bool more = true, ok = text_open(&f, o->path, e);

	if (ok)
		text_decode(&f, s->encoding);
	while (ok && more) {
		ok = !shape_cancelled(o, e) && text_next(&f, &more, e) &&
		     records_add(r, buf_text(&f.text), f.text.n, fault, e);
		if (ok && s->rows > DATA_SOURCE_ROWS_MAX)
			ok = err_set(e, ERR_LIMIT, "the file has more than %d rows",
				     DATA_SOURCE_ROWS_MAX);
	}
	text_close(&f);
	return ok && records_end(r, fault, e);
}

static void name_members(struct shape *s, const struct records *r, struct arena *a)
{
	const char *const *members = records_members(r, &s->column_count);
	const char **labels = arena_alloc(a, (s->column_count + 1) * sizeof(*labels));

	for (size_t i = 0; i < s->column_count; i++)
		labels[i] = header_label(str_of(members[i]), a);
	name_columns(s, labels, a);
	s->has_header = false; /* no record is a header */
}

static void decide(struct shape *s, const struct type_counts *counts, struct arena *a)
{
	for (size_t i = 0; i < s->column_count; i++) {
		struct shape_column *c = &s->columns[i];

		c->form = types_decide(&counts[i], &c->question);
		c->short_years = counts[i].short_years && column_is_day(c->form.type);
		if (c->question != QUESTION_NONE)
			c->example = arena_strdup(a, counts[i].example);
	}
}

static bool is_readable(const struct shape *s, struct fault *fault, struct err *e)
{
	if (s->column_count == 0)
		return set_text_fault(fault, "empty", 0, "the file has no columns", e);
	if (s->rows == 0)
		return set_text_fault(fault, "header_only", 0,
				      "the file has no rows below its header", e);
	if (s->ragged_rows * RAGGED_SHARE > s->rows)
		return set_text_fault(fault, "ragged", s->ragged_lines[0],
				      "too many rows do not have as many cells as the header. "
				      "Check the delimiter",
				      e);
	return true;
}

bool shape_read(const struct shape_options *o, struct arena *a, struct shape *out,
		struct fault *fault, struct err *e)
{
	struct shape s = {.format = o->format};
	struct counting c = {.shape = &s, .arena = a};
	struct records *r;
	bool ok;

	*fault = (struct fault){0};
	if (!read_encoding(o, &s, fault, e) || !read_head(o, a, &s, e))
		return false;
	c.counts = arena_alloc(a, (DATA_SOURCE_COLUMNS_MAX + 1) * sizeof(*c.counts));
	c.lines = arena_alloc(a, DATA_SOURCE_LINES_LISTED * sizeof(*c.lines));
	s.ragged_lines = c.lines;
	r = records_new(o->format, s.delimiter, on_counted, &c);
	ok = count_all(o, r, &s, fault, e);
	if (ok && o->format == FORMAT_JSONL)
		name_members(&s, r, a);
	records_free(&r);
	if (!ok || !is_readable(&s, fault, e))
		return false;
	decide(&s, c.counts, a);
	*out = s;
	return true;
}
