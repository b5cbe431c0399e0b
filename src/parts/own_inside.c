// A description that several assemblies are made of, copied for one of them before a number of it
// is changed: texts and tables of names stay those of the original, which lives as long as the
// copy.
#include "edit.h"

#include <stdlib.h>
#include <string.h>

static void *copied(const void *from, int count, size_t size, bool *is_good)
{
    const size_t bytes = (size_t)count * size;
    void *copy = malloc(bytes > 0 ? bytes : 1);
    if (copy && bytes > 0) {
        memcpy(copy, from, bytes);
    }
    *is_good = *is_good && copy;
    return copy;
}

#define COPY_ARRAY(array)                                                                          \
    (array).at = copied((array).at, (array).count, sizeof *(array).at, &is_good);                  \
    (array).room = (array).count

// The definition of a part, with its list of numbers where it has one.
static bool copy_def(lw_mech *copy, lwi_part *part)
{
    const lwi_kind_row *row = lwi_kind_row_of(part->kind);
    const bool is_assembly = part->kind == LW_PART_ASSEMBLY;
    const size_t size = is_assembly ? sizeof(lwi_assembly) : row->size;
    char *def = lwi_arena_take(&copy->arena, 1, size);
    if (!def) {
        return false;
    }
    memcpy(def, part->def, size);
    part->def = def;
    if (!is_assembly && row->numbers) {
        const double **at = (const double **)(void *)(def + row->numbers);
        const size_t n = (size_t)row->count(def);
        double *number = lwi_arena_take(&copy->arena, n + 1, sizeof *number);
        if (!number) {
            return false;
        }
        if (n > 0) {
            memcpy(number, *at, n * sizeof *number);
        }
        *at = number;
    }
    return true;
}

static lw_mech *copy_of(lw_mech *original)
{
    lw_mech *copy = malloc(sizeof *copy);
    if (!copy) {
        return NULL;
    }
    *copy = *original;
    memset(&copy->arena, 0, sizeof copy->arena);
    copy->users = 1;
    copy->original = original;
    ++original->users;
    bool is_good = true;
    COPY_ARRAY(copy->part);
    COPY_ARRAY(copy->frame);
    COPY_ARRAY(copy->shape);
    COPY_ARRAY(copy->coupling);
    COPY_ARRAY(copy->gear);
    COPY_ARRAY(copy->gateway);
    COPY_ARRAY(copy->connection);
    COPY_ARRAY(copy->choice);
    COPY_ARRAY(copy->axis_link);
    for (int i = 0; i < copy->part.count && is_good; ++i) {
        lwi_part *part = &copy->part.at[i];
        is_good = part->kind == LW_PART_REMOVED || !part->def || copy_def(copy, part);
    }
    if (!is_good) {
        copy->nassembly = 0; // its assemblies have no user more yet
        lw_mech_destroy(copy);
        return NULL;
    }
    for (int i = 0; i < copy->part.count; ++i) {
        if (copy->part.at[i].kind == LW_PART_ASSEMBLY) {
            ++as_assembly(&copy->part.at[i])->inside->users;
        }
    }
    return copy;
}

lw_mech *lwi_own_inside(lw_mech *mech, int part)
{
    lwi_assembly *assembly = mech->part.at[part].def;
    lw_mech *inside = assembly->inside;
    if (inside->original && inside->users == 1) {
        return inside;
    }
    lw_mech *copy = copy_of(inside);
    if (copy) {
        assembly->inside = copy;
        lw_mech_destroy(inside); // one user less: the copy is another
    }
    return copy;
}
