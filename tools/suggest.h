// Help for misspelt names of options, commands, frames and coordinates.
#ifndef SUGGEST_H
#define SUGGEST_H

#include <stddef.h>

/// The candidate nearest to what was wanted. Start with the wanted text alone, then offer all.
typedef struct suggestion {
    const char *wanted;
    const char *best; ///< null while none is near enough to be meant
    size_t distance;
} suggestion;

void suggest_offer(suggestion *near, const char *candidate);

enum { SUGGEST_ROOM = 160 };

/// Writes "; did you mean \"...\"?", or nothing where no candidate was near. Returns text.
const char *suggest_text(const suggestion *near, char text[SUGGEST_ROOM]);

#endif
