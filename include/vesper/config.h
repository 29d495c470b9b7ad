/*
 * The configuration: config/vesper.json, overridden by the environment (VESPER_<SECTION>_<KEY>;
 * deeper keys continue with underscores; <NAME>_FILE reads the value from a file). Every key is
 * known, typed and bounded. Immutable once loaded: a reload makes a new one. Loop thread only.
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

/* path NULL: only defaults and the environment. The error counts all mistakes and describes the
 * first ones, as many as fit its text. `env` is a NULL-ended list like `environ`. */
MUST_CHECK bool config_load(const char *path, char *const *env, struct config **out, struct err *e);
/* Loads again while `old` is in use. Keys that take effect only at a restart keep the value of
 * `old`; `keeps` is called for each of them that was changed ("listen", "tenants.acme.store"). */
MUST_CHECK bool config_reload(const struct config *old, const char *path, char *const *env,
			      void (*keeps)(void *owner, const char *name), void *owner,
			      struct config **out, struct err *e);
void config_free(struct config **c);
/* Keeps the configuration, and so borrowed values, alive as long as the arena. */
void config_retain(const struct config *c, struct arena *a);
/* True when all keys with this prefix have the same values. */
bool config_same(const struct config *a, const struct config *b, const char *prefix);

/* Values by dotted key ("warehouse.workers"). An unknown key is a program error. Borrowed. */
const char *config_text(const struct config *c, const char *key); /* "" when not set */
int64_t config_int(const struct config *c, const char *key);
bool config_bool(const struct config *c, const char *key);
const json_t *config_json(const struct config *c,
			  const char *key); /* arrays and objects; never NULL */
/* A list of texts, ended by NULL; the array is in the arena. */
const char *const *config_texts(const struct config *c, const char *key, struct arena *a);
bool config_is_set(const struct config *c, const char *key); /* by file or environment */
/* Where a value is set, for errors found later: the file and line of the member
 * ("config/vesper.json:12" for "acme.packs"), or the environment variable. */
const char *config_location(const struct config *c, const char *key, const char *member,
			    struct arena *a);

/* The effective configuration with secrets as "***". New reference. */
json_t *config_print(const struct config *c);

/* All keys as a Markdown table: when a change takes effect (live: with SIGHUP), default,
 * meaning. */
void config_print_keys(struct buf *out);

#endif
