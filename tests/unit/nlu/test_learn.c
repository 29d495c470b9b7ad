#include "nlu_test.h"

#include "router_weights.h"
#include "vesper/limits.h"

/* A catalogue that lists nothing: what there is, only the data of a tenant tell. */

static const struct param_def health_params[] = {
	TEXT("project", .entity = "project", .required = true, .about = "Project")};
static const struct param_def budget_params[] = {
	TEXT("project", .entity = "project", .about = "Project"),
	TEXT("sponsor", .entity = "sponsor", .about = "Sponsor that pays"),
	TEXT("kind", .entity = "kind", .about = "Kind of plant"),
	{.name = "asof", .type = PARAM_TEXT, .filter = "asof_date", .entity = "asof"},
};
static const char *const plant_agents[] = {"plant_agent", NULL};
static const struct tool_def plant_tools[] = {
	TOOL("get_budget", budget_params, plant_agents, .index = 0,
	     .about = "Budget of projects and sponsors."),
	TOOL("get_health", health_params, plant_agents, .index = 1,
	     .about = "Health and status of a project."),
};
static const struct tool_def *const plant_tool_list[] = {&plant_tools[0], &plant_tools[1]};
static const char *const plant_examples[] = {"What is the health of the project?",
					     "Show the budget by sponsor", NULL};
static const struct domain_def plant_domains[] = {{.name = "plants",
						   .index = 0,
						   .agent = "plant_agent",
						   .intent = "plant_question",
						   .about = "Projects, their health and budget.",
						   .examples = plant_examples,
						   .tools = plant_tool_list,
						   .tool_count = COUNT(plant_tool_list),
						   .order = 1}};
static const char *const kinds[] = {"Solar", "Wind", NULL};
static const struct dimension_def plant_dimensions[] = {
	{.name = "project", .index = 0, .filter = "project", .label = "project"},
	{.name = "sponsor", .index = 1, .filter = "sponsor", .label = "sponsor"},
	{.name = "kind", .index = 2, .filter = "kind", .label = "kind", .values = kinds},
	{.name = "asof", .index = 3, .filter = "asof_date", .label = "as-of"},
};
static struct catalog plants = {
	.tools = plant_tools,
	.tool_count = COUNT(plant_tools),
	.domains = plant_domains,
	.domain_count = COUNT(plant_domains),
	.dimensions = plant_dimensions,
	.dimension_count = COUNT(plant_dimensions),
	.calendar = {.peak_first_hour = 7, .peak_last_hour = 22},
	.router = FAKE_ROUTER_WEIGHTS,
	.words = FAKE_PACK_WORDS,
};

static const char *const acme_projects[] = {"Sierra Solar", "Sierra Wind Farm", "O'Brien Solar",
					    "100% Solar",   "project_7",        "Blue Oak Meadow",
					    "Zircon"};
static const char *const vesper_projects[] = {"Telltale Ridge", "Zirconia", "Sierra Telltale"};
static const char *const acme_sponsors[] = {"Northwind Capital", "Zircon Partners"};
static const char *const acme_labels[] = {"2025-Q1", "Jan_2026"};

static bool learn(struct fixture *f, const char *tenant, const char *dimension,
		  const char *const *values, size_t count)
{
	return entity_index_load(nlu_names(f->nlu), tenant, dimension, values, count);
}

static int setup(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	f->nlu = nlu_new(speaking(&plants));
	f->arena = arena_new(1 << 24);
	catalog_for(&plants, &nobody, f->arena, &f->view);
	assert_true(learn(f, "acme", "project", acme_projects, COUNT(acme_projects)));
	assert_true(learn(f, "acme", "sponsor", acme_sponsors, COUNT(acme_sponsors)));
	assert_true(learn(f, "vesper", "project", vesper_projects, COUNT(vesper_projects)));
	*state = f;
	return 0;
}

static const struct understanding *ask(struct fixture *f, const char *tenant, const char *question)
{
	nlu_understand(f->nlu,
		       &(struct nlu_input){.question = question,
					   .tenant = tenant,
					   .may = &f->view,
					   .today = fixture_today},
		       f->arena, &f->u);
	return &f->u;
}

