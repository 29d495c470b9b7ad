/* The page's files, embedded at build time (src/widget/embed.cmake writes the table). */
#ifndef VESPER_ASSETS_H
#define VESPER_ASSETS_H

struct asset {
	const char *path; /* "/", "/widget.js", "/assets/charts-1A2B3C4D.js" */
	const char *type;
	const char *tag; /* hash of the content */
	const unsigned char *bytes, *bytes_end;
	const unsigned char *gzip, *gzip_end;
};

extern const struct asset assets[]; /* ended by a NULL path */

#endif
