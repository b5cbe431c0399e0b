// Adding, reading, updating and removing parts of every kind, by the table of kinds.
#include "edit.h"

#include "validate.h"

#include <string.h>

LWI_NEXT(lwi_part, part)

enum { REASON_CAPACITY = 2048 }; ///< bytes for the first thing that is wrong with an update

const lwi_part *lwi_part_at(const lw_mech *mech, lw_part part)
{
    const bool is_there = mech && part.index >= 0 && part.index < mech->part.count;
    return is_there && mech->part.at[part.index].kind != LW_PART_REMOVED
               ? &mech->part.at[part.index]
               : NULL;
}

int lw_get_part_count(const lw_mech *mech)
{
    return mech ? mech->part.count : 0;
}

lw_part_kind lw_get_part_kind(const lw_mech *mech, lw_part part)
{
    const lwi_part *p = lwi_part_at(mech, part);
    return p ? p->kind : LW_PART_REMOVED;
}

const char *lw_get_part_name(const lw_mech *mech, lw_part part)
{
    const bool is_there = mech && part.index >= 0 && part.index < mech->part.count;
    return is_there ? mech->part.at[part.index].name : "";
}

// --- Adding -----------------------------------------------------------------------------------

lw_part lwi_add_part(lw_mech *mech, lw_part_kind kind, void *def, const char *name,
                     lw_location location)
{
    lwi_part *part = next_part(mech);
    const char *kept = lwi_keep_text(mech, name ? name : "");
    const int index = mech->part.count;
    if (!part || !kept || !def ||
        (lwi_names_find(&mech->names[kind], kept) < 0 &&
         !lwi_names_add(&mech->names[kind], kept, index))) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    *part = (lwi_part){.kind = kind,
                       .def = def,
                       .name = kept,
                       .location = lwi_keep_location(mech, location),
                       .feeder = no_port,
                       .feeder2 = no_port,
                       .set = index,
                       .first_frame = -1,
                       .last_frame = -1,
                       .first_shape = -1,
                       .last_shape = -1};
    ++mech->part.count;
    mech->name_bytes += (long long)strlen(kept) + 1;
    mech->has_slash |= strchr(kept, '/') != NULL;
    return (lw_part){index};
}

// The numbers that a definition points to, and where the pointer is.
static const double **numbers_of(const lwi_kind_row *row, void *def)
{
    return (const double **)(void *)((char *)def + row->numbers);
}

// Copies what the definition `def`, which is one of the description, points to. Numbers go to where
// the `old` definition has as many, so that updates of numbers take no memory.
static lw_status keep_numbers(lw_mech *mech, const lwi_kind_row *row, void *def, void *old)
{
    static const double one = 1.0;
    if (!row->numbers) {
        return LW_OK;
    }
    const int n = row->count(def);
    const double **at = numbers_of(row, def);
    double *copy = old && row->count(old) >= n
                       ? (double *)*numbers_of(row, old)
                       : lwi_arena_take(&mech->arena, (size_t)n, sizeof *copy);
    if (n > 0 && !copy) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    if (n > 0) {
        memmove(copy, *at ? *at : &one, (size_t)n * sizeof *copy);
    }
    *at = copy;
    return LW_OK;
}

static lw_status check_range(lw_mech *mech, const lwi_kind_row *row, const void *def,
                             const char *name)
{
    return !row->count || row->count(def) >= 0
               ? LW_OK
               : lwi_refuse(mech, LW_ERR_ARGUMENT, "%s \"%s\" has %s", row->name, name, row->range);
}

lw_part lwi_add_def(lw_mech *mech, lw_part_kind kind, const void *def)
{
    const lwi_kind_row *row = lwi_kind_row_of(kind);
    if (!lwi_may_edit(mech) || !def) {
        return no_part;
    }
    const char *name = *(const char *const *)def;
    name = name ? name : "";
    if (check_range(mech, row, def, name) != LW_OK) {
        return no_part;
    }
    void *kept = lwi_arena_take(&mech->arena, 1, row->size);
    if (!kept) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    memcpy(kept, def, row->size);
    const lw_location location =
        *(const lw_location *)(const void *)((const char *)def + row->location);
    const lw_part added = keep_numbers(mech, row, kept, NULL) == LW_OK
                              ? lwi_add_part(mech, kind, kept, name, location)
                              : no_part;
    if (added.index >= 0) {
        lwi_part *part = &mech->part.at[added.index];
        *(const char **)kept = part->name;
        *(lw_location *)(void *)((char *)kept + row->location) = part->location;
        part->role = row->role ? *(const lw_role *)(const void *)((const char *)def + row->role)
                               : LW_ROLE_BY_KIND;
        if (kind == LW_PART_GROUND && mech->ground < 0) {
            mech->ground = added.index;
        }
    }
    return added;
}

// --- Reading and updating ---------------------------------------------------------------------

static lw_status get_def(const lw_mech *mech, lw_part part, lw_part_kind kind, void *def)
{
    const lwi_part *p = lwi_part_at(mech, part);
    if (!p || !def || p->kind != kind) {
        return LW_ERR_ARGUMENT;
    }
    memcpy(def, p->def, lwi_kind_row_of(kind)->size);
    return LW_OK;
}

