/* Views, measures, dimensions, calendar and aliases, and errors in them. */
#include "catalog_test.h"

#include "vesper/limits.h"

#define FILE_NAME "config/energy/catalogue.json"

static void reads_dimensions(void **state)
{
	(void)state;
	load();
	const struct dimension_def *hub = catalog_dimension(catalog, "hub");

	assert_string_equal(hub->parent, "market");
	assert_string_equal(hub->values[2], "W1");
	assert_string_equal(hub->parents[1], "East");
	assert_string_equal(hub->parents[2], "West");
	assert_null(hub->values[3]);
	assert_string_equal(hub->filter, "hub");
	assert_int_equal(hub->alias_count, 2);
	assert_string_equal(hub->aliases[1].when, "market=West");
	assert_string_equal(hub->aliases[1].value, "W1");

	const struct dimension_def *file = catalog_dimension(catalog, "file");
	assert_string_equal(file->filter, "file_name");
	assert_string_equal(file->label, "file");
	assert_string_equal(file->view, "dbo.prices");
	assert_null(file->values);
	assert_int_equal(file->alias_count, 0);
}

static void rejects_invalid_catalogue(void **state)
{
	(void)state;
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "\"calendar\"", "\"calender\"",
			       "calender");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "\"view\": \"dbo.prices\"",
			       "\"view\": \"dbo.price\"", "dbo.price is not an approved view");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "\"parent\": \"market\"",
			       "\"parent\": \"region\"", "parent region is not a dimension");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "\"West\": [\"W1\"]",
			       "\"North\": [\"W1\"]", "North is not a value of market");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "\"name\": \"hub\"",
			       "\"name\": \"market\"", "market appears twice");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "[\"East\", \"West\"]",
			       "[\"East\", \"East\"]", "East appears twice");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "\"column\": \"file\"",
			       "\"label\": \"file\"", "view and column must be given together");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "\"peak_last_hour\": 22",
			       "\"peak_last_hour\": 24", "peak_last_hour: must be 0 to 23");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "\"peak_last_hour\": 22",
			       "\"peak_last_hour\": 3", "the peak ends before it begins");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "\"column\": \"file\"",
			       "\"column\": \"file\", \"permission\": \"chat:fly\"",
			       "chat:fly is not a permission");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "[\"East\", \"West\"]",
			       "[\"East\", \"West\"], \"watermark\": \"id\"",
			       "a watermark without a view");
	assert_rejected(FILE_NAME, "[]", "not an object");
	assert_rejected(FILE_NAME, "{", "config/energy/catalogue.json");
	assert_rejected(FILE_NAME, NULL, "config/energy/catalogue.json");
}

#define FILE_DIMENSION "\"column\": \"file\"}"
#define FILE_ID                                                                                    \
	"\"column\": \"file\"},\n{\"name\": \"file_id\", \"view\": \"dbo.prices\", \"column\": "   \
	"\"id\","

static void dimension_can_resolve_to_another(void **state)
{
	const struct dimension_def *d;
	char *text = with_change(SMALL_CATALOGUE, FILE_DIMENSION,
				 FILE_ID " \"resolves\": \"file\", \"by\": \"file\"}");

	(void)state;
	temp_root_write(&root, FILE_NAME, text);
	mem_free(text);
	load();
	d = catalog_dimension(catalog, "file_id");
	assert_string_equal(d->resolves, "file");
	assert_string_equal(d->by, "file");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, FILE_DIMENSION,
			       FILE_ID " \"resolves\": \"file\"}", "resolves requires by");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, FILE_DIMENSION,
			       FILE_ID " \"by\": \"file\"}", "resolves requires by");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, FILE_DIMENSION,
			       FILE_ID
			       " \"values\": [\"a\"], \"resolves\": \"file\", \"by\": \"file\"}",
			       "excludes values and parent");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, FILE_DIMENSION,
			       FILE_ID " \"resolves\": \"files\", \"by\": \"file\"}",
			       "is not a dimension of values");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, FILE_DIMENSION,
			       FILE_ID " \"resolves\": \"file_id\", \"by\": \"file\"}",
			       "is not a dimension of values");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, FILE_DIMENSION,
			       FILE_ID " \"resolves\": \"market\", \"by\": \"file\"}",
			       "market belongs to another view");
}

static void reads_words(void **state)
{
	(void)state;
	char *with_words =
		with_change(SMALL_CATALOGUE, "[\"East\", \"West\"]",
			    "[\"East\", \"West\"], \"words\": {\"East\": \"the east\", \"\": "
			    "\"nowhere\"}");

	temp_root_write(&root, FILE_NAME, with_words);
	load();
	const char *const *words = catalog_dimension(catalog, "market")->words;
	assert_string_equal(words[0], "East");
	assert_string_equal(words[1], "the east");
	assert_string_equal(words[2], "");
	assert_string_equal(words[3], "nowhere");
	assert_null(words[4]);
	mem_free(with_words);
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "[\"East\", \"West\"]",
			       "[\"East\", \"West\"], \"words\": {\"North\": \"x\"}",
			       "North: not the text of a known value");
	assert_change_rejected(FILE_NAME, SMALL_CATALOGUE, "[\"East\", \"West\"]",
			       "[\"East\", \"West\"], \"words\": []", "words: not an object");
}

