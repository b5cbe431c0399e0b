// The choice of frames that segment.h describes.
#include "segment.h"

#include <stddef.h>
#include <string.h>

// What a product of two rotations may be off in any entry.
static const double ROUNDING = 4e-16;

// Cosine and sine of an angle.
typedef struct angle {
    double c, s;
} angle;

static angle angle_of(double c, double s)
{
    const double length = hypot(c, s);
    return (angle){c / length, s / length};
}

static lw_mat3 about_z(angle t)
{
    const lw_mat3 R = {{{t.c, -t.s, 0}, {t.s, t.c, 0}, {0, 0, 1}}};
    return R;
}

static lw_mat3 about_x(angle t)
{
    const lw_mat3 R = {{{1, 0, 0}, {0, t.c, -t.s}, {0, t.s, t.c}}};
    return R;
}

typedef struct euler {
    angle alpha, beta, gamma;
} euler;

// R = Rz(alpha) Rx(beta) Rz(gamma). The third column is (sin alpha sin beta, -cos alpha sin beta,
// cos beta). Where sin beta is small alpha is uncertain by as much as it does not matter, because
// gamma is what remains of R.
static euler euler_of(const lw_mat3 *R)
{
    const double x = R->row[0].z, y = R->row[1].z;
    euler e = {{1, 0}, {R->row[2].z < 0.0 ? -1.0 : 1.0, 0}, {1, 0}};
    if (hypot(x, y) > ROUNDING) {
        e.alpha = angle_of(-y, x);
        e.beta = angle_of(R->row[2].z, hypot(x, y));
        if (fabs(e.beta.c) < ROUNDING) {
            e.beta = (angle){0, 1};
        }
    }
    const lw_mat3 Z = about_z(e.alpha), X = about_x(e.beta);
    const lw_mat3 ZX = lw_mul3(&Z, &X);
    const lw_mat3 rest_of_R = lw_transpose3(&ZX);
    const lw_mat3 G = lw_mul3(&rest_of_R, R);
    e.gamma = angle_of(G.row[0].x + G.row[1].y, G.row[1].x - G.row[0].y);
    return e;
}

static bool is_about_z(lw_tree_joint carrier)
{
    return carrier == LW_TREE_REVOLUTE || carrier == LW_TREE_PRISMATIC || carrier == LW_TREE_SCREW;
}

static void set_inertia(lwi_segment *s, const lw_inertia *body, const lw_mat3 *R_BS)
{
    const lw_mat3 R_SB = lw_transpose3(R_BS);
    const lw_vec3 h = lw_rotate(&R_SB, body->first_moment);
    const lw_sym3 I = lw_sym3_rotate(&R_SB, &body->tensor);
    const double half_trace = (I.xx + I.yy + I.zz) / 2;
    const double second[6] = {
        half_trace - I.xx, half_trace - I.yy, half_trace - I.zz, -I.xy, -I.xz, -I.yz};
    s->mass = body->mass;
    s->mass_behind = body->mass;
    s->h[0] = h.x;
    s->h[1] = h.y;
    s->h[2] = h.z;
    s->has_mass = body->mass != 0.0;
    for (int k = 0; k < 6; ++k) {
        s->second[k] = second[k];
        s->has_mass = s->has_mass || second[k] != 0.0;
    }
}

// phi of each body, and of the world, which it returns: alpha of the first child whose axis is not
// parallel to its own.
static angle choose_frames(const lw_model *m, lwi_segment *segment)
{
    angle world = {1.0, 0.0};
    for (int i = 0; i < m->nbody; ++i) {
        segment[i].cos_phi = 1.0;
        segment[i].sin_phi = 0.0;
    }
    for (int i = m->nbody - 1; i >= 0; --i) {
        const int p = m->parent[i];
        const euler e = euler_of(&m->X_PJ[i].R);
        if (e.beta.s == 0.0) {
            continue;
        }
        if (p < 0) {
            world = e.alpha;
        } else if (is_about_z(m->carrier[p])) {
            segment[p].cos_phi = e.alpha.c;
            segment[p].sin_phi = e.alpha.s;
        }
    }
    return world;
}

