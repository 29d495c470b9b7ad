/* `vesperctl map check`: loads the map of a tenant's packs and prints its contents. */
#include "map.h"

#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

static bool is_selected(const char *pack, const char *selected)
{
	return !selected || strcmp(pack, selected) == 0;
}

static size_t count_dimensions(const struct catalog *c, const char *pack)
{
	const struct schema *s = catalog_schema(c);
	size_t n = 0;

	for (size_t i = 0; i < c->dimension_count; i++)
		n += c->dimensions[i].map.entity && is_selected(c->dimensions[i].pack, pack);
	for (size_t i = 0; i < s->plain_count; i++)
		n += is_selected(s->plain[i]->pack, pack);
	return n;
}

#define ADD_COUNT(list, count)                                                                     \
	for (size_t i = 0; i < s->count; i++)                                                      \
	counts[at] += is_selected(s->list[i]->pack, pack)

static void print_counts(const struct catalog *c, const char *pack, bool as_json)
{
	static const char *const names[] = {"views",    "entities", "edges",      "chains",
					    "measures", "metrics",  "dimensions", NULL};
	const struct schema *s = catalog_schema(c);
	size_t counts[7] = {0}, at = 0;
	json_t *out = json_object();

	ADD_COUNT(views, view_count);
	at++;
	ADD_COUNT(entities, entity_count);
	at++;
	ADD_COUNT(edges, edge_count);
	at++;
	ADD_COUNT(chains, chain_count);
	at++;
	ADD_COUNT(measures, measure_count);
	at++;
	ADD_COUNT(metrics, metric_count);
	counts[6] = count_dimensions(c, pack);
	for (size_t i = 0; names[i]; i++) {
		json_set_int(out, names[i], (int64_t)counts[i]);
		if (!as_json)
			printf("%s%zu %s", i ? ", " : "", counts[i], names[i]);
	}
	if (as_json) {
		json_set_bool(out, "ok", true);
		ctl_print_json(out);
		return;
	}
	putchar('\n');
	json_decref(out);
}

static int print_error(const struct err *e, bool as_json)
{
	json_t *out;

	if (!as_json)
		return ctl_fail("%s", e->text);
	out = json_object();
	json_set_bool(out, "ok", false);
	json_set_str(out, "what", e->text);
	ctl_print_json(out);
	return 1;
}

int map_check(const struct command *cmd)
{
	const char *pack = ctl_option(cmd, "pack", NULL);
	bool as_json = ctl_flag(cmd, "json");
	struct err e = {0};
	struct catalog *c;

	if (!ctl_read_catalog(ctl_option(cmd, "tenant", NULL), &c, &e))
		return print_error(&e, as_json);
	if (pack && !catalog_has_pack(c, pack)) {
		err_set(&e, ERR_INPUT, "pack %s is not one of the loaded packs: %s", pack,
			c->packs);
		catalog_unref(&c);
		return print_error(&e, as_json);
	}
	if (!ctl_flag(cmd, "live"))
		print_counts(c, pack, as_json);
	catalog_unref(&c);
	return ctl_flag(cmd, "live") ? map_check_live(cmd) : 0;
}
