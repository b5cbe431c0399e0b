// The places of parts, put into the block and looked up.
#include "pack.h"

#include <string.h>

// A file's name stands once for all places in a row that share it.
static void put_location(lwi_slicer *s, lw_location location, lw_location *at, const char **file,
                         const char **copy)
{
    if (location.file && (!*file || strcmp(location.file, *file) != 0)) {
        *file = location.file;
        *copy = lwi_put_text(s, location.file);
    }
    if (at) {
        at->file = location.file ? *copy : NULL;
        at->line = location.line;
        at->column = location.column;
    }
}

static lw_location location_of_joint(const lwi_build *b, int j)
{
    return b->joint[j].flat >= 0 ? b->flat[b->joint[j].flat].location : (lw_location){0};
}

void lwi_put_places(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lwi_locations *places = lwi_slice(s, 1, sizeof *places);
    lw_location *joint = lwi_slice(s, (size_t)b->njoint, sizeof *joint);
    lw_location *step = lwi_slice(s, (size_t)b->nstep, sizeof *step);
    lw_location *spring = lwi_slice(s, (size_t)b->nspring, sizeof *spring);
    const char *file = NULL, *copy = NULL;
    for (int i = 0; i < b->njoint; ++i) {
        put_location(s, location_of_joint(b, i), joint ? &joint[i] : NULL, &file, &copy);
    }
    for (int i = 0; i < b->nstep; ++i) {
        put_location(s, b->step[i].location, step ? &step[i] : NULL, &file, &copy);
    }
    for (int f = 0, i = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if ((flat->kind == LW_PART_SPRING || flat->kind == LW_PART_TORSION) && !flat->is_left_out) {
            put_location(s, flat->location, spring ? &spring[i] : NULL, &file, &copy);
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
static lw_location pick(const lw_location *list, int i, int n)
{
    return list && i >= 0 && i < n ? list[i] : (lw_location){0};
}

lw_location lwi_joint_location(const lw_model *m, int joint)
{
    const lwi_locations *places = m->kernel->places;
    return pick(places ? places->joint : NULL, joint, m->njoint);
}

lw_location lwi_step_location(const lw_model *m, int step)
{
    const lwi_locations *places = m->kernel->places;
    return pick(places ? places->step : NULL, step, m->nstep);
}

lw_location lwi_spring_location(const lw_model *m, int spring)
{
    const lwi_locations *places = m->kernel->places;
    return pick(places ? places->spring : NULL, spring, m->nspring);
}

lw_location lwi_dof_location(const lw_model *m, int v)
{
    int i = 0;
    while (i < m->nbody && m->v_start[i + 1] <= v) {
        ++i;
    }
    return i < m->nbody ? lwi_joint_location(m, m->joint[i]) : (lw_location){0};
}
