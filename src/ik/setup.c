// Creation of a lw_ik: memory, the chain, and its class.
#include "solve.h"

#include "../base/report.h"
#include "closed_chain.h"
#include "describe.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

lw_ik_def lw_default_ik_def(int base, int tip)
{
    const lw_ik_def def = {.base = base,
                           .tip = tip,
                           .hold = -1,
                           .swivel_axis = {0.0, 0.0, -1.0},
                           .swivel_reference = {0.0, 1.0, 0.0}};
    return def;
}

static bool is_valid(const lw_model *m, const lw_ik_def *def)
{
    return m && def && def->base >= -1 && def->base < m->nframe_all && def->tip >= 0 &&
           def->tip < m->nframe_all && def->task >= LW_IK_POSE && def->task <= LW_IK_PLANAR &&
           (unsigned)def->solver <= LW_IK_BY_SEARCH && def->tolerance >= 0.0 &&
           isfinite(def->tolerance) && def->iterations >= 0 && def->starts >= 0 &&
           (unsigned)def->redundancy <= LW_IK_SWIVEL_CONVENTIONAL &&
           def->hold >= (def->redundancy == LW_IK_HOLD ? 0 : -1) && def->hold < m->nq;
}

// Blocks of a lw_ik follow each other at multiples of 64 bytes.
typedef struct layout {
    size_t elimination, seed, tree, q, closed, data, size;
} layout;

static size_t after(size_t *size, size_t bytes)
{
    const size_t at = *size;
    *size = (at + bytes + 63) / 64 * 64;
    return at;
}

static layout layout_of(const lw_model *m)
{
    layout at;
    size_t size = 0;
    after(&size, sizeof(lw_ik));
    at.elimination = after(&size, sizeof(lwi_elimination));
    at.seed = after(&size, sizeof(double) * (size_t)m->nq);
    at.tree = after(&size, sizeof(double) * (size_t)m->tree_nq);
    at.q = after(&size, sizeof(double) * (size_t)m->nq * LWI_IK_SOLUTIONS);
    lwi_slicer count = {0};
    if (m->nstep > 0) {
        lwi_closed_chain_lay_out(m, &count);
    }
    at.closed = after(&size, count.used);
    at.data = after(&size, m->nstep > 0 ? lw_data_size(m) : 0);
    at.size = size;
    return at;
}

size_t lw_ik_size(const lw_model *m, const lw_ik_def *def)
{
    return is_valid(m, def) ? layout_of(m).size : 0;
}

static const lw_location nowhere = {0};

static const char *frame_name(const lw_model *m, int frame)
{
    return frame < 0 ? "world" : m->frame[frame].name;
}

int lwi_ik_body_of(const lw_ik *ik, int i)
{
    return i < LW_IK_JOINTS ? ik->chain.body[i] : ik->closed->driven_body[i - LW_IK_JOINTS];
}

static void list_coordinates(lw_ik *ik)
{
    const lw_model *m = ik->model;
    ik->ncoordinate = 0;
    for (int i = 0; i < LW_IK_JOINTS + ik->info.ndriven; ++i) {
        const bool is_joint = i < LW_IK_JOINTS;
        if (is_joint && (i >= ik->chain.arm.n || ik->info.position[i] < 0)) {
            continue;
        }
        const int body = lwi_ik_body_of(ik, i), dof = m->v_start[body];
        lwi_ik_coordinate *c = &ik->coordinate[ik->ncoordinate++];
        c->q = is_joint ? ik->info.position[i] : ik->info.driven[i - LW_IK_JOINTS];
        c->bit = i;
        c->lower = ik->def.ignores_limits ? -(double)INFINITY : m->dof[dof].lower;
        c->upper = ik->def.ignores_limits ? (double)INFINITY : m->dof[dof].upper;
        c->winds = !(ik->closed && ik->closed->has_rows) && m->carrier[body] == LW_TREE_REVOLUTE;
    }
}

