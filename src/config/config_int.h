/* Shared inside config only: the table of keys, and the list of errors that a load collects. */
#ifndef VESPER_CONFIG_INT_H
#define VESPER_CONFIG_INT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/str.h"

#define CONFIG_DIALECTS    "mssql|postgres|sqlite"
#define CONFIG_WAIT_MS_MAX 3600000

enum key_type {
	KEY_TEXT,
	KEY_DATE, /* text: empty, or a date with or without a time (moment_parse) */
	KEY_INT,
	KEY_BOOL,
	KEY_LIST,      /* of texts */
	KEY_ORIGINS,   /* a list of scheme://host[:port] */
	KEY_MAP,       /* text -> text */
	KEY_PROVIDERS, /* of objects: name, kind, base_url, key, version */
	KEY_PRICES,    /* model -> {input, output, cache_read?, cache_write?} */
	KEY_BUDGETS,   /* of {scope, only?, period, tokens?, usd?} */
	KEY_TENANTS,   /* tenant id -> {warehouse, store, timezone?, claim?, packs?, sources?} */
	KEY_SOURCES,   /* name -> {dialect?, dsn?, dir?, …} */
};

/* When a changed value takes effect. */
enum config_when {
	CONFIG_LIVE,    /* with the next SIGHUP */
	CONFIG_RESTART, /* with a restart of the process */
	CONFIG_PARTLY,  /* some members live, others at a restart: see config_reload.c */
};

/* Longer than any name of a setting. */
#define NAME_BYTES 160

struct config_key {
	const char *name;
	enum config_when when;
	enum key_type type;
	const char *default_json; /* the default value */
	int64_t min;              /* KEY_INT */
	int64_t max;
	const char *choices; /* KEY_TEXT: the only values, "a|b|c"; NULL: any */
	bool secret;
	const char *about;
};

extern const struct config_key config_keys[];
extern const size_t config_key_count;

struct config {
	int refs;
	json_t **values;  /* one per key, of the key's type */
	bool *is_set;     /* by file or environment */
	char **variables; /* variables that set the value; NULL: the file or the default */
	char *path;       /* of the file; or NULL */
};

/* The key's index in the table; -1: unknown. */
int config_key_find(const char *name, size_t len);
/* The known key with the most similar spelling; NULL: none is similar. */
const char *config_key_nearest(const char *name);
/* As config_key_nearest, for a variable (VESPER_AUTH_ORIGIN); writes the name of a variable. */
bool config_variable_nearest(struct str name, char *out, size_t size);

struct config_faults {
	struct buf text;
	int count;
};

void config_fault_add(struct config_faults *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Checks the value against its key and stores it. `where` is the name that the user knows
 * ("warehouse.workers", "VESPER_LISTEN"). Takes ownership of the value, also on failure. */
void config_set_take(struct config *c, size_t key, json_t *value, const char *where,
		     struct config_faults *m);

/* The same check without storing the value. */
bool value_check(const struct config_key *key, const json_t *value, const char *where,
		 struct config_faults *m);
/* Converts the value of a choice to lower case. */
void choice_lower(json_t *value);

/* config_sources.c */
bool sources_check(const json_t *value, const char *where, struct config_faults *m);
void sources_complete(json_t *sources);
/* Returns true for a variable of one source, with the source's name, the member, and whether the
 * variable names a file with the value. */
bool source_variable(struct str name, char *source, size_t size, const struct config_key **key,
		     bool *is_file);
json_t *sources_printable(const json_t *value); /* New reference */

/* config_money.c */
bool prices_check(const json_t *value, const char *where, struct config_faults *m);
bool budgets_check(const json_t *value, const char *where, struct config_faults *m);

void config_read_file(struct config *c, const char *path, struct config_faults *m);
void config_read_env(struct config *c, char *const *env, struct config_faults *m);

#endif
