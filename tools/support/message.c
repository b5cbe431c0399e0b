#include "support/message.h"

#include <stdarg.h>
#include <stdio.h>

int complain(int exit_code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("linkwork: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    return exit_code;
}

int exit_code_of(lw_status status)
{
    switch (status) {
    case LW_OK:
        return EXIT_GOOD;
    case LW_ERR_FILE:
    case LW_ERR_MEMORY:
        return EXIT_FILE;
    case LW_ERR_ARGUMENT:
        return EXIT_USAGE;
    case LW_ERR_NUMBER:
    case LW_ERR_STAGE:
    case LW_ERR_SINGULAR:
    case LW_ERR_LOOP_OPEN:
    case LW_ERR_NO_CONVERGENCE:
        return EXIT_NUMERIC;
    default:
        return EXIT_INPUT;
    }
}
