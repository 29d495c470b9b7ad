/*
 * The page's files. Every deployment serves the widget and its assets. The page around it is served
 * with sign-in, and a different one in demo mode. The frame for other pages (/embed) lists the
 * origins that may frame it, which are those that may open sockets.
 */
#include <stdio.h>
#include <string.h>

#include "assets.h"
#include "http_route.h"
#include "vesper/str.h"

#define PAGE_POLICY                                                                                \
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "          \
	"connect-src 'self'; base-uri 'none'; form-action 'none'; "                                \
	"require-trusted-types-for 'script'"
#define POLICY_BYTES_MAX 8192
#define ETAG_BYTES       40 /* 32 hexadecimal digits, "-gz", quotes */

static const struct asset *asset_find(const char *path)
{
	for (const struct asset *a = assets; a->path; a++)
		if (strcmp(a->path, path) == 0)
			return a;
	return NULL;
}

static void reply_asset(struct request *r, const struct asset *asset)
{
	const char *accepted = request_header(r, "Accept-Encoding");
	bool gzip = accepted && strstr(accepted, "gzip") && !strstr(accepted, "gzip;q=0");
	char etag[ETAG_BYTES];

	snprintf(etag, sizeof(etag), "\"%s%s\"", asset->tag, gzip ? "-gz" : "");
	reply_header(r, "ETag", etag);
	reply_header(r, "Vary", "Accept-Encoding");
	/* A name with a hash always has the same content. Other files are revalidated each time,
	 * and sent only when changed. */
	reply_header(r, "Cache-Control",
		     strncmp(asset->path, "/assets/", 8) == 0
			     ? "public, max-age=31536000, immutable"
			     : "no-cache");
	if (request_matches_etag(r, "If-None-Match", etag)) {
		reply_empty(r, 304);
		return;
	}
	if (gzip)
		reply_header(r, "Content-Encoding", "gzip");
	reply_constant(
		r, 200, asset->type, gzip ? asset->gzip : asset->bytes,
		(size_t)(gzip ? asset->gzip_end - asset->gzip : asset->bytes_end - asset->bytes));
}

/* Sets the Content-Security-Policy: what a page may load, show and send, and which origins may
 * frame it. */
static void add_policy(struct request *r, const char *self, const char *const *others)
{
	const char *const *frames = r->transport->settings->frame_hosts;
	struct buf policy;

	buf_init(&policy, POLICY_BYTES_MAX);
	buf_str(&policy, PAGE_POLICY);
	if (frames && *frames)
		buf_str(&policy, "; frame-src");
	for (; frames && *frames; frames++)
		buf_printf(&policy, " https://%s", *frames);
	buf_printf(&policy, "; frame-ancestors %s", self);
	for (; others && *others; others++)
		buf_printf(&policy, " %s", *others);
	reply_header(r, "Content-Security-Policy", buf_text(&policy));
	buf_deinit(&policy);
}

static void serve(struct request *r, const char *path)
{
	const struct asset *asset = asset_find(path);

	if (!asset) {
		reply_problem(r, CODE_NOT_FOUND, NULL);
		return;
	}
	add_policy(r, "'none'", NULL);
	/* Scripts contain no secrets, and pages of other origins load them from here. */
	reply_header(r, "Cross-Origin-Resource-Policy", "cross-origin");
	reply_header(r, "Access-Control-Allow-Origin", "*");
	reply_asset(r, asset);
}

void on_asset(struct request *r)
{
	serve(r, r->path);
}

/* The page with sign-in, or else the demo page. */
void on_page(struct request *r)
{
	serve(r, r->transport->options.signin ? "/" : "/demo");
}

void on_embed(struct request *r)
{
	const struct asset *asset = asset_find(r->path);

	if (!asset) {
		reply_problem(r, CODE_NOT_FOUND, NULL);
		return;
	}
	add_policy(r, "'self'", r->transport->settings->origins);
	reply_header(r, "X-Frame-Options", "SAMEORIGIN"); /* for browsers without frame-ancestors */
	reply_asset(r, asset);
}