static bool is_identity(const lw_mat3 *R)
{
    const lw_mat3 one = lw_mat3_identity();
    for (int i = 0; i < 3; ++i) {
        if (R->row[i].x != one.row[i].x || R->row[i].y != one.row[i].y ||
            R->row[i].z != one.row[i].z) {
            return false;
        }
    }
    return true;
}

static void set_placement(const lw_model *m, lwi_segment *segment, angle world, int i)
{
    lwi_segment *s = &segment[i];
    const int p = m->parent[i];
    const angle none = {1, 0};
    const angle phi = {s->cos_phi, s->sin_phi};
    const angle phi_P = p >= 0 ? (angle){segment[p].cos_phi, segment[p].sin_phi} : world;
    const lw_mat3 R_BS = about_z(phi), R_PT = about_z(phi_P);
    const lw_mat3 R_TP = lw_transpose3(&R_PT);
    const lw_mat3 R_TB = lw_mul3(&R_TP, &m->X_PJ[i].R);
    const lw_mat3 R = lw_mul3(&R_TB, &R_BS);
    const lw_vec3 offset = lw_rotate(&R_TP, m->X_PJ[i].p);
    euler e = euler_of(&R);
    // Where phi was chosen for this child, what is left of alpha is rounding. Half a turn is none
    // with the other sign of beta.
    s->is_askew = fabs(e.alpha.s) > ROUNDING;
    if (!s->is_askew) {
        const double sign = e.alpha.c < 0.0 ? -1.0 : 1.0;
        e.alpha = none;
        e.beta.s *= sign;
        e.gamma = (angle){sign * e.gamma.c, sign * e.gamma.s};
    }
    s->cos_alpha = e.alpha.c;
    s->sin_alpha = e.alpha.s;
    s->cos_beta = e.beta.c;
    s->sin_beta = e.beta.s;
    s->cos_gamma = e.gamma.c;
    s->sin_gamma = e.gamma.s;
    s->is_shifted = is_identity(&m->X_PJ[i].R);
    s->p[0] = offset.x;
    s->p[1] = offset.y;
    s->p[2] = offset.z;
    set_inertia(s, &m->inertia[i], &R_BS);
}

int lwi_fill_segments(const lw_model *m, lwi_segment *segment, double world_phi[2])
{
    int ngeneral = 0;
    const angle world = choose_frames(m, segment);
    world_phi[0] = world.c;
    world_phi[1] = world.s;
    for (int i = 0; i < m->nbody; ++i) {
        lwi_segment *s = &segment[i];
        const int p = m->parent[i];
        set_placement(m, segment, world, i);
        s->parent = p;
        s->carrier = (int)m->carrier[i];
        s->q = m->q_start[i];
        s->v = m->v_start[i];
        s->nv = m->v_start[i + 1] - m->v_start[i];
        s->subtree_end = m->subtree_end[i];
        s->v_end = m->v_start[m->subtree_end[i]];
        s->lead = m->carrier[i] == LW_TREE_SCREW ? m->lead[i] : 0.0;
        s->general = is_about_z(m->carrier[i]) ? -1 : ngeneral++;
        s->rotation = m->carrier[i] != LW_TREE_REVOLUTE || s->is_askew ? LWI_ROTATION_ANY
                      : s->sin_beta == 0.0 && s->cos_beta > 0.0        ? LWI_ROTATION_PARALLEL
                      : s->cos_beta == 0.0 && s->sin_beta > 0.0        ? LWI_ROTATION_SQUARE
                                                                       : LWI_ROTATION_OBLIQUE;
        s->is_fork = s->is_kept = 0;
        if (p >= 0 && p != i - 1) {
            segment[p].is_fork = segment[p].is_kept = 1;
        }
        s->v_parent = p >= 0 ? m->v_start[p + 1] - 1 : -1;
    }
    for (int i = m->nbody - 1; i >= 0; --i) {
        if (m->parent[i] >= 0) {
            segment[m->parent[i]].mass_behind += segment[i].mass_behind;
        }
    }
    for (int k = 0; k < 2 * m->nloop; ++k) {
        const int body = m->frame[m->loop[k / 2].frame[k % 2]].body;
        if (m->loop[k / 2].mass > 0.0 && body >= 0) {
            segment[body].is_kept = 1;
        }
    }
    return ngeneral;
}