/* "several", "unknown", or the value. */
static const char *resolve(struct fixture *f, const char *tenant, const char *dimension,
			   const char *text, struct name_match *m)
{
	struct principal who = {.user = "u", .tenant = tenant};
	bool known = entity_index_resolve(nlu_names(f->nlu), tenant ? &who : NULL, dimension, text,
					  NULL, f->arena, m);

	return known ? m->value : m->several ? "several" : "unknown";
}

static bool offers(const struct suggestion *options, size_t count, const char *value)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(options[i].value, value) == 0)
			return true;
	return false;
}

static void loaded_names_resolve_like_listed_ones(void **state)
{
	static const struct {
		const char *dimension, *text, *want;
	} cases[] = {
		{"project", "sierra solar", "Sierra Solar"},
		{"project", "SIERRA-SOLAR", "Sierra Solar"},
		{"project", "siera solar", "Sierra Solar"},
		{"project", "Sierra", "several"},
		{"project", "meadow", "Blue Oak Meadow"},
		{"project", "bom", "Blue Oak Meadow"},
		{"project", "o'brien solar", "O'Brien Solar"},
		{"project", "OBrien", "O'Brien Solar"},
		{"project",
		 "O\xE2\x80\x99"
		 "Brien Solar",
		 "O'Brien Solar"},
		{"project", "100% solar", "100% Solar"},
		{"project", "100 Solar", "100% Solar"},
		{"project", "project 7", "project_7"},
		{"project", "project_9", "unknown"},
		{"project", "Atlantis", "unknown"},
		{"project", "%", "unknown"},
		{"project", "' OR '1'='1", "unknown"},
		{"sponsor", "northwind", "Northwind Capital"},
		{"sponsor", "Zircon", "Zircon Partners"},
		{"project", "Zircon", "Zircon"},
	};
	struct name_match m;

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *got = resolve(*state, "acme", cases[i].dimension, cases[i].text, &m);

		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s \"%s\": got %s, want %s", cases[i].dimension, cases[i].text,
				 got, cases[i].want);
		if (strcmp(got, "unknown") == 0)
			assert_true(m.suggestion_count > 0);
	}
	assert_string_equal(resolve(*state, "acme", "project", "Sierra", &m), "several");
	assert_int_equal(m.suggestion_count, 2);
}

static void names_are_separate_per_tenant(void **state)
{
	static const char *const texts[] = {
		"Telltale Ridge",  "telltale", "tell tale rigde", "Sierra",
		"sierra telltale", "Zirconia", "zirconai",        "xyz"};
	struct fixture *f = *state;
	struct name_match m;

	for (size_t i = 0; i < COUNT(texts); i++) {
		const char *got = resolve(f, "acme", "project", texts[i], &m);

		for (size_t v = 0; v < COUNT(vesper_projects); v++) {
			assert_string_not_equal(got, vesper_projects[v]);
			assert_false(offers(m.suggestions, m.suggestion_count, vesper_projects[v]));
		}
		ask(f, "acme",
		    arena_printf(f->arena, "What is the health of project %s?", texts[i]));
		for (size_t v = 0; v < COUNT(vesper_projects); v++) {
			assert_false(offers(f->u.ask.options, f->u.ask.option_count,
					    vesper_projects[v]));
			for (size_t n = 0; n < f->u.filter_count; n++)
				assert_string_not_equal(f->u.filters[n].values[0].text,
							vesper_projects[v]);
		}
		resolve(f, "vesper", "project", texts[i], &m);
		assert_false(offers(m.suggestions, m.suggestion_count, "Sierra Solar"));
	}
	assert_string_equal(resolve(f, "vesper", "project", "telltale ridge", &m),
			    "Telltale Ridge");
	assert_string_equal(resolve(f, "vesper", "project", "sierra", &m), "Sierra Telltale");
}

static void without_loaded_names_accepts_any(void **state)
{
	struct name_match m;

	assert_string_equal(resolve(*state, "globex", "project", "Telltale Ridge", &m),
			    "Telltale Ridge");
	assert_string_equal(resolve(*state, NULL, "project", "Sierra", &m), "Sierra");
	assert_string_equal(resolve(*state, "vesper", "sponsor", "Anybody", &m), "Anybody");
	assert_string_equal(resolve(*state, "globex", "kind", "solr", &m), "Solar");
}

