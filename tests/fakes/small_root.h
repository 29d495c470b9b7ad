/* The smallest complete catalogue: two dimensions, one domain with one tool. Tests introduce errors
 * or extend it. */
#ifndef SMALL_ROOT_H
#define SMALL_ROOT_H

#include "temp_root.h"
#include "vesper/arena.h"
#include "vesper/file.h"

#define SMALL_CATALOGUE                                                                            \
	"{\"views\": [{\"name\": \"dbo.prices\", \"about\": \"prices\"}],\n"                       \
	" \"dimensions\": [\n"                                                                     \
	"  {\"name\": \"market\", \"label\": \"market\", \"values\": [\"East\", \"West\"]},\n"     \
	"  {\"name\": \"hub\", \"label\": \"hub\", \"parent\": \"market\","                        \
	" \"values\": {\"East\": [\"E1\", \"E2\"], \"West\": [\"W1\"]}},\n"                        \
	"  {\"name\": \"file\", \"filter\": \"file_name\", \"view\": \"dbo.prices\","              \
	" \"column\": \"file\"}],\n"                                                               \
	" \"calendar\": {\"peak_first_hour\": 7, \"peak_last_hour\": 22}}\n"

#define SMALL_ENTITIES                                                                             \
	"{\"market\": [{\"text\": \"sunrise\", \"value\": \"East\"}],\n"                           \
	" \"hub\": [{\"text\": \"first\", \"value\": \"E1\", \"when\": \"market=East\"},\n"        \
	"  {\"text\": \"first\", \"value\": \"W1\", \"when\": \"market=West\"}]}\n"

#define SMALL_REPORTS                                                                              \
	"{\"menus\": {\"prices\": {\"label\": \"Prices\", \"url\": \"https://x.test/p\"}},\n"      \
	" \"reports\": {\"price_report\": \"prices\", \"other_report\": \"prices\"}}\n"

#define SMALL_PERMISSIONS                                                                          \
	"{\"permissions\": [\"chat:use\", \"chat:read\", \"chat:read_budget\"],\n"                 \
	" \"roles\": {\"reader\": [\"chat:use\", \"chat:read\"]}}\n"

#define SMALL_ROUTER                                                                               \
	"{\"words\": {\"name\": 3, \"about\": 1.5, \"param\": 0.25, \"column\": 0.6, "             \
	"\"example\": 1, \"k1\": 1.2,"                                                             \
	" \"b\": 0.3, \"enough\": 0.8, \"documents\": 0.5},\n"                                     \
	" \"score\": {\"text\": 1, \"domain\": 0.25, \"facts\": 0.55, \"first\": 0.12, \"home\": " \
	"0.06,"                                                                                    \
	" \"standing\": 0.45, \"missing\": -0.08, \"not_taken\": -0.45, \"calls\": -0.15,"         \
	" \"lone_list\": -0.35, \"other_list\": -0.7},\n"                                          \
	" \"kind\": {\"tool\": 0, \"flow\": 0.05, \"approved\": 0.15, \"metric\": -0.05,"          \
	" \"documents\": 0},\n \"flow\": {\"least\": 0.7},\n \"documents\": {\"speak\": 0.5},\n "  \
	"\"reading\": {\"least\": 0.3},\n"                                                         \
	" \"fact\": {\"required\": 1, \"optional\": 0.75, \"not_taken\": -1, \"soft\": 0.5},\n"    \
	" \"evidence\": {\"least\": 0.9, \"followup\": 0.3, \"strange\": 0.75, \"time\": 0.5,"     \
	" \"trouble\": 0.7, \"word\": 0.2, \"words\": 1.5},\n"                                     \
	" \"part\": {\"least\": 0.3, \"clear\": 0.1},\n"                                           \
	" \"confidence\": {\"base\": 0.5, \"margin\": 7, \"text\": 0.6, \"facts\": 0.4,"           \
	" \"standing\": 0.3, \"strange\": -0.4}}\n"

