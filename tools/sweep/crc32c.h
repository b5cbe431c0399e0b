// CRC-32C (Castagnoli), by which a journal tells a block that is whole from one that is torn.
#ifndef CRC32C_H
#define CRC32C_H

#include <stddef.h>
#include <stdint.h>

/// Of bytes: "123456789" has 0xe3069283.
uint32_t crc32c(const void *bytes, size_t size);

#endif
