#include "array.h"

#include <stdlib.h>
#include <string.h>

void *lwi_array_reserve(void *at, int count, int *room, size_t element)
{
    enum { MOST = 1 << 28 }; // keeps every index and every count of ports an int
    if (count >= MOST) {
        return NULL;
    }
    char *array = at;
    if (count >= *room) {
        const int more = *room ? 2 * *room : 8;
        array = realloc(at, (size_t)more * element);
        if (!array) {
            return NULL;
        }
        *room = more;
    }
    memset(array + (size_t)count * element, 0, element);
    return array;
}
