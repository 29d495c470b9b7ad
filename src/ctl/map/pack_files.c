/* Writes the files of a pack, each atomically. Existing files are replaced only on request. */
#include "pack_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/str.h"

#define FILES_MAX 12
/* The tool that answers from a map; without it, a pack has views and a map, but no domain. */
#define TOOL_FILE    "sql/core/map/query_metrics.sql"
#define EXAMPLES_MAX 8 /* per domain: each costs tokens in every turn */

struct files {
	struct arena *a;
	struct {
		const char *path;
		const char *text;
	} items[FILES_MAX];
	size_t count;
};

static json_t *new_list(struct arena *a)
{
	return json_own(a, json_array());
}

void ctl_pack_init(struct ctl_pack *p, const char *name, struct arena *a)
{
	*p = (struct ctl_pack){.name = name,
			       .subject = arena_printf(a, "the data of %s", name),
			       .entities = new_list(a),
			       .edges = new_list(a),
			       .dimensions = new_list(a),
			       .measures = new_list(a),
			       .metrics = new_list(a),
			       .views = new_list(a),
			       .aliases = json_own(a, json_object()),
			       .nouns = new_list(a),
			       .synonyms = new_list(a),
			       .review = new_list(a)};
	strlist_add(&p->examples, a, NULL);
}

void ctl_pack_review(struct ctl_pack *p, const char *kind, const char *name, const char *from,
		     const char *why, const char *text)
{
	json_push_take(p->review, json_make({"kind", json_str(kind)}, {"name", json_str(name)},
					    {"from", json_str(from)}, {"why", json_str(why)},
					    {"text", json_str(text)}));
}

/* ---- texts ---- */

/* A list with one item per line, because users read and edit it. */
static void write_list(struct buf *out, const json_t *items)
{
	const json_t *item;
	size_t i;

	buf_str(out, "[");
	json_array_foreach(items, i, item) {
		buf_str(out, i ? ",\n\t\t" : "\n\t\t");
		buf_json(out, item);
	}
	buf_str(out, json_array_size(items) ? "\n\t]" : "]");
}

static const char *take_text(struct files *f, struct buf *text)
{
	const char *copy = arena_strdup(f->a, buf_text(text));

	buf_deinit(text);
	return copy;
}

/* An object of lists without the empty ones. */
static const char *lists_text(struct files *f, const struct json_member *members, size_t count)
{
	struct buf text;
	bool any = false;

	buf_init(&text, CATALOG_BYTES_MAX);
	buf_str(&text, "{");
	for (size_t i = 0; i < count; i++) {
		if (json_array_size(members[i].value_take) == 0)
			continue;
		buf_printf(&text, "%s\n\t\"%s\": ", any ? "," : "", members[i].name);
		write_list(&text, members[i].value_take);
		any = true;
	}
	buf_str(&text, any ? "\n}\n" : "}\n");
	return take_text(f, &text);
}

static const char *json_file(struct files *f, const json_t *value)
{
	struct buf text;

	buf_init(&text, CATALOG_BYTES_MAX);
	buf_json(&text, value);
	buf_char(&text, '\n');
	return take_text(f, &text);
}

static const char *review_file(struct files *f, const json_t *review)
{
	struct buf text;
	const json_t *item;
	size_t i;

	buf_init(&text, CATALOG_BYTES_MAX);
	buf_str(&text, "[");
	json_array_foreach(review, i, item) {
		buf_str(&text, i ? ",\n\t" : "\n\t");
		buf_json(&text, item);
	}
	buf_str(&text, json_array_size(review) ? "\n]\n" : "]\n");
	return take_text(f, &text);
}

/* Writes a question as a line of the front matter. Control characters are replaced, so that it
 * cannot end the line. */
static void write_example(struct buf *out, const char *question)
{
	buf_str(out, "  - ");
	for (const char *p = question; *p; p++)
		buf_char(out, (unsigned char)*p < ' ' ? ' ' : *p);
	buf_char(out, '\n');
}

static const char *prompt_file(struct files *f, const struct ctl_pack *p)
{
	struct buf text;

	buf_init(&text, PROMPT_FILE_BYTES_MAX);
	buf_printf(&text, "---\nagent: %s_agent\nintent: %s\nabout: Questions about %s.\n", p->name,
		   p->name, p->subject);
	if (p->examples.count > 0)
		buf_str(&text, "examples:\n");
	for (size_t i = 0; i < p->examples.count && i < EXAMPLES_MAX; i++)
		write_example(&text, p->examples.items[i]);
	buf_printf(&text,
		   "tools:\n  - query_metrics\norder: 50\n---\nYou answer questions about %s "
		   "with your tools.\n",
		   p->subject);
	return take_text(f, &text);
}

