/*
 * Saved views in the store: a result that a user wants to see again, as the call that gave it. Rows
 * of data are not in it: opening one runs the call anew, under the reader's own permissions. A
 * pinned one is its user's alone; a shared one is found by all of the tenant who have its id.
 */
#ifndef VESPER_STORE_SAVED_H
#define VESPER_STORE_SAVED_H

#include "vesper/store.h"

#define SAVED_VIEWS_PER_USER_MAX 50 /* a start page, and what was shared: one list */

struct saved_view {
	const char *saved_id; /* UUID */
	const char *user;     /* who saved it */
	bool shared;
	const char *title;
	const char *message_id, *view_id; /* what it was saved of */
	const char *call;                 /* JSON, as the message had it */
	const char
		*needs; /* permissions that its rows took then, one blank between them; or NULL */
	const char *created_at;
};

typedef void (*store_saved_cb)(void *owner, const struct saved_view *views, size_t count,
			       const struct err *e);
/* All of the caller's, newest first. Memory is in the arena. */
struct op *store_saved(struct store *s, const struct principal *who, struct arena *a,
		       store_saved_cb cb, void *owner);
/* One of the caller's, or one that is shared. ERR_NOT_FOUND else. */
struct op *store_saved_one(struct store *s, const struct principal *who, const char *saved_id,
			   struct arena *a, store_saved_cb cb, void *owner);
/* Of an answer of the caller's (store_message tells); saved_id, shared, title, message_id, view_id
 * and call are used. Gives it as stored. ERR_LIMIT: the caller has SAVED_VIEWS_PER_USER_MAX. */
struct op *store_saved_add(struct store *s, const struct principal *who,
			   const struct saved_view *view, struct arena *a, store_saved_cb cb,
			   void *owner);
/* ERR_NOT_FOUND when there is none of the caller's. */
struct op *store_saved_delete(struct store *s, const struct principal *who, const char *saved_id,
			      store_done_cb cb, void *owner);

#endif
