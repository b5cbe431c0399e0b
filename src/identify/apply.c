// Estimated parameters put back into a description.
#include "regression.h"

#include "../base/report.h"

#include <math.h>
#include <string.h>

static lw_status unknown_part(lw_report *report, const char *name)
{
    return lwi_report_error(report, (lw_location){0}, LW_ERR_UNSUPPORTED,
                            "\"%s\" is part of an assembly, which cannot be changed for one use",
                            name);
}

static lw_status set_link(lw_mech *mech, const char *name, const lw_inertia *I, lw_report *report)
{
    lw_link_def def;
    const lw_part part = lw_find_part(mech, name, LW_PART_LINK);
    if (lw_get_link_def(mech, part, &def) != LW_OK) {
        return unknown_part(report, name);
    }
    const double mass = I->mass;
    const lw_vec3 h = I->first_moment;
    const lw_vec3 c = mass > 0.0 ? lw_scale3(1.0 / mass, h) : (lw_vec3){0.0, 0.0, 0.0};
    const double cc = lw_dot3(c, c);
    const lw_sym3 T = I->tensor;
    def.mass = mass;
    def.inertial = lw_placement_xyz(c.x, c.y, c.z);
    def.inertia = (lw_sym3){T.xx - mass * (cc - c.x * c.x), T.yy - mass * (cc - c.y * c.y),
                            T.zz - mass * (cc - c.z * c.z), T.xy + mass * c.x * c.y,
                            T.xz + mass * c.x * c.z,        T.yz + mass * c.y * c.z};
    return lw_set_link_def(mech, part, &def);
}

// The whole body in its first link, nothing in the others that are fixed to it.
static lw_status set_body(const lw_regression *r, const lwi_body_columns *b, const double *ten,
                          lw_mech *mech, lw_report *report)
{
    const lw_model *m = r->m;
    const lw_inertia I = lwi_inertia_of_ten(ten), none = {0};
    lw_status status = LW_OK;
    for (int k = 0; k < m->nlink && status == LW_OK; ++k) {
        if (m->frame[m->link[k].frame].body == b->body && (k == b->link || m->link[k].mass > 0.0)) {
            status = set_link(mech, m->link[k].name, k == b->link ? &I : &none, report);
        }
    }
    return status;
}

static lw_status set_joint(const lw_regression *r, const lwi_joint_column *c, double value,
                           lw_mech *mech, lw_report *report)
{
    const char *name = r->m->joints[c->joint].name;
    lw_joint_def def;
    const lw_part part = lw_find_part(mech, name, LW_PART_JOINT);
    if (lw_get_joint_def(mech, part, &def) != LW_OK) {
        return unknown_part(report, name);
    }
    switch (c->kind) {
    case LW_COLUMN_VISCOUS:
        def.dof[0].damping = value;
        break;
    case LW_COLUMN_COULOMB:
        def.dof[0].friction = value;
        break;
    case LW_COLUMN_ROTOR:
        def.dof[0].rotor_inertia = value;
        break;
    case LW_COLUMN_SPRING:
        def.dof[0].stiffness = value;
        break;
    case LW_COLUMN_OFFSET:
        return LW_OK; // of the sensor, not of the mechanism
    }
    return lw_set_joint_def(mech, part, &def);
}

lw_status lw_identify_apply(const lw_regression *r, const lw_estimate *estimate, lw_mech *mech,
                            lw_report *report)
{
    if (!r || !estimate || !estimate->full || !mech) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = LW_OK;
    for (int i = 0; i < r->nbody && status == LW_OK; ++i) {
        status = set_body(r, &r->body[i], estimate->full + i * LWI_TEN, mech, report);
    }
    for (int i = 0; i < r->njoint && status == LW_OK; ++i) {
        status = set_joint(r, &r->joint[i], estimate->full[LWI_TEN * r->nbody + i], mech, report);
    }
    return status;
}
