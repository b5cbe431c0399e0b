#include "cut.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *find_before(const char *from, const char *word, const char *end)
{
    const char *at = strstr(from, word);
    return at && at < end ? at : NULL;
}

void cut_masses(char *text)
{
    for (char *rod = strstr(text, "<rod "); rod; rod = strstr(rod + 1, "<rod ")) {
        char *end = strchr(rod, '>');
        char *mass = strstr(rod, "mass=\"");
        if (end && mass && mass < end) {
            const char *quote = strchr(mass + 6, '"');
            memset(mass, ' ', quote ? (size_t)(quote + 1 - mass) : 0);
        }
    }
}

/// The value of an attribute, or "" where it is absent.
static void attribute(const char *from, const char *name, const char *end, char value[64])
{
    char word[32];
    value[0] = '\0';
    snprintf(word, sizeof word, " %s=\"", name);
    const char *at = find_before(from, word, end);
    if (at) {
        at += strlen(word);
        snprintf(value, 64, "%.*s", (int)strcspn(at, "\""), at);
    }
}

/// A rod as a link on a joint, across the axis that all loops of these machines turn about.
static int write_rod(const char *rod, const char *end, char *out, size_t room)
{
    char name[64], from[64], mass[64], length[64];
    attribute(rod, "name", end, name);
    attribute(rod, "from", end, from);
    attribute(rod, "mass", end, mass);
    attribute(rod, "length", end, length);
    const double m = atof(mass), l = atof(length), I = m * l * l / 12;
    if (!(m > 0.0)) {
        return 0;
    }
    return snprintf(out, room,
                    "<joint name=\"%s_end\" type=\"revolute\" axis=\"0 1 0\" from=\"%s\" "
                    "to=\"%s\"/><link name=\"%s\" mass=\"%g\" center=\"%g 0 0\" "
                    "inertia=\"%g %g %g\"/>",
                    name, from, name, name, m, l / 2, 1e-3 * I, I, I);
}

char *cut_loops(const char *text, size_t *size)
{
    static const char dependent[] = "dependent=\"true\"";
    const size_t room = 4 * *size + 1; // a rod's link is some three times as long
    char *out = malloc(room);
    size_t n = 0;
    for (const char *at = text; out && *at;) {
        const char *end = *at == '<' ? strchr(at, '>') : NULL;
        if (end && strncmp(at, "<rod ", 5) == 0) {
            n += (size_t)write_rod(at, end, out + n, room - n);
            at = end + 1;
        } else if (end && strncmp(at, "<joint ", 7) == 0 &&
                   find_before(at, "closing=\"true\"", end)) {
            at = end + 1;
        } else if (strncmp(at, dependent, sizeof dependent - 1) == 0) {
            at += sizeof dependent - 1;
        } else {
            out[n++] = *at++;
        }
    }
    if (out) {
        out[n] = '\0';
        *size = n;
    }
    return out;
}
