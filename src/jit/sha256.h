// The digest SHA-256 (FIPS 180-4), to tell generated sources apart.
#ifndef LWI_SHA256_H
#define LWI_SHA256_H

#include <stddef.h>

enum { LWI_DIGEST_SIZE = 65 };

/// The digest of some bytes as 64 hexadecimal letters and a zero.
void lwi_sha256(const void *bytes, size_t size, char digest[LWI_DIGEST_SIZE]);

#endif
