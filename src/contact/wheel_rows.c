// Wheels in their places: what they hang on, where they touch the ground, and how contacts move.
#include "wheel_rows.h"

#include "../base/arena.h"
#include "../kin/closure.h"
#include "../kin/unit.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Work space -------------------------------------------------------------------------------

static int body_of_dof(const lw_model *m, int dof)
{
    int i = 0;
    while (m->v_start[i + 1] <= dof) {
        ++i;
    }
    return i;
}

// The last body that all wheels hang on, above their axles and steering joints.
static int find_base(const lw_model *m)
{
    int base = -1;
    for (int k = 0; k < m->nwheel; ++k) {
        const lw_wheel_info *wheel = &m->wheel[k];
        int i = m->parent[wheel->steer < 0 ? wheel->body : body_of_dof(m, wheel->steer)];
        if (k == 0) {
            base = i;
        }
        while (i != base) { // parents have smaller numbers
            if (i > base) {
                i = m->parent[i];
            } else {
                base = m->parent[base];
            }
        }
    }
    return base;
}

static int find_base_frame(const lw_model *m, int base)
{
    for (int k = 0; k < m->nframe && base >= 0; ++k) {
        if (m->frame[k].body == base) {
            return k;
        }
    }
    return -1;
}

void lwi_mark_sources(const lw_model *m, double *moves)
{
    for (int s = m->nstep - 1; s >= 0; --s) {
        const lw_step_info *step = &m->step[s];
        double any = 0.0;
        for (int t = 0; t < step->ntarget; ++t) {
            any = fmax(any, moves[step->target[t]]);
        }
        for (int t = 0; t < step->nsource; ++t) {
            moves[step->source[t]] = fmax(moves[step->source[t]], any);
        }
    }
}

// Marks in `moves` [tree_nv] what moves wheels against the base, axles and steering motors apart:
// joints on the way, and what these depend on.
static void mark_moving(const lw_wheels *w, double *moves)
{
    const lw_model *m = w->m;
    memset(moves, 0, (size_t)m->tree_nv * sizeof *moves);
    for (int k = 0; k < m->nwheel; ++k) {
        for (int i = m->parent[m->wheel[k].body]; i > w->base; i = m->parent[i]) {
            for (int v = m->v_start[i]; v < m->v_start[i + 1]; ++v) {
                moves[v] = 1.0;
            }
        }
    }
    for (int k = 0; k < m->nwheel; ++k) {
        if (m->wheel[k].steering == LW_STEERING_DRIVEN) {
            moves[m->wheel[k].steer] = 0.0;
        }
    }
    lwi_mark_sources(m, moves);
}

static lw_wheels *lay_out(const lw_model *m, lwi_slicer *s)
{
    lw_wheels scratch;
    lw_wheels *block = lwi_slice(s, 1, sizeof *block);
    lw_wheels *w = block ? block : &scratch;
    const size_t nwheel = (size_t)m->nwheel, most = 6 + (size_t)m->nv;
    const size_t nplace = (size_t)wheel_places(m);
    w->m = m;
    w->passive = lwi_slice(s, (size_t)m->nv, sizeof *w->passive);
    w->steer_body = lwi_slice(s, nwheel, sizeof *w->steer_body);
    w->contact = lwi_slice(s, nplace, sizeof *w->contact);
    w->tree_row = lwi_slice(s, (size_t)m->tree_nv, sizeof(double));
    w->row = lwi_slice(s, (size_t)m->tree_nv, sizeof(double));
    w->A = lwi_slice(s, 3 * nwheel * most, sizeof(double));
    w->At = lwi_slice(s, 3 * nwheel * most, sizeof(double));
    w->b = lwi_slice(s, 3 * nwheel, sizeof(double));
    w->fit = lwi_slice(s, 3 * nwheel + most, sizeof(double));
    w->sigma = lwi_slice(s, 3 * nwheel, sizeof(double));
    w->leverage = lwi_slice(s, 3 * nwheel, sizeof(double));
    const size_t n = 3 + (size_t)m->nv, nbound = nplace + 2 * (size_t)m->nv;
    w->unknown = lwi_slice(s, (size_t)m->nv, sizeof *w->unknown);
    w->active = lwi_slice(s, n, sizeof *w->active);
    w->is_edge = lwi_slice(s, n, sizeof *w->is_edge);
    w->gap = lwi_slice(s, nbound + 2 * n, sizeof(double));
    w->load = lwi_slice(s, 2 * nbound, sizeof(double));
    w->bound_row = lwi_slice(s, (nbound + 2 * n) * n, sizeof(double));
    w->curvature = lwi_slice(s, n * n, sizeof(double));
    w->close = lwi_slice(s, n, sizeof(double));
    w->matrix = lwi_slice(s, n * n, sizeof(double));
    w->inverse = lwi_slice(s, n * n, sizeof(double));
    w->step = lwi_slice(s, n, sizeof(double));
    w->force = lwi_slice(s, n, sizeof(double));
    w->gradient = lwi_slice(s, n, sizeof(double));
    w->trial = lwi_slice(s, (size_t)m->nq, sizeof(double));
    w->center_J = lwi_slice(s, 3 * (size_t)m->nv, sizeof(double));
    w->touch = lwi_slice(s, 2 * nplace, sizeof(double));
    w->kept = lwi_slice(s, (size_t)m->nq, sizeof(double));
    w->kept_touch = lwi_slice(s, 2 * nplace, sizeof(double));
    return block;
}

