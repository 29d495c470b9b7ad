/*
 * Internals of the catalogue: the loader that its parts share, and the private part of the
 * catalogue.
 */
#ifndef CATALOG_INT_H
#define CATALOG_INT_H

#include <stdatomic.h>

#include "vesper/arena.h"
#include "vesper/catalog.h"
#include "vesper/overlay.h"
#include "vesper/schema.h"
#include "vesper/str.h"
#include "vesper/strlist.h"

struct role {
	const char *name;
	const char *const *permissions; /* NULL-terminated */
};

struct prompt_text {
	const char *name; /* "supervisor" */
	const char *text;
};

/* The public part is the first member, so pointers to it and to the whole are convertible. */
struct catalog_impl {
	struct catalog public;
	struct arena *arena;      /* owns everything, including this struct */
	atomic_int refs;          /* atomic, since overlays are built on a worker */
	const char *const *views; /* approved views, NULL-terminated */
	struct schema schema;
	const char *const *permissions; /* NULL-terminated */
	struct role *roles;
	size_t role_count;
	const struct prompt_text *prompts;
	size_t prompt_count;
	struct {
		struct catalog *base; /* NULL: no overlay */
		struct flow_fault *faults;
		size_t fault_count;
	} overlay;
};

static inline struct catalog_impl *catalog_impl(const struct catalog *c)
{
	return (struct catalog_impl *)c;
}

struct pack_def {
	const char *name;
	const char *root;
	const char *file; /* file that registers it */
	bool is_default;
	const char *source;       /* source of its views and tools */
	const char *const *needs; /* NULL-terminated; they precede it */
};

struct packs {
	struct pack_def *items;
	size_t count;
};

struct loader {
	const char *home;              /* root of the shared files */
	const char *root;              /* root of the files being read */
	const struct pack_def *pack;   /* pack being read; NULL: shared files */
	const struct pack_def **packs; /* selected packs, NULL-terminated */
	const char *const *one_tenant; /* see struct pack_list */
	struct arena *arena;
	struct catalog_impl *impl;
	/* Tools of the packs read so far; the catalogue's array has the final order. */
	struct tool_def *tools;
	size_t tool_cap;
	struct sql_fragments fragments; /* of the current pack */
	size_t flow_cap, component_cap, dimension_cap, domain_cap, report_cap, role_cap,
		starter_cap;
	bool has_calendar;
	/* catalogue.json of each pack, for the parts that need all dimensions. */
	struct pack_schema {
		struct words_file file;
		const json_t *root;
	} * schemas;        /* by index in `packs` */
	struct buf sources; /* all files read, with their names; input of the hash */
};

bool pack_is_name(const char *name);
const struct pack_def *packs_find(const struct packs *p, const char *name);
/* Returns "config/<pack>/<name>" for the current pack. */
const char *pack_file(const struct loader *l, const char *name);
/* Calls a loader function for each selected pack, in order. */
MUST_CHECK bool each_pack(struct loader *l, bool (*load)(struct loader *, struct err *),
			  struct err *e);

/* Reads root/path as text in `a` and adds it to the sources. Error messages name the path below
 * root. A symbolic link that leaves the root is ERR_INPUT. */
MUST_CHECK bool load_text(struct loader *l, const char *path, size_t cap_bytes, struct arena *a,
			  const char **out, struct err *e);
/* The same, with the catalogue's values inserted. */
MUST_CHECK bool load_text_with_values(struct loader *l, const char *path, size_t cap_bytes,
				      const char **out, struct err *e);
/* Reads a JSON object that lives as long as the catalogue. Errors in it begin with the member they
 * concern; load_file_fail adds path and line. */
MUST_CHECK bool load_json(struct loader *l, const char *path, struct words_file *f, json_t **out,
			  struct err *e);
/* Reads an optional file of the pack; *out is NULL when it is missing. */
MUST_CHECK bool load_pack_json(struct loader *l, const char *name, struct words_file *f,
			       json_t **out, struct err *e);
bool load_file_fail(const struct words_file *f); /* returns false */
/* Lists names below root/folder; empty when the folder is missing. */
MUST_CHECK bool load_names(const struct loader *l, const char *folder, const char *const **out,
			   struct err *e);
/* Reads a JSON array of strings as a NULL-terminated list in the arena. */
MUST_CHECK bool load_texts(struct loader *l, const json_t *array, const char *what,
			   const char *const **out, struct err *e);

/* ---- front matter: "key: value" lines between two --- lines ---- */

