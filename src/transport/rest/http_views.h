/* Finds views and calls in a stored message. */
#ifndef VESPER_HTTP_VIEWS_H
#define VESPER_HTTP_VIEWS_H

#include <jansson.h>

/* The view of that id and type; NULL: not found. */
const json_t *view_find(const json_t *views, const char *view_id, const char *type);
/* The call that produced the view's rows; NULL: not found. */
const json_t *view_call_find(const json_t *calls, const json_t *view);

#endif
