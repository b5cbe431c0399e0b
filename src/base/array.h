// Arrays that grow one element at a time.
#ifndef LWI_ARRAY_H
#define LWI_ARRAY_H

#include <stddef.h>

/// An array with room for one more zeroed element, moved where need be; NULL if allocation fails,
/// and the old one is then still good.
void *lwi_array_reserve(void *at, int count, int *room, size_t element);

#endif
