/*
 * A form as browsers and `curl -F` send it: text parts, then one file whose bytes come out as they
 * come in. Everything else is refused. Loop thread only.
 */
#ifndef VESPER_MULTIPART_H
#define VESPER_MULTIPART_H

#include "request.h"

#define MULTIPART_BYTES      4096 /* that are held back at most, to see whether a part ends */
#define MULTIPART_TEXT_BYTES 8192 /* of one text; a description has 1,000 characters */

struct multipart;

struct multipart_reader {
	/* The file's bytes begin; texts before it are known. False: refused, *e says why. */
	bool (*begin)(void *owner, const char *file_name, const char *type, struct err *e);
	void (*bytes)(void *owner, const char *bytes, size_t len);
	void *owner;
};

/* Does the head say that the body is one? */
bool multipart_is(const struct request *r);
/* `texts`: names of text parts that may come, NULL-ended; `file`: that of the file's part.
 * ERR_INPUT: the head names no boundary. */
MUST_CHECK bool multipart_new(struct request *r, const char *const *texts, const char *file,
			      const struct multipart_reader *reader, struct multipart **out,
			      struct err *e);
/* At most len + MULTIPART_BYTES come out of one call. */
MUST_CHECK bool multipart_feed(struct multipart *m, const char *bytes, size_t len, struct err *e);
/* The body is whole. ERR_INPUT: the form is not, or there was no file. */
MUST_CHECK bool multipart_end(struct multipart *m, struct err *e);
/* NULL: it did not come. */
const char *multipart_text(const struct multipart *m, const char *name);
void multipart_free(struct multipart **m);

#endif
