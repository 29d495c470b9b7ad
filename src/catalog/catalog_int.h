/*
 * Inside the catalog folder: the loader that the parts share, and what the catalogue holds beyond
 * its public face.
 */
#ifndef CATALOG_INT_H
#define CATALOG_INT_H

#include "vesper/arena.h"
#include "vesper/catalog.h"
#include "vesper/str.h"

struct role {
	const char *name;
	const char *const *permissions; /* NULL-ended */
};

/* An approved view: what a caller's own SQL may read of it. */
struct view_def {
	const char *name;
	const char *about;
	const char *permission; /* NULL: none is needed beyond the tool's */
	const struct view_column {
		const char *name;       /* as SQL has to write it */
		const char *permission; /* NULL: the view's is enough */
	} * columns;
	size_t column_count; /* 0: not known, the view is not for people's own SQL */
};

struct prompt_text {
	const char *name; /* "supervisor" */
	const char *text;
};

/* The public part comes first, so that a pointer to it is a pointer to the whole. */
struct catalog_whole {
	struct catalog shown;
	struct arena *arena; /* owns everything, this struct too */
	int refs;
	const char *const *views; /* approved, NULL-ended */
	const struct view_def *view_defs;
	size_t view_count;
	const char *const *permissions; /* NULL-ended */
	const struct role *roles;
	size_t role_count;
	const struct prompt_text *prompts;
	size_t prompt_count;
};

static inline struct catalog_whole *catalog_whole(const struct catalog *c)
{
	return (struct catalog_whole *)c;
}

struct loader {
	const char *root;
	struct arena *arena;
	struct catalog_whole *whole;
	struct buf sources; /* every file read, with its name: what the hash covers */
};

/* Reads root/path as text in `a` and adds it to the sources. Errors name the path below root. */
MUST_CHECK bool load_text(struct loader *l, const char *path, size_t cap_bytes, struct arena *a,
			  const char **out, struct err *e);
/* The same with values of the catalogue in their places. */
MUST_CHECK bool load_text_with_values(struct loader *l, const char *path, size_t cap_bytes,
				      const char **out, struct err *e);
/* The same as JSON, alive as long as the catalogue. */
MUST_CHECK bool load_json(struct loader *l, const char *path, json_t **out, struct err *e);
/* A JSON array of texts as a NULL-ended list in the arena. */
MUST_CHECK bool load_texts(struct loader *l, const json_t *array, const char *what,
			   const char *const **out, struct err *e);

/* ---- the parts, in the order in which they are loaded ---- */

MUST_CHECK bool load_words(struct loader *l, struct err *e);   /* language/en.json, words.json */
MUST_CHECK bool load_units(struct loader *l, struct err *e);   /* units.json */
MUST_CHECK bool load_schema(struct loader *l, struct err *e);  /* catalogue.json, entities.json */
MUST_CHECK bool load_reports(struct loader *l, struct err *e); /* reports.json */
MUST_CHECK bool load_permissions(struct loader *l, struct err *e); /* permissions.json */
MUST_CHECK bool load_tools(struct loader *l, struct err *e);       /* sql/domain */
MUST_CHECK bool load_domains(struct loader *l, struct err *e);     /* prompts/domain */
MUST_CHECK bool load_prompts(struct loader *l, struct err *e);     /* prompts/ */
MUST_CHECK bool load_router(struct loader *l, struct err *e);      /* router.json */

/* ---- tools ---- */

/* The header of a file, as a tool whose `files` and `schema` are still empty. */
MUST_CHECK bool tool_file_read(struct loader *l, const struct sql_file *f, struct tool_def *out,
			       struct err *e);
/* One `refer` line: FILTER PATH words. Adds it to the tool. */
MUST_CHECK bool refer_read(struct arena *a, const char *text, struct tool_def *tool, struct err *e);
/* Whether the statements fit the header: markers, conditions, columns, views, tenant. */
MUST_CHECK bool tool_file_check(const struct loader *l, const struct tool_def *t,
				const struct sql_file *f, struct err *e);
json_t *tool_schema_new(const struct catalog *c, const struct tool_def *t);

/* The approved views with their columns, for the model that writes SQL of its own. */
const char *own_sql_views(const struct loader *l);

/* ---- small things ---- */

bool list_has(const char *const *list, const char *text); /* list may be NULL */
size_t list_length(const char *const *list);
/* A list that grows in the arena and is NULL-ended at all times. */
struct text_list {
	const char **items;
	size_t count, cap;
};
void text_list_add(struct text_list *list, struct arena *a, const char *text);

#endif
