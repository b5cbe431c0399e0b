// Help for misspelt names of options, commands, frames and coordinates.
#ifndef SUGGEST_H
#define SUGGEST_H

#include <linkwork/base.h>

enum { SUGGEST_ROOM = 160 };

/// Writes "; did you mean \"...\"?", or nothing where no candidate was near. Returns text.
const char *suggest_text(const lw_nearest *near, char text[SUGGEST_ROOM]);

#endif