// Castors turn about what they stand on, and do not carry the base up or down.
static void find_unknowns(lw_wheels *w)
{
    const lw_model *m = w->m;
    w->nunknown = 3;
    for (int k = 0; k < w->npassive; ++k) {
        bool is_castor = false;
        for (int i = 0; i < m->nwheel; ++i) {
            is_castor |= m->wheel[i].steer == m->v_tree[w->passive[k]];
        }
        if (!is_castor && lw_position_of_dof(m, w->passive[k]) >= 0) {
            w->unknown[w->nunknown++ - 3] = w->passive[k];
        }
    }
    w->nbound = wheel_places(m) + 2 * (w->nunknown - 3);
    w->is_warm = w->is_standing = false;
}

size_t lw_wheels_size(const lw_model *m)
{
    lwi_slicer s = {0};
    if (!m || m->nwheel == 0) {
        return 0;
    }
    lay_out(m, &s);
    return s.used;
}

lw_status lw_wheels_init(const lw_model *m, void *mem, lw_wheels **wheels)
{
    if (!m || m->nwheel == 0 || !mem || !wheels) {
        return LW_ERR_ARGUMENT;
    }
    lwi_slicer s = {.base = mem};
    lw_wheels *w = lay_out(m, &s);
    w->base = find_base(m);
    w->base_frame = find_base_frame(m, w->base);
    w->npassive = 0;
    mark_moving(w, w->tree_row);
    for (int k = 0; k < m->nv; ++k) {
        if (w->tree_row[m->v_tree[k]] > 0.0) {
            w->passive[w->npassive++] = k;
        }
    }
    for (int k = 0; k < m->nwheel; ++k) {
        w->steer_body[k] = m->wheel[k].steer < 0 ? -1 : body_of_dof(m, m->wheel[k].steer);
    }
    find_unknowns(w);
    *wheels = w;
    return LW_OK;
}

lw_status lw_wheels_create(const lw_model *m, lw_wheels **wheels)
{
    if (!wheels) {
        return LW_ERR_ARGUMENT;
    }
    *wheels = NULL;
    const size_t size = lw_wheels_size(m);
    const size_t aligned = (size + LWI_ALIGN - 1) / LWI_ALIGN * LWI_ALIGN;
    void *mem = size ? aligned_alloc(LWI_ALIGN, aligned) : NULL;
    return size == 0 ? LW_ERR_ARGUMENT : !mem ? LW_ERR_MEMORY : lw_wheels_init(m, mem, wheels);
}

void lw_wheels_destroy(lw_wheels *wheels)
{
    free(wheels);
}

lw_wheels_info lw_wheels_describe(const lw_wheels *wheels)
{
    const lw_wheels_info none = {-1, -1, 0, NULL};
    return wheels ? (lw_wheels_info){wheels->base, wheels->base_frame, wheels->npassive,
                                     wheels->passive}
                  : none;
}

// --- Contacts ---------------------------------------------------------------------------------