static const char *packs_file(struct files *f, const struct ctl_pack *p)
{
	return p->source
		       ? arena_printf(f->a,
				      "{ \"packs\": [\n\t{\"name\": \"%s\", \"source\": "
				      "\"%s\"}\n] }\n",
				      p->name, p->source)
		       : arena_printf(f->a, "{ \"packs\": [\n\t{\"name\": \"%s\"}\n] }\n", p->name);
}

static const char *permissions_file(struct files *f, const struct ctl_pack *p)
{
	return arena_printf(f->a,
			    "{\n\t\"permissions\": [\"%s:read\"],\n\t\"roles\": {\"viewer\": "
			    "[\"%s:read\"], \"analyst\": [\"%s:read\"], \"manager\": "
			    "[\"%s:read\"], \"admin\": [\"%s:read\"]}\n}\n",
			    p->name, p->name, p->name, p->name, p->name);
}

/* ---- files ---- */

static void add_file(struct files *f, const char *path, const char *text)
{
	f->items[f->count].path = path;
	f->items[f->count++].text = text;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Writes to a temporary name first, so that readers never see an incomplete file. */
static bool write_one(const char *path, const char *text, struct arena *a, struct err *e)
{
	const char *part = arena_printf(a, "%s.part", path);
	FILE *f;
	bool ok;

	if (!ctl_make_folders(path, a, e))
		return false;
	f = fopen(part, "we");
	ok = f && fputs(text, f) >= 0;
	if (f)
		ok = fclose(f) == 0 && ok;
	ok = ok && rename(part, path) == 0;
	if (!ok)
		err_set(e, ERR_UPSTREAM, "%s: %s", path, strerror(errno));
	if (!ok && f)
		unlink(part);
	return ok;
}

static void list_files(struct files *f, const struct ctl_pack *p, const char *dir)
{
	const struct json_member catalogue[] = {
		{"entities", p->entities}, {"edges", p->edges},     {"dimensions", p->dimensions},
		{"measures", p->measures}, {"metrics", p->metrics},
	};
	const struct json_member schema[] = {{"views", p->views}};
	const char *config = arena_printf(f->a, "%s/config/%s", dir, p->name);
	json_t *words = json_own(f->a, json_make({"company", json_str(p->subject)},
						 {"synonyms", json_incref(p->synonyms)},
						 {"nouns", json_incref(p->nouns)},
						 {"version", json_int(1)}));

	add_file(f, arena_printf(f->a, "%s/catalogue.json", config),
		 lists_text(f, catalogue, sizeof(catalogue) / sizeof(*catalogue)));
	add_file(f, arena_printf(f->a, "%s/schema.json", config), lists_text(f, schema, 1));
	add_file(f, arena_printf(f->a, "%s/entities.json", config), json_file(f, p->aliases));
	add_file(f, arena_printf(f->a, "%s/words.json", config), json_file(f, words));
	add_file(f, arena_printf(f->a, "%s/permissions.json", config), permissions_file(f, p));
	add_file(f, arena_printf(f->a, "%s/review.json", config), review_file(f, p->review));
	if (p->golden)
		add_file(f, arena_printf(f->a, "%s/golden.jsonl", config), p->golden);
	if (exists(arena_printf(f->a, "%s/" TOOL_FILE, ctl_root())))
		add_file(f, arena_printf(f->a, "%s/prompts/%s/%s.md", dir, p->name, p->name),
			 prompt_file(f, p));
}

bool ctl_pack_write(const struct ctl_pack *p, const char *dir, bool replace, struct arena *a,
		    struct strlist *written, struct err *e)
{
	const char *packs = arena_printf(a, "%s/config/packs.json", dir);
	struct files f = {.a = a};

	list_files(&f, p, dir);
	for (size_t i = 0; i < f.count && !replace; i++)
		if (exists(f.items[i].path))
			return err_set(e, ERR_BUSY,
				       "%s already exists; use --replace to overwrite it, or "
				       "--pack and --out for another place",
				       f.items[i].path);
	if (!exists(packs))
		add_file(&f, packs, packs_file(&f, p));
	for (size_t i = 0; i < f.count; i++) {
		if (!write_one(f.items[i].path, f.items[i].text, a, e))
			return false;
		strlist_add(written, a, f.items[i].path);
	}
	return true;
}
