// Couplings. Finds whose degree of freedom follows whose, within the instance that the coupling was
// described in.
#include "build.h"

#include "../base/report.h"

#include <stdio.h>
#include <string.h>

// The assembly that a name leads into, or null.
static const char *assembly_in(const lwi_instance *instance, const char *name,
                               char text[LWI_NAME_LIMIT + 1])
{
    const char *slash = strchr(name, '/');
    if (!slash || slash - name > LWI_NAME_LIMIT) {
        return NULL;
    }
    memcpy(text, name, (size_t)(slash - name));
    text[slash - name] = '\0';
    return lwi_names_find(&instance->mech->names[LW_PART_ASSEMBLY], text) >= 0 ? text : NULL;
}

static void report_unknown(lwi_build *b, const lwi_instance *instance, const char *name,
                           lw_location location)
{
    char text[LWI_NAME_LIMIT + 1];
    const char *assembly = assembly_in(instance, name, text);
    if (assembly) {
        lwi_report_error(b->report, location, LW_ERR_PORT_PROTECTED,
                         "\"%s\" is inside assembly \"%s\": a coupling belongs where its joints "
                         "are described",
                         name, assembly);
        return;
    }
    lw_nearest nearest;
    lw_nearest_init(&nearest, name);
    const lw_mech *mech = instance->mech;
    const bool is_wanted = b->suggestions++ < LWI_SUGGESTIONS;
    for (int p = 0; p < mech->part.count && is_wanted; ++p) {
        if (mech->part.at[p].kind == LW_PART_JOINT) {
            lw_nearest_offer(&nearest, mech->part.at[p].name);
        }
    }
    lwi_report_error(b->report, location, LW_ERR_NAME, "there is no joint \"%s\"%s%s%s", name,
                     nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
                     nearest.best ? "\"?" : "");
}

static void report_dof(lwi_build *b, const lwi_flat *flat, const lw_joint_def *joint,
                       lw_location location)
{
    const char *type = lw_joint_type_name(joint->type);
    char text[16];
    const char *first = lwi_dof_suffix(joint->type, lwi_joint_nv(joint), 0, false, text);
    if (*first) {
        lwi_report_error(
            b->report, location, LW_ERR_NAME,
            "joint \"%s\" is %s; name one of its %d degrees of freedom, such as \"%s.%s\"",
            flat->name, type, lwi_joint_nv(joint), flat->name, first);
    } else {
        lwi_report_error(
            b->report, location, LW_ERR_NAME,
            "joint \"%s\" is %s, and its one degree of freedom has the name of the joint",
            flat->name, type);
    }
}

// The joint of a name, and which of its degrees of freedom: "joint" for joints of one degree of
// freedom, "joint.dof" for the others. False, with the reason reported, where there
// is none.
static bool find_dof(lwi_build *b, const lwi_instance *instance, const char *name,
                     lw_location location, lwi_dof_at *found)
{
    const lwi_names *names = &instance->mech->names[LW_PART_JOINT];
    const char *suffix = "";
    int part = lwi_names_find(names, name);
    const char *dot = strrchr(name, '.');
    if (part < 0 && dot && dot - name <= LWI_NAME_LIMIT) {
        char stem[LWI_NAME_LIMIT + 1];
        memcpy(stem, name, (size_t)(dot - name));
        stem[dot - name] = '\0';
        part = lwi_names_find(names, stem);
        suffix = dot + 1;
    }
    if (part < 0) {
        report_unknown(b, instance, name, location);
        return false;
    }
    const lwi_flat *flat = &b->flat[instance->first_flat + part];
    const lw_joint_def *joint = as_joint(&instance->mech->part.at[part]);
    if (joint->closing || lwi_joint_nv(joint) == 0 ||
        lwi_joint_row_of(joint->type)->has_quaternion) {
        lwi_report_error(
            b->report, location, LW_ERR_MODEL,
            "joint \"%s\" is %s: it has no degree of freedom that can follow or be followed",
            flat->name, joint->closing ? "closing" : lw_joint_type_name(joint->type));
        return false;
    }
    for (int i = 0; i < lwi_joint_nv(joint); ++i) {
        char text[16];
        if (strcmp(lwi_dof_suffix(joint->type, lwi_joint_nv(joint), i, false, text), suffix) == 0) {
            *found = (lwi_dof_at){instance->first_flat + part, i};
            return true;
        }
    }
    report_dof(b, flat, joint, location);
    return false;
}

static void add_coupling(lwi_build *b, const lwi_instance *instance, const lw_coupling_def *def)
{
    if (!*def->dependent || !*def->source) {
        return; // reported as it was added
    }
    lwi_built_coupling coupling = {.def = def};
    const bool has_target =
        find_dof(b, instance, def->dependent, def->location, &coupling.target_at);
    const bool has_source = find_dof(b, instance, def->source, def->location, &coupling.source_at);
    if (has_target && has_source) {
        b->coupling[b->ncoupling++] = coupling;
    }
}

// A joint that is said to be dependent needs something to depend on. Where there are loops, gears
// or drives, whether these determine it is a question of rank, and close answers it.
static void check_dependents(lwi_build *b, const unsigned char *followers)
{
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        const lw_mech *mech = mech_of(b, flat);
        if ((flat->is_closer && flat->kind != LW_PART_SPRING) || mech->gear.count > 0 ||
            mech->axis_link.count > 0) {
            return;
        }
    }
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->kind != LW_PART_JOINT) {
            continue;
        }
        const lw_joint_def *joint = as_joint(part_of(b, flat));
        if (joint->dependent && followers[f] != (1u << lwi_joint_nv(joint)) - 1) {
            lwi_report_error(b->report, flat->location, LW_ERR_MODEL,
                             "joint \"%s\" is marked dependent, but no coupling determines %s",
                             flat->name,
                             lwi_joint_nv(joint) > 1 ? "all its degrees of freedom" : "it");
        }
    }
}

lw_status lwi_pass_resolve(lwi_build *b)
{
    int most = 0;
    for (int i = 0; i < b->ninstance; ++i) {
        most += b->instance[i].mech->coupling.count;
    }
    b->coupling = lwi_arena_take(b->arena, (size_t)most, sizeof *b->coupling);
    // One bit for each degree of freedom of a joint that follows another.
    unsigned char *followers = lwi_arena_take(b->arena, (size_t)b->nflat, 1);
    if (!b->coupling || !followers) {
        return lwi_build_no_memory(b);
    }
    for (int i = 0; i < b->ninstance; ++i) {
        const lwi_instance *instance = &b->instance[i];
        for (int c = 0; c < instance->mech->coupling.count; ++c) {
            add_coupling(b, instance, &instance->mech->coupling.at[c]);
        }
    }
    for (int k = 0; k < b->ncoupling; ++k) {
        const lwi_dof_at *target = &b->coupling[k].target_at;
        followers[target->flat] = (unsigned char)(followers[target->flat] | 1u << target->dof);
    }
    check_dependents(b, followers);
    return LW_OK;
}
