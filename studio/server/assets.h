// The files of the page, which the build embeds into the program (studio/page/build.mjs).
#ifndef ASSETS_H
#define ASSETS_H

#include <stddef.h>

typedef struct asset {
    const char *path; ///< "/" or "/a/app-HASH.js"
    const char *type;
    const unsigned char *bytes; ///< compressed by gzip
    size_t size;
} asset;

extern const asset assets[];
extern const int asset_count;

/// What --export writes before and behind the data, as it is.
typedef struct page_half {
    const unsigned char *bytes;
    size_t size;
} page_half;

extern const page_half exported_page[2];

#endif
