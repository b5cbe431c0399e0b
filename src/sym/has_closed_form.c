// Whether the equations of a mechanism are polynomials in sines, cosines and positions.

#include "closed_form.h"
#include "derivation.h"

#include <stdio.h>

// Joints that follow others at constant ratios leave polynomials polynomials.
static bool is_linear(const lw_step_info *step)
{
    return step->kind == LW_STEP_LINEAR ||
           (step->kind == LW_STEP_FUNCTION && step->law == LW_LAW_POLYNOMIAL &&
            step->ncoefficient <= 2);
}

bool lwi_has_closed_form(const lw_model *m, char why[LWI_WHY_SIZE])
{
    why[0] = '\0';
    if (m->nv > LWI_MOST_EXPANDED) {
        snprintf(why, LWI_WHY_SIZE,
                 "written out in sines and cosines, the equations of so many joints explode");
    }
    for (int s = 0; s < m->nstep && !why[0]; ++s) {
        const lw_step_info *step = &m->step[s];
        if (!is_linear(step)) {
            snprintf(why, LWI_WHY_SIZE,
                     "joint \"%.80s\" follows by a %s, which makes it no polynomial in sines and "
                     "cosines",
                     m->tree_velocity_name[step->target[0]],
                     step->kind == LW_STEP_FUNCTION ? "coupling that is not linear" : "loop");
        }
    }
    for (int i = 0; i < m->nbody && !why[0]; ++i) {
        const lw_sym3 *I = &m->inertia[i].tensor;
        if (m->carrier[i] != LW_TREE_REVOLUTE && m->carrier[i] != LW_TREE_PRISMATIC) {
            snprintf(why, LWI_WHY_SIZE, "joint \"%.80s\" is neither revolute nor prismatic",
                     m->joints[m->joint[i]].name);
        } else if (!(m->inertia[i].mass > 0.0) && (I->xx != 0.0 || I->yy != 0.0 || I->zz != 0.0)) {
            snprintf(why, LWI_WHY_SIZE,
                     "the link behind joint \"%.80s\" has moments of inertia but no mass",
                     m->joints[m->joint[i]].name);
        }
    }
    if (!why[0] && m->nloop > 0) {
        snprintf(why, LWI_WHY_SIZE, "it has loops");
    }
    return !why[0];
}
