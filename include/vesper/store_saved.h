/*
 * Saved views in the store: results that a user wants to see again, each stored as the call that
 * made it. They contain no rows of data: opening one runs the call again, with the reader's
 * permissions. A pinned view is private to its user; a shared one is visible to all users of the
 * tenant who have its ID.
 */
#ifndef VESPER_STORE_SAVED_H
#define VESPER_STORE_SAVED_H

#include "vesper/store.h"

#define SAVED_VIEWS_PER_USER_MAX 50 /* pinned and shared ones together */

struct saved_view {
	const char *saved_id; /* UUID */
	const char *user;     /* who saved it */
	bool shared;
	const char *title;
	const char *message_id, *view_id; /* its origin */
	const char *call;                 /* JSON, as in the message */
	const char *needs; /* permissions that its rows required when it was saved, separated by
			      spaces; or NULL */
	const char *created_at;
};

typedef void (*store_saved_cb)(void *owner, const struct saved_view *views, size_t count,
			       const struct err *e);
/* The caller's views, newest first. Memory is in the arena. */
struct op *store_saved(struct store *s, const struct principal *who, struct arena *a,
		       store_saved_cb cb, void *owner);
/* One view of the caller, or a shared one. ERR_NOT_FOUND: no such view. */
struct op *store_saved_one(struct store *s, const struct principal *who, const char *saved_id,
			   struct arena *a, store_saved_cb cb, void *owner);
/* Saves a view of one of the caller's answers (see store_message); uses saved_id, shared, title,
 * message_id, view_id and call. Returns it as stored. ERR_LIMIT: the caller has
 * SAVED_VIEWS_PER_USER_MAX. */
struct op *store_saved_add(struct store *s, const struct principal *who,
			   const struct saved_view *view, struct arena *a, store_saved_cb cb,
			   void *owner);
/* ERR_NOT_FOUND: the caller has no such view. */
struct op *store_saved_delete(struct store *s, const struct principal *who, const char *saved_id,
			      store_done_cb cb, void *owner);

#endif