static void questions_find_names(void **state)
{
	static const struct {
		const char *question, *want;
	} cases[] = {
		{"What is the health of Sierra Solar?", "Sierra Solar"},
		{"how is o'brien solar doing, health wise", "O'Brien Solar"},
		{"health of 100% Solar", "100% Solar"},
		{"health of project_7", "project_7"},
		{"What is the health of the Blue Oak Medow project?", "Blue Oak Meadow"},
		{"health of zircon", "Zircon"},
		{"health of Bleu Oak Medow please", "Blue Oak Meadow"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct understanding *u = ask(f, "acme", cases[i].question);

		if (u->tool_count != 1 ||
		    strcmp(args_text(&u->tools[0].args, "project", f->arena), cases[i].want) != 0)
			fail_msg("%s: %zu tools, ask %s", cases[i].question, u->tool_count,
				 u->ask.text ? u->ask.text : "nothing");
	}
}

static void several_are_asked_about(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u = ask(f, "acme", "What is the health of Sierra?");

	assert_int_equal(u->tool_count, 0);
	assert_string_equal(u->ask.filter, "project");
	assert_false(u->ask.unknown);
	assert_int_equal(u->ask.option_count, 2);
	assert_true(offers(u->ask.options, 2, "Sierra Solar"));
	assert_true(offers(u->ask.options, 2, "Sierra Wind Farm"));
}

static void unknown_names_are_asked_about(void **state)
{
	static const char *const questions[] = {"What is the budget of project Atlantis?",
						"What is the budget of the Atlantis project?"};

	for (size_t i = 0; i < COUNT(questions); i++) {
		const struct understanding *u = ask(*state, "acme", questions[i]);

		assert_int_equal(u->tool_count, 0);
		assert_true(u->ask.unknown);
		assert_string_equal(u->ask.filter, "project");
		assert_true(u->ask.option_count > 0);
	}
}

/* The catalogue lists "Solar"; that three projects have it in their names changes nothing. */
static void listed_names_precede_parts(void **state)
{
	const struct understanding *u = ask(*state, "acme", "What is the budget of solar?");

	assert_int_equal(u->tool_count, 1);
	assert_int_equal(u->filter_count, 1);
	assert_string_equal(u->filters[0].name, "kind");
}

static void neighbour_word_gives_dimension(void **state)
{
	const struct understanding *u =
		ask(*state, "acme", "What is the budget of sponsor Zircon?");

	assert_int_equal(u->tool_count, 1);
	assert_string_equal(u->filters[0].name, "sponsor");
	assert_string_equal(u->filters[0].values[0].text, "Zircon Partners");
}

static void keeps_ordinary_words(void **state)
{
	static const char *const reports[] = {"Budget", "Health of everything", "Status"};
	struct fixture *f = *state;
	const struct understanding *u;

	assert_true(learn(f, "acme", "sponsor", reports, COUNT(reports)));
	u = ask(f, "acme", "what is the budget of zircon");
	assert_int_equal(u->tool_count, 1);
	assert_int_equal(u->filter_count, 1);
	assert_string_equal(u->filters[0].name, "project");
}

/* One row that is called like a year must not take the year away from every question. */
static void numbers_stay_numbers(void **state)
{
	static const char *const sponsors[] = {"2025", "7", "Zircon Partners"};
	struct fixture *f = *state;
	const struct understanding *u;

	assert_true(learn(f, "acme", "sponsor", sponsors, COUNT(sponsors)));
	u = ask(f, "acme", "what is the budget of zircon in 2025");
	for (size_t i = 0; i < u->filter_count; i++)
		assert_string_not_equal(u->filters[i].name, "sponsor");
	u = ask(f, "acme", "projects of sponsor 2025");
	assert_string_equal(u->filters[0].name, "sponsor");
	assert_string_equal(u->filters[0].values[0].text, "2025");
}

static void loading_again_replaces_names(void **state)
{
	static const char *const later[] = {"Aurora", "Borealis"};
	struct fixture *f = *state;
	struct name_match before, m;

	resolve(f, "acme", "project", "zircon", &before);
	assert_true(learn(f, "acme", "project", later, COUNT(later)));
	assert_string_equal(before.value, "Zircon"); /* what was understood stays whole */
	assert_string_equal(resolve(f, "acme", "project", "aurora", &m), "Aurora");
	assert_string_equal(resolve(f, "acme", "project", "zircon", &m), "unknown");
	assert_true(offers(m.suggestions, m.suggestion_count, "Borealis"));
	assert_string_equal(resolve(f, "acme", "sponsor", "zircon", &m), "Zircon Partners");
	assert_true(learn(f, "acme", "project", NULL, 0));
	assert_string_equal(resolve(f, "acme", "project", "zircon", &m), "zircon");
}

static void rejects_too_many_loaded_names(void **state)
{
	size_t count = NLU_VALUES_MAX + 1;
	const char **many = mem_alloc(count * sizeof(*many));
	struct fixture *f = *state;
	struct name_match m;

	for (size_t i = 0; i < count; i++)
		many[i] = i < 10000 ? arena_printf(f->arena, "Plant %zu", i) : "Plant";
	assert_false(learn(f, "acme", "project", many, count));
	assert_string_equal(resolve(f, "acme", "project", "anything", &m), "anything");
	assert_true(learn(f, "acme", "project", many, 10000));
	assert_string_equal(resolve(f, "acme", "project", "plant 4711", &m), "Plant 4711");
	mem_free(many);
}

static void knows_listed_and_loaded_values(void **state)
{
	static const char *const values[] = {"Hydro", "Solar"};
	struct name_match m;

	assert_false(learn(*state, "acme", "nothing", values, 1));
	assert_string_equal(resolve(*state, "acme", "kind", "Hydro", &m), "unknown");
	assert_true(learn(*state, "acme", "kind", values, 2));
	assert_string_equal(resolve(*state, "acme", "kind", "hydro", &m), "Hydro");
	assert_string_equal(resolve(*state, "acme", "kind", "wind", &m), "Wind");
	assert_string_equal(resolve(*state, "vesper", "kind", "Hydro", &m), "unknown");
	assert_string_equal(resolve(*state, "acme", "kind", "xyz", &m), "unknown");
	assert_int_equal(m.suggestion_count, 3);
}

static void labels_use_spelling_of_data(void **state)
{
	struct fixture *f = *state;
	struct name_match m;

	assert_string_equal(resolve(f, "acme", "asof", "January 2025", &m), "Jan_2025");
	assert_true(learn(f, "acme", "asof", acme_labels, COUNT(acme_labels)));
	assert_string_equal(resolve(f, "acme", "asof", "january 2026", &m), "Jan_2026");
	assert_string_equal(resolve(f, "acme", "asof", "Q1 2025", &m), "2025-Q1");
	assert_string_equal(resolve(f, "acme", "asof", "January 2025", &m), "unknown");
	assert_true(offers(m.suggestions, m.suggestion_count, "Jan_2026"));
	assert_string_equal(resolve(f, "vesper", "asof", "January 2025", &m), "Jan_2025");
}

/* ---- what the permissions let a caller know ---- */

static struct dimension_def guarded_dimensions[COUNT(plant_dimensions)];
static struct catalog guarded;

/* The same catalogue, where projects need a permission of their own. */
static int setup_guarded(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	memcpy(guarded_dimensions, plant_dimensions, sizeof(guarded_dimensions));
	guarded_dimensions[0].permission = "read_projects";
	guarded = plants;
	guarded.dimensions = guarded_dimensions;
	f->nlu = nlu_new(speaking(&guarded));
	f->arena = arena_new(1 << 24);
	assert_true(learn(f, "acme", "project", acme_projects, COUNT(acme_projects)));
	assert_true(learn(f, "acme", "sponsor", acme_sponsors, COUNT(acme_sponsors)));
	*state = f;
	return 0;
}

static const char *const reads_projects[] = {"read_projects"};

static void hidden_dimension_reveals_nothing(void **state)
{
	static const char *const texts[] = {"Sierra Solar", "siera solar", "Sierra", "bom",
					    "Blue Oak",     "xyz",         "Zircon"};
	const struct principal without = {.user = "u", .tenant = "acme"};
	const struct principal with = {.user = "u",
				       .tenant = "acme",
				       .permissions = reads_projects,
				       .permission_count = 1};
	struct fixture *f = *state;
	struct name_match m;

	for (size_t i = 0; i < COUNT(texts); i++) {
		assert_false(entity_index_resolve(nlu_names(f->nlu), &without, "project", texts[i],
						  NULL, f->arena, &m));
		assert_int_equal(m.suggestion_count, 0);
		assert_false(m.several);
		assert_false(entity_index_resolve(nlu_names(f->nlu), NULL, "project", texts[i],
						  NULL, f->arena, &m));
		catalog_for(&guarded, &without, f->arena, &f->view);
		ask(f, "acme", arena_printf(f->arena, "health of project %s", texts[i]));
		for (size_t n = 0; n < f->u.filter_count; n++)
			assert_string_not_equal(f->u.filters[n].name, "project");
		for (size_t v = 0; v < COUNT(acme_projects); v++)
			assert_false(
				offers(f->u.ask.options, f->u.ask.option_count, acme_projects[v]));
	}
	assert_true(entity_index_resolve(nlu_names(f->nlu), &without, "sponsor", "northwind", NULL,
					 f->arena, &m));
	assert_true(entity_index_resolve(nlu_names(f->nlu), &with, "project", "siera solar", NULL,
					 f->arena, &m));
	assert_string_equal(m.value, "Sierra Solar");
	catalog_for(&guarded, &with, f->arena, &f->view);
	ask(f, "acme", "health of project Sierra");
	assert_int_equal(f->u.ask.option_count, 2);
}

/* Two letters are initials only where one name has them. */
static void initials_and_phrases_name_projects(void **state)
{
	static const char *const later[] = {"Nazareth Solar", "Sierra Wind Farm",
					    "Sierra Wind Park", "Desert Sun", "Delta Storage"};
	struct fixture *f = *state;
	struct name_match m;

	assert_true(learn(f, "acme", "project", later, COUNT(later)));
	assert_string_equal(resolve(f, "acme", "project", "NS", &m), "Nazareth Solar");
	assert_string_equal(resolve(f, "acme", "project", "DS", &m), "unknown");
	assert_string_equal(resolve(f, "acme", "project", "sierra wind", &m), "several");
	assert_int_equal(m.suggestion_count, 2);
	assert_string_equal(resolve(f, "acme", "project", "wind farm", &m), "Sierra Wind Farm");
	ask(f, "acme", "What is the health of NS?");
	assert_int_equal(f->u.tool_count, 1);
	ask(f, "acme", "What is the health of Sierra Wind?");
	assert_int_equal(f->u.ask.option_count, 2);
}

static void alias_counts_only_with_its_value(void **state)
{
	static const struct alias_def aliases[] = {{"the big one", "Sierra Solar", NULL, NULL}};
	const struct principal acme = {.user = "u",
				       .tenant = "acme",
				       .permissions = reads_projects,
				       .permission_count = 1};
	struct principal other = acme;
	struct fixture *f = *state;
	struct name_match m;

	nlu_free(&f->nlu);
	guarded_dimensions[0].aliases = aliases;
	guarded_dimensions[0].alias_count = 1;
	f->nlu = nlu_new(speaking(&guarded));
	other.tenant = "vesper";
	assert_true(learn(f, "acme", "project", acme_projects, COUNT(acme_projects)));
	assert_true(learn(f, "vesper", "project", vesper_projects, COUNT(vesper_projects)));
	assert_true(entity_index_resolve(nlu_names(f->nlu), &acme, "project", "the big one", NULL,
					 f->arena, &m));
	assert_string_equal(m.value, "Sierra Solar");
	assert_false(entity_index_resolve(nlu_names(f->nlu), &other, "project", "the big one", NULL,
					  f->arena, &m));
	assert_false(offers(m.suggestions, m.suggestion_count, "Sierra Solar"));
}

#undef TEST
#define TEST(f)    cmocka_unit_test_setup_teardown(f, setup, fixture_teardown)
#define GUARDED(f) cmocka_unit_test_setup_teardown(f, setup_guarded, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(loaded_names_resolve_like_listed_ones),
		TEST(names_are_separate_per_tenant),
		TEST(without_loaded_names_accepts_any),
		TEST(questions_find_names),
		TEST(several_are_asked_about),
		TEST(unknown_names_are_asked_about),
		TEST(listed_names_precede_parts),
		TEST(neighbour_word_gives_dimension),
		TEST(keeps_ordinary_words),
		TEST(numbers_stay_numbers),
		TEST(loading_again_replaces_names),
		TEST(rejects_too_many_loaded_names),
		TEST(knows_listed_and_loaded_values),
		TEST(labels_use_spelling_of_data),
		TEST(initials_and_phrases_name_projects),
		GUARDED(hidden_dimension_reveals_nothing),
		GUARDED(alias_counts_only_with_its_value),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
