/*
 * A file of statements for a server, in batches. "--# name" begins a batch and names it; a line
 * with only GO ends one, as in Microsoft's tools. Comment lines before a batch are not sent.
 */
#ifndef CTL_SERVER_SCRIPT_H
#define CTL_SERVER_SCRIPT_H

#include "server.h"
#include "vesper/arena.h"

struct batch {
	const char *name; /* "main" unless the file names it */
	int line;         /* of its first statement */
	const char *text;
};

struct script {
	const char *path; /* as shown in errors */
	const struct batch *batches;
	size_t count;
	const char *checksum; /* SHA-256 of the file, hexadecimal */
};

/* All memory is in the arena. */
MUST_CHECK bool script_load(const char *path, struct arena *arena, struct script *out,
			    struct err *err);
void script_parse(const char *path, const char *text, struct arena *arena, struct script *out);
/* Runs all batches; an error names file, line and batch. */
MUST_CHECK bool script_run(const struct script *script, struct server *server, struct err *err);

#endif
