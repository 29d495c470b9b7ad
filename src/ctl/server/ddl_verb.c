/* `vesperctl db ddl`: writes the statements that create the tables of a pack's source. */
#include "ctl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "databases.h"
#include "ddl.h"
#include "vesper/file.h"
#include "vesper/limits.h"
#include "vesper/strlist.h"

struct ddl_request {
	const char *pack, *source, *dialect_name;
	enum dialect dialect;
	const char *root, *path; /* root and path of the description */
};

bool ctl_roots(struct arena *a, const char *const **out, struct err *e)
{
	struct config *config = NULL;
	const char *const *roots;
	struct pack_list packs;

	if (!ctl_config(a, &config, e))
		return false;
	if (!databases_read_packs(config, ctl_root(), NULL, a, &roots, &packs, e)) {
		config_free(&config);
		return false;
	}
	*out = strlist_copy(roots, a);
	config_free(&config);
	return true;
}

bool ctl_is_name(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return n > 0 && !text[n] && n <= PACK_NAME_BYTES_MAX && *text >= 'a' && *text <= 'z';
}

static bool find_description(struct ddl_request *w, struct arena *a, const char **text,
			     struct err *e)
{
	const char *const *roots;

	if (!ctl_roots(a, &roots, e))
		return false;
	w->path = arena_printf(a, "sql/%s/tables.json", w->pack);
	for (; *roots; roots++) {
		w->root = *roots;
		if (file_read(arena_printf(a, "%s/%s", *roots, w->path), JSON_FILE_BYTES_MAX, a,
			      text, e))
			return true;
		if (e->code != ERR_NOT_FOUND)
			return false;
	}
	return err_set(e, ERR_INPUT, "no root has %s", w->path);
}

static const char *header_text(const struct ddl_request *w, struct arena *a)
{
	return arena_printf(a,
			    "-- Made by vesperctl db ddl --pack %s --source %s --dialect %s from "
			    "%s.\n",
			    w->pack, w->source, w->dialect_name, w->path);
}

/* An existing file is never overwritten, because it may have been applied to a server. */
static bool write_file(const struct ddl_request *w, struct str text, struct arena *a, struct err *e)
{
	const char *path = arena_printf(a, "%s/sql/schema/%s/sources/%s/001_tables.sql", w->root,
					w->dialect_name, w->source);
	bool ok;
	FILE *f;

	if (!ctl_make_folders(path, a, e))
		return false;
	f = fopen(path, "wxe");
	if (!f)
		return err_set(
			e, ERR_INPUT, "%s: %s", path,
			errno == EEXIST
				? "already exists; put changes into a file with the next number"
				: strerror(errno));
	ok = fwrite(text.p, 1, text.n, f) == text.n;
	ok = fclose(f) == 0 && ok;
	if (ok)
		printf("%s\n", path);
	return ok || err_set(e, ERR_UPSTREAM, "%s: %s", path, strerror(errno));
}

static bool run(struct ddl_request *w, bool write, struct arena *a, struct err *e)
{
	const char *text;
	struct buf out;
	struct ddl *d;
	bool ok;

	if (!find_description(w, a, &text, e) || !ddl_read(w->path, text, a, &d, e))
		return false;
	buf_init(&out, CATALOG_BYTES_MAX);
	buf_str(&out, header_text(w, a));
	ddl_write(d, w->source, w->dialect, &out);
	ok = !write || write_file(w, (struct str){out.p, out.n}, a, e);
	if (!write)
		fputs(buf_text(&out), stdout);
	buf_deinit(&out);
	return ok;
}

int ctl_db_ddl(const struct command *cmd)
{
	struct ddl_request w = {.pack = ctl_option(cmd, "pack", NULL),
				.source = ctl_option(cmd, "source", "warehouse"),
				.dialect_name = ctl_option(cmd, "dialect", NULL)};
	bool write = ctl_flag(cmd, "write");
	struct err e = {0};
	struct arena *a;
	bool ok;

	if (!w.pack || !ctl_is_name(w.pack))
		return ctl_usage_error(cmd, "--pack must be the name of a pack");
	if (!w.dialect_name || !dialect_parse(w.dialect_name, &w.dialect))
		return ctl_usage_error(cmd, "--dialect must be mssql, postgres or sqlite");
	if (!ctl_is_name(w.source) || strcmp(w.source, "store") == 0)
		return ctl_usage_error(cmd, "--source must be warehouse or the name of a source");
	if (write && (w.dialect == DIALECT_SQLITE || strcmp(w.source, "warehouse") == 0))
		return ctl_usage_error(
			cmd, "--write requires a server dialect and a source other than warehouse");
	a = arena_new(CATALOG_BYTES_MAX);
	ok = run(&w, write, a, &e);
	arena_free(&a);
	return ok ? 0 : ctl_fail("%s", e.text);
}
