#include "report/units.h"

#include <linkwork/shafts.h>

/// Of what rotates, of what slides, and of both.
static const char *const units[][3] = {
    [UNIT_OF_POSITION] = {"rad", "m", "rad or m"},
    [UNIT_OF_VELOCITY] = {"rad/s", "m/s", "rad/s or m/s"},
    [UNIT_OF_ACCELERATION] = {"rad/s^2", "m/s^2", "rad/s^2 or m/s^2"},
    [UNIT_OF_FORCE] = {"N m", "N", "N m or N"},
    [UNIT_OF_INERTIA] = {"kg m^2", "kg", "kg m^2, kg m or kg"},
};

// The last i with start[i] <= place.
static int owner_of(const int *start, int count, int location)
{
    int low = 0, high = count - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (start[middle] <= location) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static int body_of_velocity(const lw_model *m, int tree_v)
{
    return owner_of(m->v_start, m->nbody, tree_v);
}

int unit_body_of_position(const lw_model *m, int tree_q)
{
    return owner_of(m->q_start, m->nbody, tree_q);
}

bool unit_slides(const lw_model *m, int tree_v)
{
    const int i = body_of_velocity(m, tree_v);
    const bool is_travel = m->carrier[i] == LW_TREE_FREE && tree_v >= m->v_start[i] + 3;
    return m->carrier[i] == LW_TREE_PRISMATIC || is_travel;
}

enum { TURNS, SLIDES, EITHER };

// A shaft may be that of a linear motor, where there is anything for it to move.
static int kind_of_shafts(const lw_model *m)
{
    for (int i = 0; i < m->nbody; ++i) {
        if (unit_slides(m, m->v_start[i])) {
            return EITHER;
        }
    }
    return TURNS;
}

static int kind_of(const lw_model *m, int tree_v, int first_shaft, int of_shafts)
{
    return tree_v >= first_shaft ? of_shafts : unit_slides(m, tree_v) ? SLIDES : TURNS;
}

const char *unit_of_some(const lw_model *m, const int *tree_v, int count, unit_of what)
{
    const int first_shaft = m->tree_nv - lw_shaft_count(m), of_shafts = kind_of_shafts(m);
    int kind = count > 0 ? kind_of(m, tree_v[0], first_shaft, of_shafts) : EITHER;
    for (int k = 1; k < count; ++k) {
        kind = kind_of(m, tree_v[k], first_shaft, of_shafts) == kind ? kind : EITHER;
    }
    return units[what][kind];
}

const char *unit_of_all(const lw_model *m, unit_of what)
{
    return unit_of_some(m, m->v_tree, m->nv, what);
}

const char **unit_list(memory *pool, const lw_model *m, const int *tree_v, int count, unit_of what)
{
    const char **list = memory_get(pool, (size_t)count, sizeof *list);
    const int first_shaft = m->tree_nv - lw_shaft_count(m), of_shafts = kind_of_shafts(m);
    for (int k = 0; k < count; ++k) {
        list[k] = units[what][kind_of(m, tree_v[k], first_shaft, of_shafts)];
    }
    return list;
}
