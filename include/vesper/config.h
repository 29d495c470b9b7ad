/*
 * The configuration: config/vesper.json, overridden by the environment (VESPER_<SECTION>_<KEY>;
 * deeper keys go on with underscores; <NAME>_FILE reads the value from a file), each key known,
 * typed and bounded. Only main reads it and hands each folder its own options.
 */
#ifndef VESPER_CONFIG_H
#define VESPER_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "vesper/err.h"

struct config;

/* path NULL: only defaults and the environment. Every mistake found is listed in the error, first
 * ones first. `env` is a NULL-ended list as `environ`. */
MUST_CHECK bool config_load(const char *path, char *const *env, struct config **out, struct err *e);
void config_free(struct config **c);

/* Values by dotted key ("warehouse.workers"). An unknown key is a mistake of ours. Borrowed. */
const char *config_text(const struct config *c, const char *key); /* "" when not set */
int64_t config_int(const struct config *c, const char *key);
bool config_bool(const struct config *c, const char *key);
const json_t *config_json(const struct config *c,
			  const char *key);                  /* arrays and objects; never NULL */
bool config_is_set(const struct config *c, const char *key); /* by file or environment */

/* The effective configuration with secrets as "***". New reference. */
json_t *config_print(const struct config *c);

#endif
