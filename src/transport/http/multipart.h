/*
 * A form as browsers and `curl -F` send it: text parts, then one file whose bytes are passed on as
 * they arrive. All other forms are refused. Loop thread only.
 */
#ifndef VESPER_MULTIPART_H
#define VESPER_MULTIPART_H

#include "request.h"

#define MULTIPART_BYTES      4096 /* buffered at most, to detect the end of a part */
#define MULTIPART_TEXT_BYTES 8192 /* per text; a description has 1,000 characters */

struct multipart;

struct multipart_reader {
	/* The file's content begins; texts before it are complete. Return false to refuse it, with
	 * *e set. */
	bool (*begin)(void *owner, const char *file_name, const char *type, struct err *e);
	void (*bytes)(void *owner, const char *bytes, size_t len);
	void *owner;
};

/* Returns true when the head declares a multipart form. */
bool multipart_is(const struct request *r);
/* `texts`: allowed names of text parts, NULL-terminated; `file`: the name of the file part.
 * ERR_INPUT: the head names no boundary. */
MUST_CHECK bool multipart_new(struct request *r, const char *const *texts, const char *file,
			      const struct multipart_reader *reader, struct multipart **out,
			      struct err *e);
/* One call emits at most len + MULTIPART_BYTES. */
MUST_CHECK bool multipart_feed(struct multipart *m, const char *bytes, size_t len, struct err *e);
/* Called at the end of the body. ERR_INPUT: the form is incomplete, or there was no file. */
MUST_CHECK bool multipart_end(struct multipart *m, struct err *e);
/* NULL: the part was not sent. */
const char *multipart_text(const struct multipart *m, const char *name);
void multipart_free(struct multipart **m);

#endif
