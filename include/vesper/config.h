/*
 * The configuration: config/vesper.json, overridden by the environment (VESPER_<SECTION>_<KEY>;
 * deeper keys go on with underscores; <NAME>_FILE reads the value from a file), each key known,
 * typed and bounded. Immutable once loaded: a reload makes another one. Loop-thread only.
 */
#ifndef VESPER_CONFIG_H
#define VESPER_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/str.h"

struct config;

/* path NULL: only defaults and the environment. Every mistake found is listed in the error, first
 * ones first. `env` is a NULL-ended list as `environ`. */
MUST_CHECK bool config_load(const char *path, char *const *env, struct config **out, struct err *e);
/* The same again, beside one that is in use. Keys that a restart only may change keep the value of
 * `old`; `keeps` is called for each of them that was changed ("listen", "tenants.acme.store"). */
MUST_CHECK bool config_reload(const struct config *old, const char *path, char *const *env,
			      void (*keeps)(void *owner, const char *name), void *owner,
			      struct config **out, struct err *e);
void config_free(struct config **c);
/* Values that are borrowed from it last as long as the arena. */
void config_keep(const struct config *c, struct arena *a);
/* All keys whose name begins so have the same values. */
bool config_same(const struct config *a, const struct config *b, const char *prefix);

/* Values by dotted key ("warehouse.workers"). An unknown key is a mistake of ours. Borrowed. */
const char *config_text(const struct config *c, const char *key); /* "" when not set */
int64_t config_int(const struct config *c, const char *key);
bool config_bool(const struct config *c, const char *key);
const json_t *config_json(const struct config *c,
			  const char *key); /* arrays and objects; never NULL */
/* A list of texts, ended by NULL; the array is in the arena. */
const char *const *config_texts(const struct config *c, const char *key, struct arena *a);
bool config_is_set(const struct config *c, const char *key); /* by file or environment */
/* Where the value comes from, for errors that are found later: "config/vesper.json:12", the line of
 * the member ("acme.packs"); or the variable that has it. */
const char *config_place(const struct config *c, const char *key, const char *member,
			 struct arena *a);

/* The effective configuration with secrets as "***". New reference. */
json_t *config_print(const struct config *c);

/* All keys as a table in Markdown: when a change counts (live: with SIGHUP), default, meaning. */
void config_print_keys(struct buf *out);

#endif
