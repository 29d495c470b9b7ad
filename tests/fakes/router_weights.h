/* Router weights for catalogues that tests create. */
#ifndef ROUTER_WEIGHTS_H
#define ROUTER_WEIGHTS_H

#define FAKE_ROUTER_WEIGHTS                                                                        \
	{                                                                                          \
		.words = {3, 1.5, 0.25, 0.6, 1, 1.2, 0.3, 0.8, 0.5},                               \
		.score = {1, 0.25, 0.55, 0.12, 0.06, 0.45, -0.08, -0.45, -0.15, -0.35, -0.7},      \
		.fact = {1, 0.75, -1, 0.5}, .evidence = {0.9, 0.3, 0.75, 0.5, 0.7, 0, 1.5},        \
		.part = {0.3, 0.1}, .confidence = {0.5, 7, 0.6, 0.4, 0.3, -0.4},                   \
		.documents = {0.5},                                                                \
	}

#endif