static void rejects_invalid_aliases(void **state)
{
	(void)state;
	assert_rejected("config/energy/entities.json", "{\"region\": []}",
			"region is not a dimension");
	assert_rejected("config/energy/entities.json",
			"{\"market\": [{\"text\": \"x\", \"value\": \"North\"}]}",
			"North is not a known value of market");
	assert_rejected("config/energy/entities.json",
			"{\"market\": [{\"text\": \"X\", \"value\": \"East\"}]}",
			"not in lower case");
	assert_rejected(
		"config/energy/entities.json",
		"{\"hub\": [{\"text\": \"x\", \"value\": \"E1\", \"when\": \"market=North\"}]}",
		"market=North is not a known");
	assert_rejected("config/energy/entities.json",
			"{\"hub\": [{\"text\": \"x\", \"value\": \"E1\", \"when\": \"market\"}]}",
			"market is not a known");
}

/* Aliases that no question could contain. */
static void rejects_aliases_that_cannot_match(void **state)
{
	char text[ALIAS_BYTES_MAX + 64], name[ALIAS_BYTES_MAX + 2];

	(void)state;
	temp_root_write(&root, "config/energy/entities.json",
			"{\"market\": [{\"text\": \"one two three four five six seven o'eight\", "
			"\"value\": \"East\"}]}");
	load();
	assert_rejected(
		"config/energy/entities.json",
		"{\"market\": [\n{\"text\": \"one two three four five six seven eight-nine\", "
		"\"value\": \"East\"}]}",
		"config/energy/entities.json:2: market[0]: text: \"one two three four five six "
		"seven eight-nine\" has 9 words, not 1 to 8");
	assert_rejected("config/energy/entities.json",
			"{\"market\": [{\"text\": \" - \", \"value\": \"East\"}]}",
			"text: \" - \" has 0 words");
	memset(name, 'x', ALIAS_BYTES_MAX + 1);
	name[ALIAS_BYTES_MAX + 1] = '\0';
	snprintf(text, sizeof(text), "{\"market\": [{\"text\": \"%s\", \"value\": \"East\"}]}",
		 name);
	assert_rejected("config/energy/entities.json", text, "text: longer than 120 bytes: xxx");
}

#define UNIT(symbol, dimension)                                                                    \
	"{\"symbol\": \"" symbol "\", \"dimension\": \"" dimension "\", \"scale\": \"1\","         \
	" \"style\": \"after\", \"decimals\": 0}"

/* A pack's units follow the shared ones and must not change them. */
static void adds_pack_units_to_shared_units(void **state)
{
	char text[4096];
	size_t shared;

	(void)state;
	load();
	shared = catalog->units.count;
	snprintf(text, sizeof(text), "{\"units\": [%s],\n%s", UNIT("beds", "beds"),
		 &SMALL_CATALOGUE[1]);
	temp_root_write(&root, FILE_NAME, text);
	load();
	assert_int_equal(catalog->units.count, shared + 1);
	assert_non_null(units_find(&catalog->units, "beds"));
	snprintf(text, sizeof(text), "{\"units\": [\n%s],\n%s", UNIT("MW", "beds"),
		 &SMALL_CATALOGUE[1]);
	assert_rejected(FILE_NAME, text, FILE_NAME ":2: units[0]: MW is already registered");
}

/* SQLite attaches the file once for each schema. */
static void limits_schemas_of_a_source(void **state)
{
	const char *at = strstr(SMALL_CATALOGUE, "\"views\": [") + strlen("\"views\": [");
	char views[1024] = "", *text;
	size_t n = 0;

	(void)state;
	for (int i = 1; i <= DB_SCHEMAS_MAX; i++) { /* and dbo */
		n += (size_t)snprintf(views + n, sizeof(views) - n,
				      "\n{\"name\": \"s%d.x\", \"about\": \"x\", "
				      "\"columns\": [\"tenant_id\"]},",
				      i);
		text = mem_printf("%.*s%s%s", (int)(at - SMALL_CATALOGUE), SMALL_CATALOGUE, views,
				  at);
		if (i == DB_SCHEMAS_MAX) {
			assert_rejected(FILE_NAME, text,
					"dbo: source warehouse has more than 8 schemas");
			assert_rejected(FILE_NAME, text, FILE_NAME ":");
		} else {
			temp_root_write(&root, FILE_NAME, text);
			load();
		}
		mem_free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(adds_pack_units_to_shared_units),
		TEST(reads_dimensions),
		TEST(rejects_invalid_catalogue),
		TEST(dimension_can_resolve_to_another),
		TEST(reads_words),
		TEST(rejects_invalid_aliases),
		TEST(rejects_aliases_that_cannot_match),
		TEST(limits_schemas_of_a_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