// The joints of the chain: their positions in q, and their limits.
static lw_status find_joints(lw_ik *ik, lw_report *report)
{
    const lw_model *m = ik->model;
    int body = -1;
    const char *base = frame_name(m, ik->def.base), *tip = frame_name(m, ik->def.tip);
    const lw_status status =
        lwi_chain_find(m, ik->def.base, ik->def.tip, m->tree_q_reference, &ik->chain, &body);
    if (ik->closed && status == LW_ERR_ARGUMENT) {
        lwi_closed_chain_of(ik);
    }
    if (status == LW_ERR_ARGUMENT && ik->closed) {
        list_coordinates(ik);
        return LW_OK;
    }
    if (status == LW_ERR_ARGUMENT) {
        return lwi_report_error(report, nowhere, status,
                                "frames \"%s\" and \"%s\": no joint of one degree of freedom is "
                                "between them; choose frames that move against each other",
                                base, tip);
    }
    if (status == LW_ERR_LIMIT) {
        return lwi_report_error(report, nowhere, status,
                                "frames \"%s\" and \"%s\": more than %d joints are between them, "
                                "joint \"%s\" is one too many; begin the chain nearer to its "
                                "tip, by another base frame (--from)",
                                base, tip, LW_IK_JOINTS, m->joints[m->joint[body]].name);
    }
    if (status != LW_OK) {
        return lwi_report_error(report, nowhere, status,
                                "joint \"%s\" between frames \"%s\" and \"%s\" is a screw or a "
                                "user joint; inverse kinematics needs revolute and prismatic ones",
                                m->joints[m->joint[body]].name, base, tip);
    }
    for (int i = 0; i < ik->chain.arm.n; ++i) {
        const int tree = m->q_start[ik->chain.body[i]];
        const lw_dof *dof = &m->dof[m->v_start[ik->chain.body[i]]];
        ik->info.position[i] = -1;
        for (int k = 0; k < m->nq; ++k) {
            if (m->q_tree[k] == tree) {
                ik->info.position[i] = k;
            }
        }
        ik->lower[i] = ik->def.ignores_limits ? -(double)INFINITY : dof->lower;
        ik->upper[i] = ik->def.ignores_limits ? (double)INFINITY : dof->upper;
    }
    if (ik->closed) {
        lwi_closed_chain_of(ik);
    }
    list_coordinates(ik);
    return LW_OK;
}

static void fill_defaults(lw_ik *ik)
{
    ik->def.iterations = ik->def.iterations > 0 ? ik->def.iterations : 40;
    ik->def.starts = ik->def.starts > 0 ? ik->def.starts : 200;
    ik->tolerance = ik->def.tolerance;
    if (!(ik->tolerance > 0.0)) {
        // A base far from the origin, as in coordinates of a map, has coarser coordinates.
        const lwi_arm *arm = &ik->chain.arm;
        double far = lw_norm3(arm->X_BT.p);
        for (int i = 0; i < arm->n; ++i) {
            far = fmax(far, lw_norm3(arm->c[i]));
        }
        ik->tolerance = fmax(1e-12 * fmax(1.0, ik->length), 8.0 * DBL_EPSILON * far);
    }
}

static bool is_six_revolute(const lwi_arm *arm)
{
    bool is = arm->n == 6;
    for (int i = 0; i < arm->n; ++i) {
        is = is && !arm->slides[i];
    }
    return is;
}

// Chains of other than six revolute joints, and other tasks than the whole pose.
static void classify_few(lw_ik *ik)
{
    const lwi_arm *arm = &ik->chain.arm;
    lwi_few_of(arm, ik->rows, 1e-9, 1e-9, &ik->few);
    const bool is_exact = ik->few.kind != LWI_FEW_NONE && ik->few.kind != LWI_FEW_ELIMINATION;
    if (!is_exact && !ik->def.is_certain) {
        lwi_few_of(arm, ik->rows, LWI_NEAR_ANGLE, LWI_NEAR_DISTANCE, &ik->few);
        ik->is_near = ik->few.kind != LWI_FEW_NONE && ik->few.kind != LWI_FEW_ELIMINATION;
        if (!ik->is_near) {
            lwi_few_of(arm, ik->rows, 1e-9, 1e-9, &ik->few);
        }
    }
    if (ik->few.kind == LWI_FEW_NONE) {
        return;
    }
    ik->kind = LWI_IK_FEW;
    ik->length = ik->few.scale;
    if (ik->few.kind == LWI_FEW_ELIMINATION) {
        ik->nrole = ik->def.is_certain ? 4 : 2;
        lwi_choose_roles(&ik->few.arm, ik->elimination, LWI_IK_ROLES, ik->role);
    }
}

static int rows_of(lw_ik_task task)
{
    return task == LW_IK_POSE ? 6 : task == LW_IK_DIRECTION ? 5 : 3;
}

