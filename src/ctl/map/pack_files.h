/*
 * The files of a generated pack, made from a database or from a model of another product. All
 * content is JSON that Vesper writes, or lines of Markdown; none of it is SQL.
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
	const char *subject; /* "the data of shop", for the domain's description and words.json */
	const char *source;  /* as in config/packs.json; NULL: the warehouse */
	json_t *entities, *edges; /* for catalogue.json, as in vesper/schema.h */
	json_t *dimensions, *measures, *metrics;
	json_t *views;            /* for schema.json */
	json_t *aliases;          /* for entities.json */
	json_t *nouns, *synonyms; /* for words.json */
	json_t *review;           /* {"kind", "name", "from"?, "why", "text"?}, for a human */
	struct strlist examples;  /* example questions of the domain */
	const char *golden;       /* lines of golden.jsonl; NULL: no file */
};

/* Initializes empty lists, which live as long as the arena. */
void ctl_pack_init(struct ctl_pack *p, const char *name, struct arena *a);
/* {"kind", "name", "from", "why", "text"}; `from` and `text` may be NULL. */
void ctl_pack_review(struct ctl_pack *p, const char *kind, const char *name, const char *from,
		     const char *why, const char *text);
/* Writes all files below `dir` (config/<name>, prompts/<name>, and config/packs.json if missing),
 * each atomically. ERR_BUSY: one of them exists and `replace` is false; nothing is written then.
 * `written`: their paths. */
MUST_CHECK bool ctl_pack_write(const struct ctl_pack *p, const char *dir, bool replace,
			       struct arena *a, struct strlist *written, struct err *e);

#endif
