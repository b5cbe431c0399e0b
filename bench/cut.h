// A closed machine as an open tree of the same bodies, by its text.
#ifndef BENCH_CUT_H
#define BENCH_CUT_H

#include <stddef.h>

/// Takes the masses from the rods of a linkwork XML file. Characters stay in their places.
void cut_masses(char *text);

/// A copy of the text without what closes loops: closing joints are left out, no joint depends on
/// others, and a rod that has mass is a link that hangs on its first end by a joint. Null when
/// memory is short. Free with free().
/// @param size in and out: characters of the text
char *cut_loops(const char *text, size_t *size);

#endif