struct front_matter {
	struct arena *arena;
	const char *path;
	int line;
	void *owner;
	/* Reads the value of a key that is not a repetition. For a list, it sets `open`. */
	bool (*read_key)(struct front_matter *m, struct str key, struct str text, struct err *e);
	struct strlist *open; /* list that "- item" lines are added to */
	struct strlist seen;
};
/* Reads up to the second --- line; *rest is the text after it. */
MUST_CHECK bool front_matter_read(struct front_matter *m, struct str *rest, struct err *e);
/* ERR_INPUT with path and line; returns false. */
bool front_matter_fail(const struct front_matter *m, struct err *e, const char *what,
		       struct str text);
MUST_CHECK bool front_matter_int(const struct front_matter *m, struct str text, int *out,
				 struct err *e);

/* ---- parts ---- */

MUST_CHECK bool load_factors(struct loader *l, struct err *e); /* <pack>/<pack>.json */

/* Shared files. */
MUST_CHECK bool load_language(struct loader *l, struct err *e);    /* language/en.json */
MUST_CHECK bool load_units(struct loader *l, struct err *e);       /* units.json */
MUST_CHECK bool load_permissions(struct loader *l, struct err *e); /* permissions.json */
MUST_CHECK bool load_prompts(struct loader *l, struct err *e);     /* prompts/ */
bool prompt_has_rules(const char *name);                      /* true if it contains {{rules}} */
MUST_CHECK bool load_router(struct loader *l, struct err *e); /* router.json */

/* Files of the current pack; they extend those of earlier packs. */
MUST_CHECK bool load_words(struct loader *l, struct err *e);            /* words.json */
MUST_CHECK bool load_pack_permissions(struct loader *l, struct err *e); /* permissions.json */
MUST_CHECK bool load_schema(struct loader *l, struct err *e);           /* catalogue.json */
MUST_CHECK bool load_aliases(struct loader *l, struct err *e);          /* entities.json */
MUST_CHECK bool finish_schema(struct loader *l, struct err *e);         /* the map of all packs */
MUST_CHECK bool load_reports(struct loader *l, struct err *e);          /* reports.json */
MUST_CHECK bool load_tools(struct loader *l, struct err *e);            /* sql/<pack> */
MUST_CHECK bool load_domains(struct loader *l, struct err *e);          /* prompts/<pack> */
MUST_CHECK bool load_components(struct loader *l, struct err *e);       /* components.json */
#define FLOW_FOLDER "flow" /* folder in a pack, next to its domains */
MUST_CHECK bool load_flows(struct loader *l, struct err *e);    /* prompts/<pack>/flow */
MUST_CHECK bool load_starters(struct loader *l, struct err *e); /* starters.json */

/* After all packs: tool order, schemas and agents. */
MUST_CHECK bool finish_tools(struct loader *l, struct err *e);
MUST_CHECK bool finish_domains(struct loader *l, struct err *e);

/* ---- tools ---- */

/* Reads a file's header. `files` and `schema` of the tool stay empty. */
MUST_CHECK bool tool_file_read(struct loader *l, const struct sql_file *f, struct tool_def *out,
			       struct err *e);
/* Reads a `refer` line, "FILTER PATH words", and adds it to the tool. */
MUST_CHECK bool refer_read(struct arena *a, const char *text, int line, struct tool_def *tool,
			   struct err *e);
/* Checks the statements against the header: markers, conditions, columns, views, tenant. */
MUST_CHECK bool tool_file_check(const struct loader *l, const struct tool_def *t,
				const struct sql_file *f, struct err *e);
json_t *tool_schema_new(const struct catalog *c, const struct tool_def *t);

/* Reads a query over the map and checks its names. *slots: parameters of its "{filter.NAME}"
 * placeholders. */
MUST_CHECK bool flow_query_read(const struct catalog *c, const char *query, struct arena *a,
				const struct param_def **slots, size_t *count, struct err *e);
/* Replaces each value that `is_slot` accepts, and the days of the period, with "{filter.NAME}".
 * *values: object of the replaced values. Allocated in the arena. NULL: not a query. */
typedef bool (*flow_is_slot)(const void *owner, const char *filter);
const char *flow_query_parameterize(const struct catalog *c, const char *query,
				    flow_is_slot is_slot, const void *owner, struct arena *a,
				    json_t **values);

/* Parses a flow without checking its names. */
MUST_CHECK bool flow_parse(const char *path, const char *text, struct arena *a,
			   struct flow_def *out, struct err *e);

/* The source of an approved view, or NULL. */
const char *source_of_view(const struct catalog_impl *w, const char *view);
/* The only tenant that the source serves; NULL: it separates tenants. */
const char *source_only_tenant(const struct loader *l, const char *source);
/* Checks that a source has at most DB_SCHEMAS_MAX schemas; called after each view. */
MUST_CHECK bool check_source_schemas(const struct loader *l, const char *source, struct err *e);

/* Describes the approved views and their columns for models that write ad hoc SQL. */
const char *ad_hoc_sql_views(const struct loader *l);

#endif
