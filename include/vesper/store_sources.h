/*
 * Data sources in the store: uploaded files, one row per source and one per version. Rows are
 * written before a file or table is created, and deleted after both are deleted. So the rows list
 * every file and table that a dead process may have left behind.
 */
#ifndef VESPER_STORE_SOURCES_H
#define VESPER_STORE_SOURCES_H

#include "vesper/store.h"

enum source_visibility { SOURCE_PRIVATE, SOURCE_TENANT, SOURCE_ROLES };
const char *source_visibility_name(enum source_visibility v);
bool source_visibility_parse(const char *name, enum source_visibility *out);

/* A table is queried by its rows, a document by its passages. */
enum source_kind { SOURCE_TABLE, SOURCE_DOCUMENT, SOURCE_KINDS };
const char *source_kind_name(enum source_kind k); /* "table", "document" */
bool source_kind_parse(const char *name, enum source_kind *out);

struct stored_source {
	enum source_kind kind;
	const char *uid, *owner, *name, *description;
	enum source_visibility visibility;
	const char *roles;      /* of SOURCE_ROLES, separated by one blank; else "" */
	const char *current;    /* the version in use; NULL: none is ready yet */
	const char *meaning;    /* JSON: the owner's description; or NULL */
	const char *expires_at; /* set by its owner; or NULL */
	int64_t etag;           /* changes with each edit and each version */
	const char *deleted_at; /* NULL: not deleted; else it is being removed */
	const char *created_at, *updated_at;
};

enum version_state {
	VERSION_RECEIVING,
	VERSION_READING,
	VERSION_ASKING,
	VERSION_LOADING,
	VERSION_READY,
	VERSION_RETIRING,
	VERSION_FAILED,
};
const char *version_state_name(enum version_state s);

struct stored_version {
	const char *uid, *source;
	int64_t number;
	enum version_state state;
	const char *format; /* how to parse it: "csv 44 yes"; the delimiter is a number */
	const char *table;  /* table that it is loaded into; or NULL */
	int64_t bytes, rows;
	const char *sha256;  /* of the file; or NULL */
	const char *profile; /* JSON; NULL: not yet */
	const char *ask;     /* JSON: the question to its owner; or NULL */
	const char *answers; /* JSON: the owner's answers; or NULL */
	struct {
		const char *code, *text; /* NULL: not failed */
		int64_t line;
	} fault;
	const char *updated_at;
};

/* A join declared by a source: rows with the same value in both columns belong together. */
struct stored_join {
	const char *source, *other;
	const char *column, *other_column;
	const char *stated_by;
};

/* The data sources of a tenant; the versions of each are sorted by number. */
struct stored_sources {
	const char *stamp; /* changes with each change by any replica; never newer than the rows */
	const struct stored_source *items;
	size_t count;
	const struct stored_version *versions;
	size_t version_count;
	const struct stored_join *joins;
	size_t join_count;
};
typedef void (*store_sources_cb)(void *owner, const struct stored_sources *found,
				 const struct err *e);
/* `since`: only sources and versions changed since then, and all joins; NULL: everything. */
struct op *store_sources(struct store *s, const char *tenant, const char *since, struct arena *a,
			 store_sources_cb cb, void *owner);

typedef void (*store_sources_stamp_cb)(void *owner, const char *stamp, const struct err *e);
struct op *store_sources_stamp(struct store *s, const char *tenant, store_sources_stamp_cb cb,
			       void *owner);

/* Adds the source, unless it exists, and a version of it (NULL: none). ERR_LIMIT: the tenant has
 * DATA_SOURCES_PER_TENANT_MAX, or DOCUMENTS_PER_TENANT_MAX. ERR_BUSY: another version is being
 * loaded. */
struct op *store_source_add(struct store *s, const char *tenant, const struct stored_source *source,
			    const struct stored_version *version, store_done_cb cb, void *owner);
/* Stores the version's state, and its other members that are not NULL or 0. */
struct op *store_version_set(struct store *s, const char *tenant, const struct stored_version *v,
			     store_done_cb cb, void *owner);
/* Makes `holder` the loader of a version that was read. ERR_CANCELLED: another holder loads it, or
 * it was marked as dead. */
struct op *store_version_claim(struct store *s, const char *tenant, const struct stored_version *v,
			       const char *holder, store_done_cb cb, void *owner);
/* Records a heartbeat of the process that receives or loads the version. */
struct op *store_version_heartbeat(struct store *s, const char *tenant, const char *uid,
				   store_done_cb cb, void *owner);
/* Puts the version into use and retires the previous one, both or neither. ERR_CANCELLED: `holder`
 * no longer loads it. */
struct op *store_version_publish(struct store *s, const char *tenant,
				 const struct stored_version *v, const char *holder,
				 store_done_cb cb, void *owner);
/* Marks the version as failed, unless it was changed since it was read. */
struct op *store_version_fail(struct store *s, const char *tenant, const struct stored_version *v,
			      const char *code, store_done_cb cb, void *owner);
/* Records that the version's table was dropped. */
struct op *store_version_clear(struct store *s, const char *tenant, const char *uid,
			       store_done_cb cb, void *owner);
/* Removes the version; its file and table were deleted. */
struct op *store_version_remove(struct store *s, const char *tenant, const char *uid,
				store_done_cb cb, void *owner);

struct source_edit {
	const char *name, *description, *visibility, *roles; /* NULL: unchanged */
	const char *meaning, *expires_at;                    /* NULL: unchanged; "": none */
	const struct stored_join *joins; /* replaces its joins; NULL: unchanged */
	size_t join_count;
	int64_t if_etag;
};
/* ERR_BUSY: the source was changed since if_etag. */
struct op *store_source_edit(struct store *s, const char *tenant, const char *uid,
			     const struct source_edit *edit, store_done_cb cb, void *owner);
/* Marks the source as deleted; no caller may use it any more. */
struct op *store_source_mark_deleted(struct store *s, const char *tenant, const char *uid,
				     store_done_cb cb, void *owner);
/* Removes the source after its tables were dropped, with its data in answers and receipts. */
struct op *store_source_remove(struct store *s, const char *tenant, const char *uid,
			       const char *sentence, store_done_cb cb, void *owner);

/* The sums that a stamp is made from; rows may be added in any order. Zeroed: no rows. Texts are
 * borrowed. */
struct stored_tally {
	size_t sources, versions;
	int64_t etags;
	struct {
		const char *oldest, *newest; /* times of changes */
	} source_at, version_at;
};
void stored_tally_source(struct stored_tally *t, const struct stored_source *s);
void stored_tally_version(struct stored_tally *t, const struct stored_version *v);
void stored_tally_add(struct stored_tally *t, const struct stored_tally *more);
/* The stamp of these rows, as the store would compute it. In the arena. */
const char *stored_tally_stamp(const struct stored_tally *t, struct arena *a);

#endif
