// The lists of a model by number, for programs that do not read its struct.
#include <linkwork/names.h>

#include <string.h>

int lw_model_count(const lw_model *m, lw_list list)
{
    if (!m) {
        return 0;
    }
    const int count[LW_LIST_COUNT] = {
        [LW_LIST_BODIES] = m->nbody,      [LW_LIST_POSITIONS] = m->nq,
        [LW_LIST_VELOCITIES] = m->nv,     [LW_LIST_TREE_VELOCITIES] = m->tree_nv,
        [LW_LIST_FRAMES] = m->nframe_all, [LW_LIST_LINKS] = m->nlink,
        [LW_LIST_JOINTS] = m->njoint,     [LW_LIST_STEPS] = m->nstep,
        [LW_LIST_LOOPS] = m->nloop,       [LW_LIST_GEARS] = m->ngear,
        [LW_LIST_DRIVES] = m->ndrive,     [LW_LIST_LOADS] = m->nload,
        [LW_LIST_SPRINGS] = m->nspring,   [LW_LIST_SHAPES] = m->nshape,
        [LW_LIST_WHEELS] = m->nwheel,
    };
    return (int)list >= 0 && list < LW_LIST_COUNT ? count[list] : 0;
}

const char *lw_model_name(const lw_model *m, lw_list list, int index)
{
    if (index < 0 || index >= lw_model_count(m, list)) {
        return NULL;
    }
    switch (list) {
    case LW_LIST_BODIES:
        return m->body_name[index];
    case LW_LIST_POSITIONS:
        return m->position_name[index];
    case LW_LIST_VELOCITIES:
        return m->velocity_name[index];
    case LW_LIST_TREE_VELOCITIES:
        return m->tree_velocity_name[index];
    case LW_LIST_FRAMES:
        return m->frame[index].name;
    case LW_LIST_LINKS:
        return m->link[index].name;
    case LW_LIST_JOINTS:
        return m->joints[index].name;
    case LW_LIST_STEPS:
        return m->step[index].name;
    case LW_LIST_LOOPS:
        return m->loop[index].name;
    case LW_LIST_GEARS:
        return m->gear[index].name;
    case LW_LIST_DRIVES:
        return m->drive[index].name;
    case LW_LIST_LOADS:
        return m->load[index].name;
    case LW_LIST_SPRINGS:
        return m->spring[index].name;
    case LW_LIST_SHAPES:
        return m->shape[index].name;
    case LW_LIST_WHEELS:
        return m->wheel[index].name;
    case LW_LIST_COUNT:
        break;
    }
    return NULL;
}

int lw_model_find(const lw_model *m, lw_list list, const char *name)
{
    const int count = lw_model_count(m, list);
    for (int i = 0; name && i < count; ++i) {
        if (strcmp(lw_model_name(m, list, i), name) == 0) {
            return i;
        }
    }
    return -1;
}
