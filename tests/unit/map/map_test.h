/* Shared by the map tests: a small star schema and statements over it. In queries, single quotes
 * are replaced by double quotes. */
#ifndef MAP_TEST_H
#define MAP_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "small_root.h"
#include "vesper/catalog.h"
#include "vesper/json.h"
#include "vesper/map.h"

/* sale n:1 product, sale n:1 shop (by two columns), review n:1 product, shop n:m label; refund n:1
 * sale, optional; stock is counted every month and never summed over months. */
static const char star[] =
	"{'views': [{'name': 'dbo.prices', 'about': 'of the tool that is there'},"
	"{'name': 'sale', 'about': 'x', 'columns': ['tenant_id', {'name':'id','type':'int'},"
	" {'name':'product','type':'int'}, {'name':'shop','type':'int'},"
	" {'name':'year','type':'int'}, {'name':'day','type':'date'},"
	" {'name':'amount','type':'int'}, 'channel', {'name':'buyer','type':'text'}]},"
	"{'name': 'product', 'about': 'x', 'columns': ['tenant_id', {'name':'id','type':'int'},"
	" 'name', 'color'],"
	" 'columns_with': {'chat:read_budget': [{'name':'cost','type':'int'}]}},"
	"{'name': 'shop', 'about': 'x', 'columns': ['tenant_id', {'name':'id','type':'int'},"
	" {'name':'year','type':'int'}, 'Shop City']},"
	"{'name': 'shop_label', 'about': 'x', 'permission': 'chat:read_budget',"
	" 'columns': ['tenant_id',"
	" {'name':'shop','type':'int'}, {'name':'year','type':'int'},"
	" {'name':'label','type':'text'}]},"
	"{'name': 'label', 'about': 'x', 'columns': ['tenant_id',"
	" {'name':'code','type':'text'}, 'kind']},"
	"{'name': 'review', 'about': 'x', 'columns': ['tenant_id',"
	" {'name':'product','type':'int'}, {'name':'stars','type':'int'}]},"
	"{'name': 'refund', 'about': 'x', 'columns': ['tenant_id',"
	" {'name':'sale','type':'int'}, {'name':'paid','type':'int'}]},"
	"{'name': 'stock', 'about': 'x', 'columns': ['tenant_id',"
	" {'name':'product','type':'int'}, {'name':'month','type':'date'},"
	" {'name':'pieces','type':'int'}]}],"
	"'entities': ["
	"{'name':'sale','about':'x','view':'sale','key':['id'],'kind':'fact','time':'sale_day',"
	" 'plural':'sale rows'},"
	"{'name':'product','about':'x','view':'product','key':['id'],'title':'name',"
	" 'show':['color','cost'],'indexes':[['color','cost']]},"
	"{'name':'shop','about':'x','view':'shop','key':['id','year']},"
	"{'name':'shop_label','about':'x','view':'shop_label','key':['shop','year','label'],"
	" 'kind':'link'},"
	"{'name':'label','about':'x','view':'label','key':['code']},"
	"{'name':'review','about':'x','view':'review','key':[],'kind':'fact'},"
	"{'name':'refund','about':'x','view':'refund','key':[],'kind':'fact'},"
	"{'name':'stock','about':'x','view':'stock','key':['product','month'],'kind':'fact',"
	" 'time':'stock_month','plural':'stock rows'}],"
	"'edges': ["
	"{'id':'sale_product','from':'sale','to':'product','cardinality':'n:1',"
	" 'on':[['sale.product','product.id']]},"
	"{'id':'sale_shop','from':'sale','to':'shop','cardinality':'n:1',"
	" 'on':[['sale.shop','shop.id'],['sale.year','shop.year']]},"
	"{'id':'review_product','from':'review','to':'product','cardinality':'n:1',"
	" 'on':[['review.product','product.id']]},"
	"{'id':'stock_product','from':'stock','to':'product','cardinality':'n:1',"
	" 'on':[['stock.product','product.id']]},"
	"{'id':'refund_sale','from':'refund','to':'sale','cardinality':'n:1','partial':true,"
	" 'on':[['refund.sale','sale.id']]},"
	"{'id':'shop_labels','from':'shop','to':'label','via':'shop_label','cardinality':'n:m',"
	" 'on':[['shop.id','shop_label.shop'],['shop.year','shop_label.year'],"
	" ['shop_label.label','label.code']]}],"
	"'measures': ["
	"{'name':'sales','entity':'sale','aggregate':'count','unit':'count','additivity':'full'},"
	"{'name':'amount','label':'sales amount','entity':'sale','column':'amount',"
	" 'aggregate':'sum','unit':'$','additivity':'full'},"
	"{'name':'biggest','entity':'sale','column':'amount','aggregate':'max','unit':'$',"
	" 'additivity':'full'},"
	"{'name':'average','entity':'sale','column':'amount','aggregate':'avg','unit':'$',"
	" 'additivity':'none'},"
	"{'name':'buyers','entity':'sale','column':'buyer','aggregate':'count_distinct',"
	" 'unit':'count','additivity':'none'},"
	"{'name':'cost','entity':'product','column':'cost','aggregate':'sum','unit':'$',"
	" 'additivity':'full'},"
	"{'name':'paid','entity':'refund','column':'paid','aggregate':'sum','unit':'$',"
	" 'additivity':'full'},"
	"{'name':'pieces','entity':'stock','column':'pieces','aggregate':'sum','unit':'count',"
	" 'additivity':'semi','over':'stock_month','take':'last'}],"
	"'metrics': ["
	"{'name':'web_sales','kind':'measure','measure':'sales','unit':'count',"
	" 'where':[{'name':'channel','op':'is','values':['web']}]},"
	"{'name':'web_share','kind':'ratio','numerator':'web_sales','denominator':'sales',"
	" 'unit':'%'}],"
	"'conditions': ["
	"{'name':'fresh','label':'fresh','entity':'sale','where':[{'name':'sale_day','op':'at_"
	"least',"
	"  'values':['today-30d']},{'name':'channel','op':'not','values':['web']}]},"
	"{'name':'praised','entity':'review','where':[{'name':'stars','op':'at_least','values':['4'"
	"]}]}"
	"],"
	"'dimensions': ["
	"{'name': 'market', 'values': ['East', 'West']},"
	"{'name': 'hub', 'parent': 'market', 'values': {'East': ['E1', 'E2'], 'West': ['W1']}},"
	"{'name':'product_name','entity':'product','column':'name'},"
	"{'name':'color','entity':'product','column':'color'},"
	"{'name':'city','entity':'shop','column':'Shop City'},"
	"{'name':'channel','entity':'sale','column':'channel'},"
	"{'name':'label_kind','label':'kind of label','entity':'label','column':'kind'},"
	"{'name':'stars','entity':'review','column':'stars','type':'int'},"
	"{'name':'sale_day','entity':'sale','column':'day','type':'date',"
	" 'grains':['day','week','month','quarter','year','weekday']},"
	"{'name':'stock_month','entity':'stock','column':'month','type':'date',"
	" 'grains':['quarter']}]}";

