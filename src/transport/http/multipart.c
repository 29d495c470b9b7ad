/* Parses the parts of a form with libmicrohttpd's post processor. */
#include "multipart.h"

#include <string.h>
#include <strings.h>

#include <microhttpd.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

#define MULTIPART  "multipart/form-data"
#define TEXTS_MAX  4
#define FORM_ERROR "the form must have text parts, followed by one file part named \"file\""

struct multipart {
	struct request *request;
	struct MHD_PostProcessor *parts;
	const char *const *names; /* of the text parts */
	const char *file;
	struct multipart_reader reader;
	struct buf texts[TEXTS_MAX];
	bool is_received[TEXTS_MAX];
	bool begun;
	struct err err;
};

bool multipart_is(const struct request *r)
{
	struct str rest = str_of(request_header(r, "Content-Type")), type;

	str_split(&rest, ';', &type);
	return str_eq_nocase(str_trim(type), STR(MULTIPART));
}

/* The index of the text part; TEXTS_MAX: unknown. */
static size_t text_at(const struct multipart *m, const char *name)
{
	for (size_t i = 0; m->names[i]; i++)
		if (strcmp(m->names[i], name) == 0)
			return i;
	return TEXTS_MAX;
}

static bool add_text(struct multipart *m, const char *key, const char *data, uint64_t at,
		     size_t len)
{
	size_t i = text_at(m, key);

	if (i == TEXTS_MAX || m->begun || (at == 0 && m->is_received[i]))
		return err_set(&m->err, ERR_INPUT, FORM_ERROR);
	m->is_received[i] = true;
	buf_add(&m->texts[i], data, len);
	return !buf_over(&m->texts[i]) ||
	       err_set(&m->err, ERR_INPUT, "%s: must have at most %d bytes", m->names[i],
		       MULTIPART_TEXT_BYTES);
}

static enum MHD_Result on_part(void *owner, enum MHD_ValueKind kind, const char *key,
			       const char *file_name, const char *type, const char *coding,
			       const char *data, uint64_t at, size_t len)
{
	struct multipart *m = owner;
	bool is_ok;

	(void)kind;
	(void)coding;
	if (!key || m->err.code) {
		is_ok = m->err.code == ERR_NONE && err_set(&m->err, ERR_INPUT, FORM_ERROR);
	} else if (!file_name) {
		is_ok = add_text(m, key, data, at, len);
	} else if (strcmp(key, m->file) != 0 || (at == 0 && m->begun)) {
		is_ok = err_set(&m->err, ERR_INPUT, FORM_ERROR);
	} else {
		is_ok = m->begun || m->reader.begin(m->reader.owner, file_name, type, &m->err);
		m->begun = true;
		if (is_ok && len > 0)
			m->reader.bytes(m->reader.owner, data, len);
	}
	return is_ok ? MHD_YES : MHD_NO;
}

bool multipart_new(struct request *r, const char *const *texts, const char *file,
		   const struct multipart_reader *reader, struct multipart **out, struct err *e)
{
	struct multipart *m = mem_alloc(sizeof(*m));

	*m = (struct multipart){.request = r, .names = texts, .file = file, .reader = *reader};
	for (size_t i = 0; i < TEXTS_MAX; i++)
		buf_init(&m->texts[i], MULTIPART_TEXT_BYTES);
	m->parts = MHD_create_post_processor(r->connection, MULTIPART_BYTES, on_part, m);
	*out = m;
	if (m->parts)
		return true;
	multipart_free(out);
	return err_set(e, ERR_INPUT, "Content-Type: a multipart form must have a boundary");
}

static bool fail(const struct multipart *m, struct err *e)
{
	if (m->err.code)
		*e = m->err;
	else
		err_set(e, ERR_INPUT, FORM_ERROR);
	return false;
}

bool multipart_feed(struct multipart *m, const char *bytes, size_t len, struct err *e)
{
	return (MHD_post_process(m->parts, bytes, len) == MHD_YES && !m->err.code) || fail(m, e);
}

bool multipart_end(struct multipart *m, struct err *e)
{
	bool is_complete = MHD_destroy_post_processor(m->parts) == MHD_YES;

	m->parts = NULL;
	return (is_complete && m->begun && !m->err.code) || fail(m, e);
}

const char *multipart_text(const struct multipart *m, const char *name)
{
	size_t i = text_at(m, name);

	return i < TEXTS_MAX && m->is_received[i] ? buf_text(&m->texts[i]) : NULL;
}

void multipart_free(struct multipart **multipart)
{
	struct multipart *m = *multipart;

	if (!m)
		return;
	*multipart = NULL;
	if (m->parts)
		MHD_destroy_post_processor(m->parts);
	for (size_t i = 0; i < TEXTS_MAX; i++)
		buf_deinit(&m->texts[i]);
	mem_free(m);
}
