/*
 * Inside the catalog folder: the loader that the parts share, and what the catalogue holds beyond
 * its public face.
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
	const char *const *permissions; /* NULL-ended */
};

struct prompt_text {
	const char *name; /* "supervisor" */
	const char *text;
};

/* The public part comes first, so that a pointer to it is a pointer to the whole. */
struct catalog_whole {
	struct catalog shown;
	struct arena *arena;      /* owns everything, this struct too */
	atomic_int refs;          /* an overlay is made on a worker */
	const char *const *views; /* approved, NULL-ended */
	struct schema schema;
	const char *const *permissions; /* NULL-ended */
	struct role *roles;
	size_t role_count;
	const struct prompt_text *prompts;
	size_t prompt_count;
	struct {
		struct catalog *base; /* NULL: it is none */
		struct flow_fault *faults;
		size_t fault_count;
	} overlay;
};

static inline struct catalog_whole *catalog_whole(const struct catalog *c)
{
	return (struct catalog_whole *)c;
}

struct pack_def {
	const char *name;
	const char *root;
	const char *file; /* that registers it */
	bool is_default;
	const char *source;       /* of its views and tools */
	const char *const *needs; /* NULL-ended; they stand before it */
};

struct packs {
	struct pack_def *items;
	size_t count;
};

struct loader {
	const char *home;              /* the root of what packs share */
	const char *root;              /* of the files that are read now */
	const struct pack_def *pack;   /* whose files are read now; NULL: shared ones */
	const struct pack_def **packs; /* those of the list, NULL-ended */
	const char *const *one_tenant; /* see struct pack_list */
	struct arena *arena;
	struct catalog_whole *whole;
	struct tool_def
		*tools; /* of the packs read so far; the catalogue's are their final order */
	size_t tool_cap;
	struct sql_fragments fragments; /* of the pack at hand */
	size_t flow_cap, component_cap, dimension_cap, domain_cap, report_cap, role_cap,
		starter_cap;
	bool has_calendar;
	/* catalogue.json of each pack, for what is read when every dimension is known */
	struct pack_schema {
		struct words_file file;
		const json_t *root;
	} * schemas;        /* by place in `packs` */
	struct buf sources; /* every file read, with its name: what the hash covers */
};

bool pack_is_name(const char *name);
const struct pack_def *packs_find(const struct packs *p, const char *name);
/* "config/<pack>/<name>" of the pack whose files are read. */
const char *pack_file(const struct loader *l, const char *name);
/* Runs a part of the loader for each pack of the list, in order. */
MUST_CHECK bool each_pack(struct loader *l, bool (*load)(struct loader *, struct err *),
			  struct err *e);

/* Reads root/path as text in `a` and adds it to the sources. Errors name the path below root. A
 * link that leaves the root is ERR_INPUT. */
MUST_CHECK bool load_text(struct loader *l, const char *path, size_t cap_bytes, struct arena *a,
			  const char **out, struct err *e);
/* The same with values of the catalogue in their places. */
MUST_CHECK bool load_text_with_values(struct loader *l, const char *path, size_t cap_bytes,
				      const char **out, struct err *e);
/* The same as a JSON object, alive as long as the catalogue. Errors that are found in it begin with
 * the member that they are about; load_wrong puts path and line before them. */
MUST_CHECK bool load_json(struct loader *l, const char *path, struct words_file *f, json_t **out,
			  struct err *e);
/* A file that a pack may do without: *out is NULL. */
MUST_CHECK bool load_pack_json(struct loader *l, const char *name, struct words_file *f,
			       json_t **out, struct err *e);
bool load_wrong(const struct words_file *f); /* returns false */
/* Names below root/folder; none when there is no such folder. */
MUST_CHECK bool load_names(const struct loader *l, const char *folder, const char *const **out,
			   struct err *e);
/* A JSON array of texts as a NULL-ended list in the arena. */
MUST_CHECK bool load_texts(struct loader *l, const json_t *array, const char *what,
			   const char *const **out, struct err *e);

/* ---- front matter: "key: value" lines between two --- lines ---- */

struct front_matter {
	struct arena *arena;
	const char *path;
	int line;
	void *owner;
	/* Reads a key that comes for the first time; of a list it sets `open`. */
	bool (*read_key)(struct front_matter *m, struct str key, struct str text, struct err *e);
	struct strlist *open; /* the list that "- item" lines go to */
	struct strlist seen;
};
/* Reads up to the second --- line; *rest is what comes after it. */
MUST_CHECK bool front_matter_read(struct front_matter *m, struct str *rest, struct err *e);
/* ERR_INPUT with path and line; returns false. */
bool front_matter_wrong(const struct front_matter *m, struct err *e, const char *what,
			struct str text);