bool lwi_fill_passive(const lw_model *m, lwi_passive *passive)
{
    bool acts = false;
    for (int i = 0; i < m->nbody; ++i) {
        const bool has_positions =
            m->q_start[i + 1] - m->q_start[i] == m->v_start[i + 1] - m->v_start[i];
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            const lw_dof *f = &m->dof[k];
            passive[k] = (lwi_passive){.q = has_positions ? m->q_start[i] + k - m->v_start[i] : -1,
                                       .rotor = f->rotor_inertia,
                                       .damping = f->damping,
                                       .friction = f->friction,
                                       .stiffness = has_positions ? f->stiffness : 0.0,
                                       .rest = f->spring_rest};
            acts = acts || f->rotor_inertia != 0.0 || f->damping != 0.0 || f->friction != 0.0 ||
                   passive[k].stiffness != 0.0;
        }
    }
    return acts;
}

int lwi_fill_loads(const lw_model *m, const lwi_segment *segment, const double world_phi[2],
                   lwi_load *load)
{
    const lw_mat3 R_WS = about_z((angle){world_phi[0], world_phi[1]});

    int count = 0;
    for (int k = 0; k < m->nload; ++k) {
        const lw_load_info *from = &m->load[k];
        if (from->body < 0) {
            continue;
        }
        const lwi_segment *s = &segment[from->body];
        const lw_mat3 R_BS = about_z((angle){s->cos_phi, s->sin_phi});
        const lw_mat3 R_SB = lw_transpose3(&R_BS);
        const lw_mat3 R_SF = lw_mul3(&R_SB, &from->X_BF.R);
        const bool is_in_world = from->axes == LW_IN_WORLD;
        const lw_vec3 p = lw_rotate(&R_SB, from->X_BF.p);
        const lw_vec3 f = is_in_world ? lw_rotate_back(&R_WS, from->force) //
                                      : lw_rotate(&R_SF, from->force);
        const lw_vec3 t =
            is_in_world ? lw_rotate_back(&R_WS, from->torque) : lw_rotate(&R_SF, from->torque);
        load[count++] = (lwi_load){.body = from->body,
                                   .is_in_world = is_in_world,
                                   .p = {p.x, p.y, p.z},
                                   .force = {f.x, f.y, f.z},
                                   .torque = {t.x, t.y, t.z}};
    }
    return count;
}

// Both records have the same fields: integers, then numbers from `first` on.
static void to_float(const void *from, size_t first, size_t size, void *to, size_t first_of_to)
{
    const double *x = (const double *)((const char *)from + first);
    float *y = (float *)((char *)to + first_of_to);
    memcpy(to, from, first_of_to);
    for (size_t k = 0; k < (size - first) / sizeof *x; ++k) {
        y[k] = (float)x[k];
    }
}

void lwi_segment_to_float(const lwi_segment *from, lwi_segment32 *to)
{
    to_float(from, offsetof(lwi_segment, cos_alpha), sizeof *from, to,
             offsetof(lwi_segment32, cos_alpha));
}

void lwi_passive_to_float(const lwi_passive *from, lwi_passive32 *to)
{
    to_float(from, offsetof(lwi_passive, rotor), sizeof *from, to, offsetof(lwi_passive32, rotor));
}

void lwi_load_to_float(const lwi_load *from, lwi_load32 *to)
{
    to_float(from, offsetof(lwi_load, p), sizeof *from, to, offsetof(lwi_load32, p));
}