#define SMALL_TOOL                                                                                 \
	"-- tool: get_price\n"                                                                     \
	"-- about: Price of a hub.\n"                                                              \
	"-- permission: chat:read\n"                                                               \
	"-- report: price_report\n"                                                                \
	"-- answer: {Hub} costs {Price}.\n"                                                        \
	"-- suggest: And {hub} in {year}?\n"                                                       \
	"-- param hub text required entity=hub Where\n"                                            \
	"-- param market text optional entity=market Which market\n"                               \
	"-- param year int optional default=2025 min=2000 max=2100 Which year\n"                   \
	"-- param hours list(int,24) optional min=0 max=23 filter=hour Which hours\n"              \
	"-- param name text optional match=like Part of a name\n"                                  \
	"-- param since date optional First day\n"                                                 \
	"-- param above decimal optional Lowest price\n"                                           \
	"-- param firm bool optional Only firm prices\n"                                           \
	"-- column \"Hub\" priority=high\n"                                                        \
	"-- column \"Price\" unit=$ label=\"Average price\" type=decimal\n"                        \
	"-- column \"Cost\" permission=chat:read_budget\n"                                         \
	"SELECT p.hub AS \"Hub\", p.price AS \"Price\"\n"                                          \
	"--? may_read_budget: , p.cost AS \"Cost\"\n"                                              \
	"FROM dbo.prices p WHERE p.tenant_id = :tenant_id AND p.hub = :hub AND p.year = :year\n"   \
	"--? market: AND p.market = :market\n"                                                     \
	"--? hours: AND p.hour IN (:hours...)\n"                                                   \
	"--? name: AND LOWER(p.name) LIKE LOWER(:name) ESCAPE '\\'\n"                              \
	"--? since: AND p.day >= :since\n"                                                         \
	"--? above: AND p.price > :above\n"                                                        \
	"--? firm: AND p.firm = :firm\n"                                                           \
	"ORDER BY p.hub OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY\n"

#define SMALL_DOMAIN                                                                               \
	"---\n"                                                                                    \
	"agent: price_agent\n"                                                                     \
	"intent: prices\n"                                                                         \
	"about: What things cost.\n"                                                               \
	"examples:\n"                                                                              \
	"  - What does E1 cost: now, or later?\n"                                                  \
	"tools:\n"                                                                                 \
	"  - get_price\n"                                                                          \
	"order: 2\n"                                                                               \
	"---\n"                                                                                    \
	"\nYou know prices.\n"

#define SMALL_TOOL_PATH   "sql/energy/prices/get_price.sql"
#define SMALL_DOMAIN_PATH "prompts/energy/prices.md"

#define SMALL_PACKS "{\"packs\": [{\"name\": \"energy\", \"default\": true}]}\n"
#define SMALL_WORDS "{\"company\": \"a shop\", \"version\": 1}\n"

/* Copies a file of the program, such as the language and the units. */
static inline void small_root_copy(const struct temp_root *root, const char *path)
{
	struct arena *a = arena_new(1 << 20);
	const char *text;

	if (!file_read(arena_printf(a, VESPER_SOURCE_DIR "/%s", path), 1 << 20, a, &text, NULL))
		abort();
	temp_root_write(root, path, text);
	arena_free(&a);
}

static inline struct temp_root small_root_new(void)
{
	struct temp_root root = temp_root_new();

	small_root_copy(&root, "config/language/en.json");
	small_root_copy(&root, "config/units.json");
	temp_root_write(&root, "config/packs.json", SMALL_PACKS);
	temp_root_write(&root, "config/energy/words.json", SMALL_WORDS);

	temp_root_write(&root, "config/energy/catalogue.json", SMALL_CATALOGUE);
	temp_root_write(&root, "config/energy/entities.json", SMALL_ENTITIES);
	temp_root_write(&root, "config/energy/reports.json", SMALL_REPORTS);
	temp_root_write(&root, "config/permissions.json", SMALL_PERMISSIONS);
	temp_root_write(&root, "config/router.json", SMALL_ROUTER);
	temp_root_write(&root, SMALL_TOOL_PATH, SMALL_TOOL);
	temp_root_write(&root, SMALL_DOMAIN_PATH, SMALL_DOMAIN);
	temp_root_write(&root, "prompts/supervisor.md", "{{domains}}\n{{rules}}\n");
	temp_root_write(&root, "prompts/synthesizer.md", "Write.\n{{rules}}\n");
	temp_root_write(&root, "prompts/agent.md", "Gather.\n");
	temp_root_write(&root, "prompts/compress.md", "Sum up.\n");
	temp_root_write(&root, "prompts/citations.md", "Cite.\n");
	temp_root_write(&root, "prompts/rewrite.md", "Correct.\n");
	temp_root_write(&root, "prompts/guardrail.md", "{{domains}}\n");
	temp_root_write(&root, "prompts/protocol.md",
			"{{steps}}{{rounds}}{{tables}}{{rows}}{{by}}{{map}}\n");
	temp_root_write(&root, "prompts/planner.md", "Plan.\n");
	temp_root_write(&root, "prompts/points.md", "Point.\n");
	return root;
}

#endif
