#include "support/suggest.h"

#include <stdio.h>

const char *suggest_text(const lw_nearest *near, char text[SUGGEST_ROOM])
{
    text[0] = '\0';
    if (near->best) {
        snprintf(text, SUGGEST_ROOM, "; did you mean \"%s\"?", near->best);
    }
    return text;
}
