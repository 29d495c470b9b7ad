/*
 * The files of a pack that was made from something else: a database, a model of another product.
 * All texts are JSON of our own or lines of Markdown; nothing of them is ever SQL.
 */
#ifndef CTL_PACK_FILES_H
#define CTL_PACK_FILES_H

#include <jansson.h>
#include <stdbool.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/strlist.h"

struct ctl_pack {
	const char *name;
	const char *subject;      /* "the data of shop", for the domain's line and words.json */
	const char *source;       /* of config/packs.json; NULL: the warehouse */
	json_t *entities, *edges; /* of catalogue.json, as vesper/schema.h has them */
	json_t *dimensions, *measures, *metrics;
	json_t *views;            /* of schema.json */
	json_t *aliases;          /* entities.json */
	json_t *nouns, *synonyms; /* of words.json */
	json_t *review;           /* {"kind", "name", "from"?, "why", "text"?}, for a person */
	struct strlist examples;  /* questions of the domain */
	const char *golden;       /* lines of golden.jsonl; NULL: no such file */
};

/* Empty lists; they live as long as the arena. */
void ctl_pack_init(struct ctl_pack *p, const char *name, struct arena *a);
/* {"kind", "name", "from", "why", "text"}; `from` and `text` may be NULL. */
void ctl_pack_review(struct ctl_pack *p, const char *kind, const char *name, const char *from,
		     const char *why, const char *text);
/* Writes all files below `dir` (config/<name>, prompts/<name>, and config/packs.json where there is
 * none), each whole or not at all. ERR_BUSY: one of them is there and `replace` is not given;
 * then nothing is written. `written`: their paths. */
MUST_CHECK bool ctl_pack_write(const struct ctl_pack *p, const char *dir, bool replace,
			       struct arena *a, struct strlist *written, struct err *e);

#endif