static struct temp_root root;
static struct catalog *catalog;
static struct map *map;
static struct arena *arena;

static inline const char *quoted(const char *text)
{
	char *out = arena_strdup(arena, text);

	for (char *p = out; *p; p++)
		if (*p == '\'')
			*p = '"';
	return out;
}

static const char *star_with = star; /* a test may set another */

static inline int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	arena = arena_new(64 << 20);
	root = small_root_new();
	temp_root_write(&root, "config/energy/catalogue.json", quoted(star_with));
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	map = map_new(catalog);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	map_free(&map);
	catalog_unref(&catalog);
	temp_root_free(&root);
	return 0;
}

static inline bool read_only(const char *query, const struct principal *who, struct map_query *q,
			     struct map_problem *why, struct err *e)
{
	const char *text = quoted(query);
	json_t *json;

	if (!json_parse(text, strlen(text), MAP_QUERY_BYTES_MAX, &json, e))
		fail_msg("%s: %s", text, e->text);
	return map_query_read(map, who, json_own(arena, json), (struct date){2026, 2, 27}, arena, q,
			      why, e);
}

static inline bool read_and_write(const char *query, const struct principal *who,
				  enum dialect dialect, struct map_statement *out,
				  struct map_problem *why, struct err *e)
{
	struct map_query *q = arena_alloc(arena, sizeof(*q));

	return read_only(query, who, q, why, e) && map_write(map, q, dialect, arena, out, why, e);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Collapses blanks and line ends to one blank. */
static inline const char *squeezed(const char *text)
{
	char *out = arena_strdup(arena, text), *to = out;

	for (const char *p = text; *p; p++)
		if (*p != '\n' && *p != ' ')
			*to++ = *p;
		else if (to > out && to[-1] != ' ')
			*to++ = ' ';
	while (to > out && to[-1] == ' ')
		to--;
	*to = '\0';
	return out;
}

static inline struct map_statement written(const char *query, enum dialect d)
{
	struct map_statement s;
	struct map_problem why;
	struct err e = {0};

	if (!read_and_write(query, NULL, d, &s, &why, &e))
		fail_msg("%s: %s", query, e.text);
	return s;
}

#endif
