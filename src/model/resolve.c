// Pass 4: couplings. Finds whose freedom follows whose, within the instance that the coupling was
// described in.
#include "build.h"

#include "../base/report.h"

#include <stdio.h>
#include <string.h>

static const char *const position_word[][7] = {
    [LW_JOINT_CYLINDRICAL] = {"angle", "travel"},
    [LW_JOINT_UNIVERSAL] = {"first", "second"},
    [LW_JOINT_SPHERICAL] = {"qw", "qx", "qy", "qz"},
    [LW_JOINT_PLANAR] = {"x", "y", "angle"},
    [LW_JOINT_FREE] = {"x", "y", "z", "qw", "qx", "qy", "qz"},
    [LW_JOINT_USER] = {NULL},
};

static const char *const velocity_word[][6] = {
    [LW_JOINT_CYLINDRICAL] = {"angle", "travel"},
    [LW_JOINT_UNIVERSAL] = {"first", "second"},
    [LW_JOINT_SPHERICAL] = {"wx", "wy", "wz"},
    [LW_JOINT_PLANAR] = {"x", "y", "angle"},
    [LW_JOINT_FREE] = {"wx", "wy", "wz", "vx", "vy", "vz"},
    [LW_JOINT_USER] = {NULL},
};

const char *lwi_freedom_suffix(lw_joint_type type, int nv, int i, bool positions, char text[16])
{
    if (type == LW_JOINT_USER && nv > 1) {
        snprintf(text, 16, "%d", i + 1);
        return text;
    }
    const char *word = positions ? position_word[type][i] : velocity_word[type][i];
    return word ? word : "";
}

// A freedom that can follow or be followed has one position and one velocity.
static bool is_scalar(lw_joint_type type)
{
    return type != LW_JOINT_SPHERICAL && type != LW_JOINT_FREE;
}

static lw_status report_unknown(lwi_build *b, const lwi_instance *instance, const char *name,
                                lw_place place)
{
    lwi_nearest nearest;
    lwi_nearest_init(&nearest, name);
    for (int p = 0; p < instance->mech->part.count; ++p) {
        if (instance->mech->part.at[p].kind == LWI_JOINT) {
            lwi_nearest_offer(&nearest, instance->mech->part.at[p].name);
        }
    }
    return lwi_report_error(b->report, place, LW_ERR_NAME, "there is no joint \"%s\"%s%s%s", name,
                            nearest.best ? "; did you mean \"" : "",
                            nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
}

// The joint of a name, and which of its freedoms: "joint" for joints of one freedom,
// "joint.freedom" for the others.
static lw_status find_freedom(lwi_build *b, const lwi_instance *instance, const char *name,
                              lw_place place, int *tree_v)
{
    const lwi_names *names = &instance->mech->names[LWI_JOINT];
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
        return report_unknown(b, instance, name, place);
    }
    const lwi_flat *flat = &b->flat[instance->first_flat + part];
    if (flat->joint < 0) {
        return LW_ERR_MODEL; // hangs on nothing, which span has reported
    }
    const lw_joint_info *joint = &b->joint[flat->joint].info;
    if (joint->nv == 0 || !is_scalar(joint->type)) {
        return lwi_report_error(
            b->report, place, LW_ERR_MODEL,
            "joint \"%s\" is %s: it has no freedom that can follow or be followed", name,
            lw_joint_type_name(joint->type));
    }
    for (int i = 0; i < joint->nv; ++i) {
        char text[16];
        if (strcmp(lwi_freedom_suffix(joint->type, joint->nv, i, false, text), suffix) == 0) {
            *tree_v = joint->v + i;
            return LW_OK;
        }
    }
    char first[16];
    return lwi_report_error(b->report, place, LW_ERR_NAME,
                            "joint \"%s\" is %s; name one of its %d freedoms, such as \"%s.%s\"",
                            flat->name, lw_joint_type_name(joint->type), joint->nv, flat->name,
                            lwi_freedom_suffix(joint->type, joint->nv, 0, false, first));
}

static lw_status add_coupling(lwi_build *b, const lwi_instance *instance,
                              const lw_coupling_def *def)
{
    int target, source;
    lw_status status = find_freedom(b, instance, def->dependent, def->place, &target);
    if (status == LW_OK) {
        status = find_freedom(b, instance, def->source, def->place, &source);
    }
    if (status != LW_OK) {
        return status == LW_ERR_MEMORY ? status : LW_OK; // reported; other couplings still count
    }
    b->coupling[b->ncoupling++] = (lwi_built_coupling){def, source, target};
    return LW_OK;
}

lw_status lwi_pass_resolve(lwi_build *b)
{
    int most = 0;
    for (int i = 0; i < b->ninstance; ++i) {
        most += b->instance[i].mech->coupling.count;
    }
    b->coupling = lwi_arena_take(b->arena, (size_t)most, sizeof *b->coupling);
    if (!b->coupling) {
        return lwi_build_no_memory(b);
    }
    for (int i = 0; i < b->ninstance; ++i) {
        const lwi_instance *instance = &b->instance[i];
        for (int c = 0; c < instance->mech->coupling.count; ++c) {
            const lw_status status = add_coupling(b, instance, &instance->mech->coupling.at[c]);
            if (status != LW_OK) {
                return status;
            }
        }
    }
    return LW_OK;
}