// The deepest point against n of a torus is on the circle of radius r - s, where that is deepest,
// and s below.
bool lwi_place_contact(const lw_wheel_info *wheel, lw_vec3 normal, lw_wheel_contact *at)
{
    const lw_vec3 t = lw_cross3(at->axis, normal);
    const double length = lw_norm3(t);
    if (!(length > 1e-9)) {
        return false;
    }
    at->normal = normal;
    at->forward = lw_scale3(1.0 / length, t);
    at->side = lw_cross3(normal, at->forward);
    const lw_vec3 up = lw_cross3(at->forward, at->axis);
    at->point = lw_sub3(lw_sub3(at->center, lw_scale3(wheel->radius - wheel->section, up)),
                        lw_scale3(wheel->section, normal));
    at->angle = atan2(at->forward.z, up.z);
    return true;
}

void lwi_place_wheels(const lw_data *d, lw_wheels *w)
{
    const lw_model *m = w->m;
    w->X_WF = lw_pose_identity();
    if (w->base >= 0) {
        w->X_WF = d->X_WB[w->base];
        if (w->base_frame >= 0) {
            w->X_WF = lw_pose_mul(&d->X_WB[w->base], &m->frame[w->base_frame].X_BF);
        }
    }
    for (int k = 0; k < m->nwheel; ++k) {
        const lw_pose *X = &d->X_WB[m->wheel[k].body];
        w->contact[k].center = lw_pose_apply(X, m->wheel[k].center);
        w->contact[k].axis = lw_rotate(&X->R, m->wheel[k].axis);
    }
}

static lw_vec3 up_of(const lw_wheels *w)
{
    return lw_vec3_of(w->X_WF.R.row[0].z, w->X_WF.R.row[1].z, w->X_WF.R.row[2].z);
}

lw_status lw_wheel_contacts(const lw_model *m, lw_data *d, lw_wheels *wheels, const double *q,
                            const lw_vec3 *normal, lw_wheel_contact *contact)
{
    if (!m || !wheels || wheels->m != m) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = lw_forward_position(m, d, q);
    if (status != LW_OK) {
        return status;
    }
    lwi_closure_angles(m, d);
    lwi_place_wheels(d, wheels);
    const lw_vec3 up = up_of(wheels);
    for (int k = 0; k < m->nwheel; ++k) {
        const lw_vec3 n = normal ? normal[k] : up;
        const double length = lw_norm3(n);
        if (!isfinite(length) || !(length > 0.0)) {
            return LW_ERR_NUMBER;
        }
        if (!lwi_place_contact(&m->wheel[k], lw_scale3(1.0 / length, n), &wheels->contact[k])) {
            return LW_ERR_SINGULAR;
        }
        if (contact) {
            contact[k] = wheels->contact[k];
        }
    }
    return LW_OK;
}

// --- Rows -------------------------------------------------------------------------------------

void lwi_wheel_row(const lw_data *d, lw_wheels *w, const double *tree_q, int body, lw_vec3 point,
                   lw_vec3 direction)
{
    const lw_model *m = w->m;
    memset(w->tree_row, 0, (size_t)m->tree_nv * sizeof *w->tree_row);
    for (int i = body; i > w->base; i = m->parent[i]) {
        lw_motion S[LW_MAX_DOF];
        const int n = unit_motions(m, d, tree_q, i, S);
        const lw_vec3 arm = lw_sub3(point, d->X_WB[i].p);
        for (int k = 0; k < n; ++k) {
            w->tree_row[m->v_start[i] + k] =
                lw_dot3(direction, lw_add3(S[k].lin, lw_cross3(S[k].ang, arm)));
        }
    }
}

void lwi_wheel_unknowns(const lw_data *d, lw_wheels *w, lw_vec3 point, lw_vec3 direction,
                        double *row)
{
    const lw_model *m = w->m;
    const lw_vec3 e = lw_rotate_back(&w->X_WF.R, direction);
    const lw_vec3 c = lw_rotate_back(&w->X_WF.R, lw_sub3(point, w->X_WF.p));
    const lw_vec3 turn = lw_cross3(c, e);
    const double of_base[6] = {turn.x, turn.y, turn.z, e.x, e.y, e.z};
    memcpy(row, of_base, sizeof of_base);
    const double *out = w->tree_row;
    if (m->nstep) {
        lwi_closure_transpose(m, d, w->tree_row, 1, w->row);
        out = w->row;
    }
    for (int k = 0; k < w->npassive; ++k) {
        row[6 + k] = out[w->passive[k]];
    }
}
