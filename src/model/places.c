// The places of parts, put into the block and asked for.
#include "pack.h"

#include <string.h>

// A file's name stands once for all places in a row that share it.
static void put_place(lwi_slicer *s, lw_place place, lw_place *at, const char **file,
                      const char **copy)
{
    if (place.file && (!*file || strcmp(place.file, *file) != 0)) {
        *file = place.file;
        *copy = lwi_put_text(s, place.file);
    }
    if (at) {
        at->file = place.file ? *copy : NULL;
        at->line = place.line;
        at->column = place.column;
    }
}

static lw_place place_of_joint(const lwi_build *b, int j)
{
    return b->joint[j].flat >= 0 ? b->flat[b->joint[j].flat].place : (lw_place){0};
}

void lwi_put_places(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lwi_places *places = lwi_slice(s, 1, sizeof *places);
    lw_place *joint = lwi_slice(s, (size_t)b->njoint, sizeof *joint);
    lw_place *step = lwi_slice(s, (size_t)b->nstep, sizeof *step);
    lw_place *spring = lwi_slice(s, (size_t)b->nspring, sizeof *spring);
    const char *file = NULL, *copy = NULL;
    for (int i = 0; i < b->njoint; ++i) {
        put_place(s, place_of_joint(b, i), joint ? &joint[i] : NULL, &file, &copy);
    }
    for (int i = 0; i < b->nstep; ++i) {
        put_place(s, b->step[i].place, step ? &step[i] : NULL, &file, &copy);
    }
    for (int f = 0, i = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if ((flat->kind == LWI_SPRING || flat->kind == LWI_TORSION) && !flat->is_left_out) {
            put_place(s, flat->place, spring ? &spring[i] : NULL, &file, &copy);
            ++i;
        }
    }
    if (places) {
        places->joint = joint;
        places->step = step;
        places->spring = spring;
        ((lwi_kernel *)m->kernel)->places = places;
    }
}

// A model that is still being compiled has none.
static lw_place pick(const lw_place *list, int i, int n)
{
    return list && i >= 0 && i < n ? list[i] : (lw_place){0};
}

lw_place lwi_joint_place(const lw_model *m, int joint)
{
    const lwi_places *places = m->kernel->places;
    return pick(places ? places->joint : NULL, joint, m->njoint);
}

lw_place lwi_step_place(const lw_model *m, int step)
{
    const lwi_places *places = m->kernel->places;
    return pick(places ? places->step : NULL, step, m->nstep);
}

lw_place lwi_spring_place(const lw_model *m, int spring)
{
    const lwi_places *places = m->kernel->places;
    return pick(places ? places->spring : NULL, spring, m->nspring);
}

lw_place lwi_freedom_place(const lw_model *m, int v)
{
    int i = 0;
    while (i < m->nbody && m->v_start[i + 1] <= v) {
        ++i;
    }
    return i < m->nbody ? lwi_joint_place(m, m->joint[i]) : (lw_place){0};
}
