/* Receives a file: as the body, or as the only file part of a form. */
#include <string.h>
#include <strings.h>

#include "http/body_sink.h"
#include "http/file_format.h"
#include "http/multipart.h"
#include "http_sources.h"
#include "vesper/json.h"
#include "vesper/limits.h"

#define UPLOADS_DISABLED "Uploads are not enabled on this server."
#define FORM_FILE        "file"

/* Parameters of the query, or text parts of the form. */
static const char *const form_texts[] = {"name", "description", NULL};

struct receiving {
	struct upload_file file;
	struct upload *upload;  /* NULL: the form's file has not begun */
	struct multipart *form; /* NULL: the body is the file */
	struct buf out;         /* bytes of the form's file that are not passed on yet */
	size_t taken;           /* bytes of `out` that were passed on */
	bool ended;
	struct err err;     /* why the file is refused; the rest is dropped */
	enum code code;     /* the code to answer it with */
	const char *detail; /* NULL: answer with `err` alone */
};

static void receiving_free(void *task)
{
	struct receiving *x = task;

	upload_free(&x->upload);
	multipart_free(&x->form);
	buf_deinit(&x->out);
}

static void refuse(struct request *r, const struct err *e)
{
	const char *detail = arena_printf(r->arena, "%s.", e->text);

	switch (e->code) {
	case ERR_LIMIT:
	case ERR_QUOTA:
		reply_problem(r, e->may_retry ? CODE_RATE_LIMITED : CODE_TOO_LONG, detail);
		break;
	case ERR_BUSY:
		reply_problem(r, CODE_DATA_BUSY, detail);
		break;
	default:
		reply_err(r, e);
	}
}

static void refuse_form(struct request *r)
{
	const struct receiving *x = r->task;

	if (x->detail)
		reply_problem(r, x->code, x->detail);
	else
		refuse(r, &x->err);
}

/* Passes the form's file on as fast as the disk can write it. Returns false while bytes remain. */
static bool drain(struct receiving *x)
{
	while (x->taken < x->out.n) {
		size_t left = x->out.n - x->taken;

		if (!upload_is_ready(x->upload))
			return false;
		left = left < BODY_BLOCK_BYTES ? left : BODY_BLOCK_BYTES;
		upload_take(x->upload, x->out.p + x->taken, left);
		x->taken += left;
	}
	buf_reset(&x->out);
	x->taken = 0;
	return true;
}

static void on_wake(void *owner)
{
	struct request *r = owner;
	struct receiving *x = r->task;
	const char *id = upload_source(x->upload);

	if (!x->ended) {
		request_resume(r);
	} else if (upload_error(x->upload)) {
		refuse(r, upload_error(x->upload));
	} else if (x->taken < x->out.n) {
		if (drain(x))
			upload_end(x->upload);
	} else if (upload_is_done(x->upload)) {
		reply_header(r, "Location", arena_printf(r->arena, "/api/v1/data-sources/%s", id));
		reply_json(r, 202,
			   json_make({"id", json_str(id)},
				     {"version", json_str(upload_version(x->upload))},
				     {"events",
				      json_str(arena_printf(
					      r->arena, "/api/v1/data-sources/%s/events", id))}));
	}
}

static bool take(struct request *r, const char *bytes, size_t len)
{
	struct receiving *x = r->task;

	if (!x->form) {
		if (!upload_is_ready(x->upload))
			return false;
		upload_take(x->upload, bytes, len);
		return true;
	}
	if (x->upload && !drain(x))
		return false;
	if (!multipart_feed(x->form, bytes, len, &x->err) && !x->code) {
		x->code = CODE_BAD_FRAME;
		x->detail = arena_printf(r->arena, "%s.", x->err.text);
	}
	if (x->upload)
		(void)drain(x);
	return true;
}

static bool failed(const struct request *r)
{
	const struct receiving *x = r->task;

	return x->err.code || (x->upload && upload_error(x->upload));
}

static void end(struct request *r)
{
	struct receiving *x = r->task;

	x->ended = true;
	if (x->form && !failed(r) && !multipart_end(x->form, &x->err)) {
		x->code = CODE_BAD_FRAME;
		x->detail = arena_printf(r->arena, "%s.", x->err.text);
	}
	if (x->err.code)
		refuse_form(r);
	else if (upload_error(x->upload))
		refuse(r, upload_error(x->upload));
	else if (drain(x))
		upload_end(x->upload);
}

static const struct body_sink sink = {.take = take, .failed = failed, .end = end};

static bool options_parse(struct request *r, struct upload_file *f, struct err *e)
{
	const char *delimiter = request_query(r, "delimiter");

	f->header = request_query(r, "header");
	if (f->header && strcmp(f->header, "yes") != 0 && strcmp(f->header, "no") != 0)
		return err_set(e, ERR_INPUT, "header: must be yes or no");
	if (delimiter && strcmp(delimiter, "tab") == 0)
		delimiter = "\t";
	if (delimiter && (strlen(delimiter) != 1 || !strchr(",;\t|", *delimiter)))
		return err_set(e, ERR_INPUT, "delimiter: must be a comma, a semicolon, | or tab");
	f->delimiter = delimiter ? *delimiter : '\0';
	return true;
}

