/* The vocabulary of a pack for catalogues that tests create. */
#ifndef FAKES_PACK_WORDS_H
#define FAKES_PACK_WORDS_H

static const char *const fake_none[] = {NULL};
static const char *const fake_price[] = {"price", "cost", "usd", "dollar", NULL};
static const char *const fake_file[] = {"curve", "file", "release", NULL};
static const char *const fake_budget[] = {"budget", "overspend", "overrun", NULL};
static const char *const *const fake_synonyms[] = {fake_price, fake_file, fake_budget};
static const char *const fake_nouns[] = {"project", "seller", "zone", "price", NULL};
static const char *const fake_states[] = {"on track", "at risk", NULL};

#define FAKE_PACK_WORDS                                                                            \
	{                                                                                          \
		.company = "a company", .stop = fake_none, .synonyms = fake_synonyms,              \
		.synonym_count = 3, .nouns = fake_nouns, .states = fake_states,                    \
		.aspects = fake_none,                                                              \
	}

#endif