MUST_CHECK bool front_matter_int(const struct front_matter *m, struct str text, int *out,
				 struct err *e);

/* ---- the parts ---- */

MUST_CHECK bool load_factors(struct loader *l, struct err *e); /* <pack>/<pack>.json */

/* Shared. */
MUST_CHECK bool load_language(struct loader *l, struct err *e);    /* language/en.json */
MUST_CHECK bool load_units(struct loader *l, struct err *e);       /* units.json */
MUST_CHECK bool load_permissions(struct loader *l, struct err *e); /* permissions.json */
MUST_CHECK bool load_prompts(struct loader *l, struct err *e);     /* prompts/ */
bool prompt_takes_rules(const char *name);                         /* has it {{rules}}? */
MUST_CHECK bool load_router(struct loader *l, struct err *e);      /* router.json */

/* Of the pack at hand; what it reads is added to what the packs before it gave. */
MUST_CHECK bool load_words(struct loader *l, struct err *e);            /* words.json */
MUST_CHECK bool load_pack_permissions(struct loader *l, struct err *e); /* permissions.json */
MUST_CHECK bool load_schema(struct loader *l, struct err *e);           /* catalogue.json */
MUST_CHECK bool load_aliases(struct loader *l, struct err *e);          /* entities.json */
MUST_CHECK bool finish_schema(struct loader *l, struct err *e);   /* the map, over all packs */
MUST_CHECK bool load_reports(struct loader *l, struct err *e);    /* reports.json */
MUST_CHECK bool load_tools(struct loader *l, struct err *e);      /* sql/<pack> */
MUST_CHECK bool load_domains(struct loader *l, struct err *e);    /* prompts/<pack> */
MUST_CHECK bool load_components(struct loader *l, struct err *e); /* components.json */
#define FLOW_FOLDER "flow"                                      /* of a pack, beside its domains */
MUST_CHECK bool load_flows(struct loader *l, struct err *e);    /* prompts/<pack>/flow */
MUST_CHECK bool load_starters(struct loader *l, struct err *e); /* starters.json */

/* When all packs are read: their order, schemas, and agents of tools. */
MUST_CHECK bool finish_tools(struct loader *l, struct err *e);
MUST_CHECK bool finish_domains(struct loader *l, struct err *e);

/* ---- tools ---- */

/* The header of a file, as a tool whose `files` and `schema` are still empty. */
MUST_CHECK bool tool_file_read(struct loader *l, const struct sql_file *f, struct tool_def *out,
			       struct err *e);
/* One `refer` line: FILTER PATH words. Adds it to the tool. */
MUST_CHECK bool refer_read(struct arena *a, const char *text, int line, struct tool_def *tool,
			   struct err *e);
/* Whether the statements fit the header: markers, conditions, columns, views, tenant. */
MUST_CHECK bool tool_file_check(const struct loader *l, const struct tool_def *t,
				const struct sql_file *f, struct err *e);
json_t *tool_schema_new(const struct catalog *c, const struct tool_def *t);

/* Reads a query over the map: what it names exists. *slots: what its "{filter.NAME}" take. */
MUST_CHECK bool flow_query_read(const struct catalog *c, const char *query, struct arena *a,
				const struct param_def **slots, size_t *count, struct err *e);
/* The query with "{filter.NAME}" for each value that `is_slot` says, and for the days of its
 * period; *values: object of what stood there. In the arena. NULL: it is no query. */
typedef bool (*flow_is_slot)(const void *owner, const char *filter);
const char *flow_query_open(const struct catalog *c, const char *query, flow_is_slot is_slot,
			    const void *owner, struct arena *a, json_t **values);

/* Reads a flow whose names are not checked. */
MUST_CHECK bool flow_parse(const char *path, const char *text, struct arena *a,
			   struct flow_def *out, struct err *e);

/* Of an approved view; NULL: it is none. */
const char *source_of_view(const struct catalog_whole *w, const char *view);
/* The one that the source serves; NULL: it holds tenants apart. */
const char *source_only_tenant(const struct loader *l, const char *source);
/* A source has at most DB_SCHEMAS_MAX schemas; asked after each view. */
MUST_CHECK bool source_schemas_fit(const struct loader *l, const char *source, struct err *e);

/* The approved views with their columns, for the model that writes SQL of its own. */
const char *own_sql_views(const struct loader *l);

#endif