// Whether all ports of a part that are connected or exposed are what they were with its definition
// `old`.
static bool keeps_ports(lw_mech *mech, int index, void *old)
{
    lwi_part *part = &mech->part.at[index];
    void *own = part->def;
    bool is_same = true;
    for (int i = 0; i < mech->part.count + mech->axis_link.count + mech->gateway.count; ++i) {
        const int k = i - mech->part.count, g = k - mech->axis_link.count;
        lw_port port[2] = {no_port, no_port};
        if (g >= 0) {
            port[0] = mech->gateway.at[g].port;
        } else if (k >= 0) {
            port[0] = mech->axis_link.at[k].one;
            port[1] = mech->axis_link.at[k].other;
        } else {
            port[0] = mech->part.at[i].feeder;
            port[1] = mech->part.at[i].feeder2;
        }
        for (int side = 0; side < 2; ++side) {
            if (port[side].part.index == index) {
                part->def = old;
                const lwi_port_side before = lwi_port_side_of(mech, port[side]);
                part->def = own;
                is_same = is_same && lwi_port_side_of(mech, port[side]) == before;
            }
        }
    }
    return is_same;
}

// The first error of a definition that would take the place of that of a part.
static lw_status check_def(lw_mech *mech, const lwi_part *part, const void *def)
{
    char block[REASON_CAPACITY];
    const lwi_check check = {.report = lwi_report_create_fixed(block, sizeof block),
                             .mech = mech,
                             .part = part,
                             .what = lw_part_kind_name(part->kind),
                             .name = part->name};
    lwi_validate_def(&check, def);
    for (int i = 0; i < lw_report_count(check.report); ++i) {
        const lw_diagnostic found = lw_report_diagnostic(check.report, i);
        if (found.severity == LW_ERROR) {
            return lwi_refuse(mech, found.status, "%s", found.message);
        }
    }
    return LW_OK;
}

lw_status lwi_set_def(lw_mech *mech, lw_part part, lw_part_kind kind, const void *def)
{
    if (!mech || !def) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    const lwi_kind_row *row = lwi_kind_row_of(kind);
    if (lw_get_part_kind(mech, part) != kind) {
        return lwi_refuse(mech, LW_ERR_ARGUMENT, "%s \"%s\" is no %s",
                          lw_part_kind_name(lw_get_part_kind(mech, part)),
                          lw_get_part_name(mech, part), row->name);
    }
    lwi_part *p = &mech->part.at[part.index];
    lwi_any_def fresh;
    memcpy(&fresh, def, row->size);
    fresh.name = p->name;
    lw_location *location = (lw_location *)(void *)((char *)&fresh + row->location);
    *location = location->file ? lwi_keep_location(mech, *location) : p->location;
    lw_status status = check_range(mech, row, &fresh, p->name);
    status = status == LW_OK ? check_def(mech, p, &fresh) : status;
    if (status != LW_OK) {
        return status;
    }
    void *old = p->def;
    p->def = &fresh;
    const bool is_kept = keeps_ports(mech, part.index, old);
    p->def = old;
    if (!is_kept) {
        return lwi_refuse(mech, LW_ERR_PORT_TAKEN,
                          "%s \"%s\": a port that is connected would change; disconnect it first",
                          row->name, p->name);
    }
    status = keep_numbers(mech, row, &fresh, old);
    if (status == LW_OK) {
        p->location = *location;
        p->role = row->role ? *(const lw_role *)(void *)((char *)&fresh + row->role) : p->role;
        memcpy(old, &fresh, row->size);
    }
    return status;
}

#define KIND(name, KIND)                                                                           \
    lw_part lw_add_##name(lw_mech *mech, const lw_##name##_def *def)                               \
    {                                                                                              \
        return lwi_add_def(mech, LW_PART_##KIND, def);                                             \
    }                                                                                              \
    lw_status lw_get_##name##_def(const lw_mech *mech, lw_part part, lw_##name##_def *def)         \
    {                                                                                              \
        return get_def(mech, part, LW_PART_##KIND, def);                                           \
    }                                                                                              \
    lw_status lw_set_##name##_def(lw_mech *mech, lw_part part, const lw_##name##_def *def)         \
    {                                                                                              \
        return lwi_set_def(mech, part, LW_PART_##KIND, def);                                       \
    }

KIND(ground, GROUND)
KIND(link, LINK)
KIND(joint, JOINT)
KIND(load, LOAD)
KIND(wheel, WHEEL)
KIND(rod, ROD)
KIND(drive, DRIVE)
KIND(gearbox, GEARBOX)

// Springs and torsions have one definition.
lw_part lw_add_spring(lw_mech *mech, const lw_spring_def *def)
{
    return lwi_add_def(mech, LW_PART_SPRING, def);
}

lw_part lw_add_torsion(lw_mech *mech, const lw_spring_def *def)
{
    return lwi_add_def(mech, LW_PART_TORSION, def);
}

static lw_part_kind spring_or_torsion(const lw_mech *mech, lw_part part)
{
    const bool is_torsion = lw_get_part_kind(mech, part) == LW_PART_TORSION;
    return is_torsion ? LW_PART_TORSION : LW_PART_SPRING;
}

lw_status lw_get_spring_def(const lw_mech *mech, lw_part part, lw_spring_def *def)
{
    return get_def(mech, part, spring_or_torsion(mech, part), def);
}

lw_status lw_set_spring_def(lw_mech *mech, lw_part part, const lw_spring_def *def)
{
    return lwi_set_def(mech, part, spring_or_torsion(mech, part), def);
}