lw_status lwi_ik_classify(lw_ik *ik, lw_report *report)
{
    const lwi_arm *arm = &ik->chain.arm;
    ik->kind = LWI_IK_NUMERIC;
    ik->is_near = false;
    ik->nrole = 1;
    ik->rows = ik->def.task == LW_IK_POSITION    ? LWI_ROWS_POSITION
               : ik->def.task == LW_IK_DIRECTION ? LWI_ROWS_DIRECTION
                                                 : LWI_ROWS_POSE;
    ik->frames = lwi_frames_of(arm);
    ik->kernels = lwi_get_ik_kernels();
    ik->six = lwi_six_of(arm, 1e-9, 1e-9);
    ik->length = ik->six.scale;
    ik->info.rows = rows_of(ik->def.task);
    const bool is_taken = ik->closed && lwi_closed_chain_takes(ik);
    // A joint that is held leaves a chain of its own; with several to spare it is searched.
    const bool is_held = ik->def.redundancy == LW_IK_HOLD && arm->n > ik->info.rows;
    if (ik->def.solver == LW_IK_BY_ELIMINATION &&
        (is_taken || ik->def.task != LW_IK_POSE || !is_six_revolute(arm))) {
        return lwi_report_error(report, nowhere, LW_ERR_UNSUPPORTED,
                                "elimination is for the pose of six revolute joints outside of "
                                "loops; leave the solver to the class of the chain");
    }
    if (is_taken) {
        ik->length = lwi_closed_chain_length(ik);
    } else if (ik->def.solver == LW_IK_BY_SEARCH) {
        ik->six.is_reversed = false; // no class
    } else if (ik->def.task == LW_IK_POSE && is_six_revolute(arm)) {
        ik->kind = LWI_IK_SIX;
        if (ik->def.solver == LW_IK_BY_ELIMINATION) {
            ik->six.kind = LWI_SIX_GENERAL;
            ik->six.nfact = 0;
            ik->six.margin = 0.0;
        } else if (ik->six.kind == LWI_SIX_GENERAL) {
            ik->six = lwi_six_of(arm, LWI_NEAR_ANGLE, LWI_NEAR_DISTANCE);
        }
        ik->is_near = lwi_six_is_near(&ik->six);
        if (ik->six.kind == LWI_SIX_GENERAL) {
            ik->kind = LWI_IK_GENERAL;
        }
        if (ik->six.kind == LWI_SIX_GENERAL || ik->is_near) {
            ik->nrole = ik->def.is_certain ? 4 : 2;
            lwi_choose_roles(arm, ik->elimination, LWI_IK_ROLES, ik->role);
        }
    } else if (arm->n <= 6 && !is_held) {
        classify_few(ik);
    }
    if (!ik->closed && ik->kind == LWI_IK_NUMERIC && ik->def.solver == LW_IK_BEST &&
        arm->n == ik->info.rows + 1) {
        lwi_redundant_classify(ik);
    }
    fill_defaults(ik);
    lwi_ik_describe(ik);
    ik->info.dof = ik->closed ? lwi_closed_chain_dof(ik) : arm->n;
    const lw_status status = lwi_redundancy_check(ik, report);
    if (status == LW_OK && ik->info.rows > ik->info.dof) {
        lwi_report_warning(report, nowhere, LW_DIAG_IK_ROWS,
                           "the task has %d rows, but the chain has %d degree%s of freedom: "
                           "targets that it cannot reach are approximated by least squares",
                           ik->info.rows, ik->info.dof, ik->info.dof == 1 ? "" : "s");
    }
    return status;
}

lw_status lw_ik_init(const lw_model *m, const lw_ik_def *def, void *mem, lw_ik **ik,
                     lw_report *report)
{
    if (!ik) {
        return LW_ERR_ARGUMENT;
    }
    *ik = NULL;
    if (!is_valid(m, def) || !mem || (uintptr_t)mem % 64 != 0) {
        return lwi_report_error(report, nowhere, LW_ERR_ARGUMENT,
                                "inverse kinematics: the model, a frame or an option is null or "
                                "out of range");
    }
    const layout at = layout_of(m);
    char *block = mem;
    memset(block, 0, at.size - (m->nstep > 0 ? lw_data_size(m) : 0));
    lw_ik *self = mem;
    self->model = m;
    self->def = *def;
    self->elimination = (lwi_elimination *)(void *)(block + at.elimination);
    self->seed = (double *)(void *)(block + at.seed);
    self->tree = (double *)(void *)(block + at.tree);
    self->q = (double *)(void *)(block + at.q);
    lwi_slicer closed = {.base = block + at.closed};
    self->closed = m->nstep > 0 ? lwi_closed_chain_lay_out(m, &closed) : NULL;
    if (m->nstep > 0) {
        lw_data_init(m, block + at.data, &self->data);
    }
    lw_status status = find_joints(self, report);
    if (status == LW_OK) {
        status = lwi_ik_classify(self, report);
    }
    if (status == LW_OK) {
        *ik = self;
    }
    return status;
}

lw_status lw_ik_create(const lw_model *m, const lw_ik_def *def, lw_ik **ik, lw_report *report)
{
    if (!ik) {
        return LW_ERR_ARGUMENT;
    }
    *ik = NULL;
    const size_t size = lw_ik_size(m, def);
    void *mem = size > 0 ? aligned_alloc(64, size) : NULL;
    if (size > 0 && !mem) {
        return lwi_report_error(report, nowhere, LW_ERR_MEMORY, "inverse kinematics: no memory");
    }
    const lw_status status = lw_ik_init(m, def, mem, ik, report);
    if (status != LW_OK) {
        free(mem);
    }
    return status;
}

void lw_ik_destroy(lw_ik *ik)
{
    free(ik);
}

const lw_ik_info *lw_ik_describe(const lw_ik *ik)
{
    return ik ? &ik->info : NULL;
}
