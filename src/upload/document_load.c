/*
 * Loads a document into its table: its text, cut into passages, one row each. Each row has the
 * byte offset of its passage, so that a quotation can be located in the text.
 */
#include "upload_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/embed.h"
#include "vesper/find.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/vectors.h"

#define BLOCK_ROWS      500
#define BLOCK_BYTES     (32 * 1024 * 1024)
#define VECTORS_BYTES   (16 * 1024 * 1024) /* of a block, as floats */
#define UTF8_GROWTH_MAX 3 /* most bytes of UTF-8 for one byte of another encoding */
#define PASSAGE_COLUMNS 4 /* the last one is the vector */

struct document {
	struct buf text;
	const struct find_chunk *chunks;
	size_t count, next;
	struct arena *block; /* of the current rows */
	/* vectors of its passages; all have one, or none is used */
	struct arena *vectors;
	char *model;        /* that makes them; NULL: none, or it failed */
	const char *reason; /* the reason of a failure; or NULL */
	size_t dims;
	void (*then)(struct load *l);
};

void document_free(struct document **document)
{
	struct document *d = *document;

	*document = NULL;
	if (!d)
		return;
	buf_deinit(&d->text);
	arena_free(&d->block);
	arena_free(&d->vectors);
	mem_free(d->model);
	mem_free(d);
}

/* ---- the file ---- */

static bool fail(struct load *l, const char *code, enum err_code kind, const char *text)
{
	l->fault.code = code;
	return err_set(&l->err, kind, "%s", text);
}

