/* Shared by both passes: the text of a file. */
#ifndef VESPER_UPLOAD_SHAPE_INT_H
#define VESPER_UPLOAD_SHAPE_INT_H

#include "shape.h"

struct text_file {
	int fd;
	char *block;
	struct decoder *decoder;
	struct buf text; /* of the last block */
	int64_t bytes;
};

MUST_CHECK bool text_open(struct text_file *f, const char *path, struct err *e);
void text_decode(struct text_file *f, enum encoding encoding);
/* Reads the next raw bytes. False at the end of the file, and on an error. */
bool text_block(struct text_file *f, size_t *len, struct err *e);
/* Reads the next text; *more false: the end of the file. */
MUST_CHECK bool text_next(struct text_file *f, bool *more, struct err *e);
void text_close(struct text_file *f);

bool shape_cancelled(const struct shape_options *o, struct err *e);
/* Returns false. */
bool set_text_fault(struct fault *fault, const char *code, size_t line, const char *reason,
		    struct err *e);

#endif
