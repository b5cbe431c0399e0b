#include "suggest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 }; // longer names are not compared; a misspelt one is then just unknown

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Letters to insert, delete, replace or swap with their neighbour (optimal string alignment). Three
// rows of the usual table are enough.
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t row[3][LONGEST + 1];
    for (size_t j = 0; j <= nb; ++j) {
        row[0][j] = j;
    }
    for (size_t i = 1; i <= na; ++i) {
        size_t *here = row[i % 3];
        const size_t *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        here[0] = i;
        for (size_t j = 1; j <= nb; ++j) {
            const size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            here[j] = smaller(replaced, 1 + smaller(above[j], here[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                here[j] = smaller(here[j], 1 + before[j - 2]);
            }
        }
    }
    return row[na % 3][nb];
}

void suggest_offer(suggestion *near, const char *candidate)
{
    const size_t na = strlen(near->wanted), nb = strlen(candidate);
    if (na == 0 || na > LONGEST || nb == 0 || nb > LONGEST) {
        return;
    }
    // A third of the letters may differ, but never all of them: "x" is no misspelling of "y".
    const size_t limit = smaller(3, (na + 2) / 3);
    size_t found = distance(near->wanted, na, candidate, nb);
    // "elbow" may well mean "elbow_joint".
    if (found > limit && na >= 3 && strstr(candidate, near->wanted)) {
        found = limit;
    }
    if (found > limit || found >= nb || (near->best && found >= near->distance)) {
        return;
    }
    near->best = candidate;
    near->distance = found;
}

const char *suggest_text(const suggestion *near, char text[SUGGEST_ROOM])
{
    text[0] = '\0';
    if (near->best) {
        snprintf(text, SUGGEST_ROOM, "; did you mean \"%s\"?", near->best);
    }
    return text;
}