static bool read_whole(struct load *l, int fd, struct buf *out)
{
	char *block = mem_alloc(BODY_BLOCK_BYTES);
	ssize_t n;

	while ((n = read(fd, block, BODY_BLOCK_BYTES)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			buf_add(out, block, (size_t)n);
	mem_free(block);
	if (n < 0)
		return err_set(&l->err, ERR_INTERNAL, "the spool file cannot be read: %s",
			       strerror(errno));
	return !buf_over(out) || fail(l, "too_long", ERR_LIMIT, "the document is too long");
}

static bool read_file(struct load *l, struct buf *out)
{
	int fd = open(l->options.path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && read_whole(l, fd, out);

	if (fd < 0)
		return err_set(&l->err, ERR_INTERNAL, "the spool file cannot be read: %s",
			       strerror(errno));
	close(fd);
	l->bytes = (int64_t)out->n;
	return ok;
}

static bool decode(struct load *l, const struct buf *bytes, struct buf *out)
{
	struct encoding_scan scan = {0};
	struct decoder *decoder;

	encoding_scan_add(&scan, bytes->p, bytes->n);
	if (!encoding_scan_end(&scan, &l->shape.encoding, &l->err)) {
		l->fault = (struct fault){"nul", scan.nul_line};
		return false;
	}
	decoder = decoder_new(l->shape.encoding);
	decoder_add(decoder, bytes->p, bytes->n, out);
	decoder_end(decoder, out);
	decoder_free(&decoder);
	return true;
}

static bool read_text(struct load *l, struct buf *out)
{
	struct buf bytes, utf8;
	bool ok;

	buf_init(&bytes, DOCUMENT_BYTES_MAX);
	buf_init(&utf8, UTF8_GROWTH_MAX * DOCUMENT_BYTES_MAX + 1);
	ok = read_file(l, &bytes) && decode(l, &bytes, &utf8);
	if (ok && l->options.format == FORMAT_HTML)
		find_html((struct str){buf_text(&utf8), utf8.n}, out);
	else if (ok)
		find_normalize_text((struct str){buf_text(&utf8), utf8.n}, out);
	buf_deinit(&bytes);
	buf_deinit(&utf8);
	return ok;
}

static void set_columns(struct load *l)
{
	static const struct shape_column columns[PASSAGE_COLUMNS] = {
		{.name = DOCUMENT_HEADING, .label = "Heading"},
		{.name = DOCUMENT_START, .label = "Start", .form = {.type = COLUMN_INT}},
		{.name = DOCUMENT_PASSAGE, .label = "Passage"},
		{.name = DOCUMENT_VECTOR, .label = "Vector"},
	};

	l->shape.columns = arena_alloc(l->arena, sizeof(columns));
	memcpy(l->shape.columns, columns, sizeof(columns));
	l->shape.column_count = PASSAGE_COLUMNS;
}

static void read_document(struct load *l)
{
	struct document *d = mem_alloc(sizeof(*d));
	struct find_chunk *chunks;

	l->document = d;
	buf_init(&d->text, UTF8_GROWTH_MAX * DOCUMENT_BYTES_MAX + 1);
	if (!read_text(l, &d->text))
		return;
	if (!find_split((struct str){buf_text(&d->text), d->text.n}, l->arena, &chunks, &d->count))
		fail(l, "too_long", ERR_LIMIT, "the document has too many passages");
	else if (d->count == 0)
		fail(l, "empty", ERR_INPUT, "the document contains no text");
	d->chunks = chunks;
	l->shape.rows = (int64_t)d->count;
	set_columns(l);
}

/* ---- its rows ---- */

static bool open_document(struct load *l)
{
	(void)l;
	return true;
}

static struct value text_of(const struct load *l, uint32_t from, uint32_t to)
{
	return value_text(
		arena_strndup(l->block.arena, l->document->text.p + from, (size_t)(to - from)));
}

static bool next_passages(struct load *l)
{
	struct document *d = l->document;
	struct value *values;

	arena_free(&d->block);
	d->block = arena_new(BLOCK_BYTES);
	l->block = (struct shape_rows){.arena = d->block};
	if (atomic_load(&l->cancelled))
		return err_set(&l->err, ERR_CANCELLED, "the load was cancelled");
	values = arena_alloc(l->block.arena, BLOCK_ROWS * PASSAGE_COLUMNS * sizeof(*values));
	l->block.values = values;
	for (; d->next < d->count && l->block.count < BLOCK_ROWS; l->block.count++) {
		const struct find_chunk *c = &d->chunks[d->next++];

		*values++ = text_of(l, c->heading_from, c->heading_to);
		*values++ = value_int(c->from);
		*values++ = text_of(l, c->from, c->to);
		*values++ = value_null();
	}
	return true;
}

/* ---- their vectors ---- */

bool document_vectors(const char *profile, struct arena *a, const char **model, size_t *dims)
{
	const json_t *vectors;
	json_t *root;
	json_int_t n;

	*model = NULL;
	if (!profile ||
	    !json_parse(profile, strlen(profile), DATA_SOURCE_PROFILE_BYTES_MAX, &root, NULL))
		return false;
	vectors = json_object_get(root, "vectors");
	n = json_integer_value(json_object_get(vectors, "dims"));
	if (n > 0 && n <= EMBED_DIMS_MAX)
		*model = arena_strdup(a, json_string_value(json_object_get(vectors, "model")));
	*dims = (size_t)n;
	json_decref(root);
	return *model != NULL;
}

static void set_vectors(struct load *l, const float *values, size_t dims)
{
	struct value *block = (struct value *)l->block.values;
	struct buf text;

	buf_init(&text, 2 * dims * sizeof(*values) + 8);
	for (size_t i = 0; i < l->block.count; i++) {
		buf_reset(&text);
		vectors_text(values + i * dims, dims, &text);
		block[(i + 1) * PASSAGE_COLUMNS - 1] =
			value_text(arena_strdup(l->block.arena, buf_text(&text)));
	}
	buf_deinit(&text);
}

/* Without vectors, a document is found by its words. */
static void disable_vectors(struct load *l, const char *reason)
{
	struct document *d = l->document;

	log_warn("uploads.vectors", "%s: no vectors are computed: %s", l->version, reason);
	d->reason = arena_strdup(l->arena, reason);
	mem_free(d->model);
	d->model = NULL;
}

static void on_vectors(void *owner, const float *values, size_t dims, const struct err *e)
{
	struct load *l = owner;
	struct document *d = l->document;

	l->op = NULL;
	if (e)
		disable_vectors(l, e->text);
	else if (d->dims > 0 && d->dims != dims)
		disable_vectors(l, "the length of the vectors has changed");
	else
		set_vectors(l, values, dims);
	d->dims = dims;
	d->then(l);
}

static const char *const *texts_of(struct load *l)
{
	const char **texts = arena_alloc(l->block.arena, l->block.count * sizeof(*texts));

	for (size_t i = 0; i < l->block.count; i++) {
		const struct value *row = &l->block.values[i * PASSAGE_COLUMNS];

		texts[i] = arena_printf(l->block.arena, "%s\n%s", row[0].text, row[2].text);
	}
	return texts;
}

void document_embed(struct load *l, void (*then)(struct load *l))
{
	struct document *d = l->document;
	const struct uploads *u = l->tenant->all;
	const struct stored_source *s = uploads_source(l->tenant, l->source);
	struct llm *llm = u->options.llm(u->options.owner);
	const char *model = embed_model(llm);

	if (model && s && l->rows == 0)
		d->model = mem_strdup(model);
	else if (d->model && (!s || !model || strcmp(model, d->model) != 0))
		disable_vectors(l, "the embedding model has changed");
	if (!d->model || l->block.count == 0) {
		then(l);
		return;
	}
	arena_free(&d->vectors);
	d->vectors = arena_new(VECTORS_BYTES);
	d->then = then;
	l->op = embed_start(
		llm,
		&(struct embed_call){.texts = texts_of(l),
				     .count = l->block.count,
				     .deadline_ms = clock_mono_ms() + DATA_SOURCE_LOAD_MS,
				     .budget_owner =
					     &(struct budget_owner){l->tenant->name, s->owner, ""}},
		d->vectors, on_vectors, l);
}

static json_t *vectors_json(const struct document *d)
{
	if (d->model)
		return json_make({"model", json_str(d->model)},
				 {"dims", json_int((int64_t)d->dims)});
	return d->reason ? json_make({"missing", json_str(d->reason)}) : json_null();
}

static json_t *column_json(const struct shape_column *c)
{
	return json_make({"name", json_str(c->name)}, {"label", json_str(c->label)},
			 {"type", json_str(column_type_name(c->form.type))});
}

static void profile_document(struct load *l)
{
	const struct document *d = l->document;
	json_t *columns = json_array(), *profile;
	char *text;

	for (size_t i = 0; i < PASSAGE_COLUMNS - 1; i++) /* the vector is internal */
		json_push_take(columns, column_json(&l->shape.columns[i]));
	profile = json_make({"columns", columns}, {"passages", json_int((int64_t)d->count)},
			    {"text_bytes", json_int((int64_t)d->text.n)},
			    {"encoding", json_str(encoding_name(l->shape.encoding))},
			    {"vectors", vectors_json(d)});
	text = json_text(profile);
	l->profile_text = arena_strdup(l->arena, text);
	mem_free(text);
	json_decref(profile);
}

const struct load_kind document_load_kind = {
	.prefix = UPLOAD_DOCUMENTS,
	.open = open_document,
	.next = next_passages,
	.read = read_document,
	.profile = profile_document,
	.complete = document_embed,
};
