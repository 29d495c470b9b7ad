/*
 * Data sources in the store: files that users brought, one row a source and one a version. The rows
 * are written before a file or a table is made, and go after both are gone, so that what a process
 * that died left behind is found by its rows alone.
 */
#ifndef VESPER_STORE_SOURCES_H
#define VESPER_STORE_SOURCES_H

#include "vesper/store.h"

enum source_visibility { SOURCE_PRIVATE, SOURCE_TENANT, SOURCE_ROLES };
const char *source_visibility_name(enum source_visibility v);
bool source_visibility_parse(const char *name, enum source_visibility *out);

/* A table answers questions by its rows, a document by its passages. */
enum source_kind { SOURCE_TABLE, SOURCE_DOCUMENT, SOURCE_KINDS };
const char *source_kind_name(enum source_kind k); /* "table", "document" */
bool source_kind_parse(const char *name, enum source_kind *out);

struct stored_source {
	enum source_kind kind;
	const char *uid, *owner, *name, *description;
	enum source_visibility visibility;
	const char *roles;      /* of SOURCE_ROLES, one blank between them; else "" */
	const char *current;    /* the version in use; NULL: none is ready yet */
	const char *meaning;    /* JSON: what its owner says of it; or NULL */
	const char *expires_at; /* that its owner has set; or NULL */
	int64_t etag;           /* another one after each edit and each version */
	const char *deleted_at; /* NULL: it is not; else it is being removed */
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
	const char *format; /* how it is to be read: "csv , yes" */
	const char *table;  /* that it is loaded into; or NULL */
	int64_t bytes, rows;
	const char *sha256;  /* of the file; or NULL */
	const char *profile; /* JSON; NULL: not yet */
	const char *ask;     /* JSON: what its owner is asked; or NULL */
	const char *answers; /* JSON: what was said to that; or NULL */
	struct {
		const char *code, *text; /* NULL: it has not failed */
		int64_t line;
	} fault;
	const char *updated_at;
};

/* That a source has stated: rows with the same value in both columns belong together. */
struct stored_join {
	const char *source, *other;
	const char *column, *other_column;
	const char *stated_by;
};

/* Of a tenant, the versions of each source by number. */
struct stored_sources {
	const char *stamp; /* another one after each change that any replica made */
	const struct stored_source *items;
	size_t count;
	const struct stored_version *versions;
	size_t version_count;
	const struct stored_join *joins;
	size_t join_count;
};
typedef void (*store_sources_cb)(void *owner, const struct stored_sources *found,
				 const struct err *e);
/* `since`: only what was changed from then on, and all joins; NULL: everything. */
struct op *store_sources(struct store *s, const char *tenant, const char *since, struct arena *a,
			 store_sources_cb cb, void *owner);

typedef void (*store_sources_stamp_cb)(void *owner, const char *stamp, const struct err *e);
struct op *store_sources_stamp(struct store *s, const char *tenant, store_sources_stamp_cb cb,
			       void *owner);

/* Adds the source unless it is there, and a version of it (NULL: none). ERR_LIMIT: the tenant has
 * SOURCES_PER_TENANT_MAX, or DOCUMENTS_PER_TENANT_MAX. ERR_BUSY: another one is under way. */
struct op *store_source_add(struct store *s, const char *tenant, const struct stored_source *source,
			    const struct stored_version *version, store_done_cb cb, void *owner);
/* Writes the version's state and what is not NULL or 0 of the rest. */
struct op *store_version_set(struct store *s, const char *tenant, const struct stored_version *v,
			     store_done_cb cb, void *owner);
/* One that is read is loaded into its table by `holder` from now on. ERR_CANCELLED: by another one,
 * or it was taken for dead. */
struct op *store_version_claim(struct store *s, const char *tenant, const struct stored_version *v,
			       const char *holder, store_done_cb cb, void *owner);
/* Whoever receives or loads it lives. */
struct op *store_version_beat(struct store *s, const char *tenant, const char *uid,
			      store_done_cb cb, void *owner);
/* It is ready and in use from now on, and the one before retires: both or nothing. ERR_CANCELLED:
 * `holder` no longer loads it. */
struct op *store_version_publish(struct store *s, const char *tenant,
				 const struct stored_version *v, const char *holder,
				 store_done_cb cb, void *owner);
/* It has failed, unless it was changed since it was read. */
struct op *store_version_fail(struct store *s, const char *tenant, const struct stored_version *v,
			      const char *code, store_done_cb cb, void *owner);
/* Its table is gone. */
struct op *store_version_clear(struct store *s, const char *tenant, const char *uid,
			       store_done_cb cb, void *owner);
/* Its file and table are gone. */
struct op *store_version_remove(struct store *s, const char *tenant, const char *uid,
				store_done_cb cb, void *owner);

struct source_edit {
	const char *name, *description, *visibility, *roles; /* NULL: as it is */
	const char *meaning, *expires_at;                    /* the same; "": nothing is said */
	const struct stored_join *joins; /* all that it states from now on; NULL: as they are */
	size_t join_count;
	int64_t if_etag;
};
/* ERR_BUSY: it was changed meanwhile. */
struct op *store_source_edit(struct store *s, const char *tenant, const char *uid,
			     const struct source_edit *edit, store_done_cb cb, void *owner);
/* Nobody may use it any more. */
struct op *store_source_mark(struct store *s, const char *tenant, const char *uid, store_done_cb cb,
			     void *owner);
/* Its tables are gone: so are its rows, and what answers and receipts hold of it. */
struct op *store_source_remove(struct store *s, const char *tenant, const char *uid,
			       const char *sentence, store_done_cb cb, void *owner);

/* The stamp of what was read and changed since, as the store would make it. In the arena. */
const char *stored_sources_stamp(const struct stored_sources *all, struct arena *a);

#endif
