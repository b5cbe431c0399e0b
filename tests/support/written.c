#include "written.h"

#include "check.h"

#include <stdarg.h>
#include <stdio.h>

void put(written *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const size_t room = sizeof w->text - w->used;
    const int length = vsnprintf(w->text + w->used, room, format, args);
    va_end(args);
    if (CHECK(length >= 0 && (size_t)length < room)) {
        w->used += (size_t)length;
    }
}
