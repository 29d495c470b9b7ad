/*
 * Clustering kernels: the dip test, k-means, and a test for natural groups. See calc.h for NULLs,
 * errors and determinism.
 */
#ifndef VESPER_CALC_CLUSTER_H
#define VESPER_CALC_CLUSTER_H

#include "vesper/calc.h"

/*
 * Hartigan & Hartigan's dip (1985; AS 217): the greatest distance of the distribution function from
 * the nearest unimodal one. p comes from quantiles of uniform samples (tests/calc/dip_table.c),
 * between 0.001 and 1; smaller values are given as 0.001. Least data: CALC_DIP_MIN.
 */
#define CALC_DIP_MIN 10
struct calc_dip {
	enum calc_status status; /* CALC_CONSTANT: p is 1 */
	size_t n;
	double dip;
	double p;
};
MUST_CHECK bool calc_dip(const struct calc *c, const double *values, size_t n, struct calc_dip *out,
			 struct err *e);

/*
 * k-means of rows without NULLs: k-means++ (Arthur & Vassilvitskii 2007), CALC_RESTARTS times, each
 * with Lloyd's iterations (1982) until no row changes its cluster or CALC_ROUNDS_MAX is reached.
 * The result with the least inertia is returned. Clusters are numbered by their first row. 2 ≤ k ≤
 * CALC_CLUSTERS_MAX, and at least k rows.
 */
#define CALC_CLUSTERS_MAX 6
#define CALC_FEATURES_MAX 6
#define CALC_RESTARTS     20
#define CALC_ROUNDS_MAX   300
struct calc_kmeans {
	double inertia;
	uint32_t *of; /* cluster of each row */
	double centers[CALC_CLUSTERS_MAX][CALC_FEATURES_MAX];
	size_t sizes[CALC_CLUSTERS_MAX];
};
MUST_CHECK bool calc_kmeans(const struct calc *c, const double *const *columns, size_t count,
			    size_t n, size_t k, struct calc_kmeans *out, struct err *e);
/* Mean silhouette (Rousseeuw 1987) of k clusters. With more than CALC_SILHOUETTE_MAX rows, only
 * every second, third, … row is used. */
#define CALC_SILHOUETTE_MAX 2000
MUST_CHECK bool calc_silhouette(const struct calc *c, const double *const *columns, size_t count,
				size_t n, const uint32_t *of, size_t k, double *out, struct err *e);

/*
 * Natural groups. Columns are centred by their median and scaled by their IQR (IQR 0: by their
 * standard deviation; that also 0: left out). k-means runs for k = 2..CALC_CLUSTERS_MAX; a k passes
 * if
 *   the mean silhouette is at least 0.25,
 *   the smallest cluster has at least 5 rows and 2 % of them, and
 *   each cluster and the nearest one have a dip at p ≤ 0.01 along the line through their centers.
 * The passing k with the highest silhouette is chosen; none: k is 0. The silhouette alone proves
 * nothing: one normal cloud reaches 0.35. Least data: 30 rows without a NULL. At most
 * CALC_CLUSTER_ENTITIES rows.
 */
#define CALC_CLUSTERS_MIN 30
struct calc_clusters {
	enum calc_status status; /* CALC_CONSTANT: no column varies */
	size_t n;                /* rows used */
	size_t k;
	double silhouette;
	const uint32_t *of; /* cluster of each row; k for a row with a NULL */
	size_t sizes[CALC_CLUSTERS_MAX];
	double centers[CALC_CLUSTERS_MAX][CALC_FEATURES_MAX]; /* means, unscaled */
	double scale[CALC_FEATURES_MAX];                      /* 0: the column is left out */
};
MUST_CHECK bool calc_clusters(const struct calc *c, const double *const *columns, size_t count,
			      size_t n, struct calc_clusters *out, struct err *e);

#endif