/* The name without its extension: "sales 2025.csv" gives "sales 2025". */
static const char *without_extension(const char *name, struct arena *a)
{
	const char *dot = name ? strrchr(name, '.') : NULL;

	if (!name)
		return "Data";
	return dot && dot > name && strlen(dot) <= 7 ? arena_strndup(a, name, (size_t)(dot - name))
						     : arena_strdup(a, name);
}

static bool texts_check(const struct upload_file *f, struct err *e)
{
	return source_name_check(f->name, e) &&
	       source_text_check("description", f->description, SOURCE_DESCRIPTION_CHARS, e);
}

/* ---- as a part of a form ---- */

static const char *form_value(const struct request *r, const char *name)
{
	const struct receiving *x = r->task;
	const char *query = request_query(r, name), *text = multipart_text(x->form, name);

	return query ? query : arena_strdup(r->arena, text);
}

static bool fail(struct receiving *x, enum code code, const char *detail, struct err *e)
{
	x->code = code;
	x->detail = detail;
	return e->code ? false : err_set(e, ERR_INPUT, "%s", detail);
}

static bool on_file(void *owner, const char *file_name, const char *type, struct err *e)
{
	struct request *r = owner;
	struct receiving *x = r->task;
	struct upload_file *f = &x->file;
	const char *name = form_value(r, form_texts[0]);

	f->format = file_format_of(f->kind, type, file_name);
	if (!f->source) {
		f->name = without_extension(name && *name ? name : file_name, r->arena);
		f->description = form_value(r, form_texts[1]);
	}
	if (!f->format)
		return fail(x, CODE_MEDIA_TYPE, file_format_hint(f->kind), e);
	if (!f->source && !texts_check(f, e))
		return fail(x, CODE_INVALID, arena_printf(r->arena, "%s.", e->text), e);
	return upload_begin(uploads_of(r), f, on_wake, r, &x->upload, e);
}

static void on_bytes(void *owner, const char *bytes, size_t len)
{
	const struct request *r = owner;
	struct receiving *x = r->task;

	buf_add(&x->out, bytes, len);
}

static bool is_plain(const struct request *r)
{
	const char *coding = request_header(r, "Content-Encoding");

	return !coding || strcasecmp(coding, "identity") == 0;
}

/* ---- beginning ---- */

static void receive(struct request *r, const struct upload_file *f)
{
	struct receiving *x = arena_alloc(r->arena, sizeof(*x));
	struct err e = {0};

	*x = (struct receiving){.file = *f};
	x->file.who = r->who;
	buf_init(&x->out, BODY_BLOCK_BYTES + 2 * MULTIPART_BYTES);
	r->task = x;
	r->task_free = receiving_free;
	if (!uploads_of(r)) {
		reply_problem(r, CODE_NOT_FOUND, UPLOADS_DISABLED);
	} else if (!options_parse(r, &x->file, &e)) {
		reply_problem(r, CODE_BAD_FRAME, arena_printf(r->arena, "%s.", e.text));
	} else if (is_plain(r) && multipart_is(r)) {
		const struct multipart_reader reader = {on_file, on_bytes, r};

		if (!multipart_new(r, form_texts, FORM_FILE, &reader, &x->form, &e))
			reply_problem(r, CODE_BAD_FRAME, arena_printf(r->arena, "%s.", e.text));
	} else {
		x->file.format =
			is_plain(r) ? file_format_of(f->kind, request_header(r, "Content-Type"),
						     request_query(r, "name"))
				    : NULL;
		if (!x->file.format)
			reply_problem(r, CODE_MEDIA_TYPE, file_format_hint(f->kind));
		else if (!upload_begin(uploads_of(r), &x->file, on_wake, r, &x->upload, &e))
			refuse(r, &e);
	}
	if (!r->reply.response)
		r->stream.sink = &sink;
}

static void receive_new(struct request *r, enum source_kind kind)
{
	struct upload_file f = {.kind = kind,
				.name = without_extension(request_query(r, "name"), r->arena),
				.description = request_query(r, "description")};
	struct err e;

	if (!texts_check(&f, &e))
		reply_problem(r, CODE_INVALID, arena_printf(r->arena, "%s.", e.text));
	else
		receive(r, &f);
}

void on_post_source(struct request *r)
{
	receive_new(r, SOURCE_TABLE);
}

void on_post_document(struct request *r)
{
	receive_new(r, SOURCE_DOCUMENT);
}

void on_put_source_data(struct request *r)
{
	struct upload_file f = {.source = r->params[0]};
	const char *tag = request_header(r, "If-Match");
	struct upload_view v;

	if (!source_find_own(r, &v))
		return;
	f.kind = v.source->kind;
	if (v.current && !tag)
		reply_problem(r, CODE_PRECONDITION, NULL);
	else if (v.current && !request_matches_etag(r, "If-Match", source_etag(r, &v)))
		reply_problem(r, CODE_CHANGED, NULL);
	else
		receive(r, &f);
}
