// Inverse kinematics beyond the chain: what a loop beside it gives, and platforms on three pairs of
// rods, leg by leg.
#include "inverse_solver.h"

#include "../model/kernel.h"
#include "../model/program.h"

// The pose of a body at zero position of the tree.
static lw_pose pose_at_zero(const lw_model *m, int body)
{
    lw_pose X = lw_pose_identity();
    for (int i = body; i >= 0; i = m->parent[i]) {
        X = lw_pose_mul(&m->X_PJ[i], &X);
    }
    return X;
}

static lw_vec3 axis_of(const lw_pose *X)
{
    return lw_vec3_of(X->R.row[0].z, X->R.row[1].z, X->R.row[2].z);
}

static int position_of(const lw_model *m, int body)
{
    for (int i = 0; i < m->nq; ++i) {
        if (m->q_tree[i] == m->q_start[body]) {
            return i;
        }
    }
    return -1;
}

// --- Loops beside a chain ---------------------------------------------------------------------

static lwi_angle angle_at_reference(const lw_model *m, int body, double sense)
{
    const double x = sense * m->tree_q_reference[m->q_start[body]];
    return (lwi_angle){sin(x), cos(x)};
}

// Where the dependent joint and the pin of one side of the loop are in the reference configuration.
static void place_side(const lw_model *m, const int *body, lw_vec3 h, const lw_vec3 at[3],
                       lw_vec3 out[2])
{
    lwi_angle q[2];
    for (int i = 0; i < 2; ++i) {
        const lw_pose X = pose_at_zero(m, body[i]);
        q[i] = angle_at_reference(m, body[i], lw_dot3(axis_of(&X), h));
    }
    const lw_vec3 way = lwi_rotate_about(h, q[1], lw_sub3(at[2], at[1]));
    out[0] = lw_add3(at[0], lwi_rotate_about(h, q[0], lw_sub3(at[1], at[0])));
    out[1] = lw_add3(out[0], lwi_rotate_about(h, q[0], way));
}

// Joints and pin of one side at zero position, within the plane; false where an axis is another.
static bool read_side(const lw_model *m, const lwi_loop *loop, int side, lw_vec3 h, lw_vec3 at[3])
{
    bool is_good = true;
    for (int i = 0; i < 3; ++i) {
        const int body = loop->path[side][i < 2 ? i : 1];
        const lw_pose X = pose_at_zero(m, body);
        at[i] = i < 2 ? X.p : lw_pose_apply(&X, loop->X[side].p);
        at[i] = lw_sub3(at[i], lw_scale3(lw_dot3(h, at[i]), h));
        is_good = is_good && m->carrier[body] == LW_TREE_REVOLUTE &&
                  fabs(lw_dot3(axis_of(&X), h)) > 1.0 - 1e-12;
    }
    return is_good;
}

static double moment_of(lw_vec3 h, lw_vec3 a, lw_vec3 b, lw_vec3 pin)
{
    return lw_dot3(h, lw_cross3(lw_sub3(pin, a), lw_sub3(pin, b)));
}

// Whether the side of a loop is two joints of the chain, one behind the other.
static bool is_of_chain(const lw_ik *ik, const lwi_loop *loop, int side, int *first)
{
    for (int i = 0; i + 1 < ik->info.njoint; ++i) {
        if (ik->chain.body[i] == loop->path[side][0] &&
            ik->chain.body[i + 1] == loop->path[side][1]) {
            *first = i;
            return true;
        }
    }
    return false;
}

bool lwi_leg_of(lwi_solver *a)
{
    const lw_ik *ik = a->ik;
    const lw_model *m = ik->model;
    const lwi_program *program = m->kernel->program;
    lwi_side_leg *leg = &a->leg;
    if (ik->info.ndriven != 1) {
        return false;
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &program->step[s];
        const lwi_loop *loop = step->nloop == 1 ? &program->loop[step->loop[0]] : NULL;
        if (step->kind != LW_STEP_PLANAR || !loop || loop->npath[0] != 2 || loop->npath[1] != 2) {
            continue;
        }
        const int side = is_of_chain(ik, loop, 0, &leg->first) ? 0 : 1;
        const int *own = loop->path[1 - side];
        leg->position = position_of(m, own[0]);
        if (!is_of_chain(ik, loop, side, &leg->first) || leg->position != ik->info.driven[0] ||
            ik->info.position[leg->first] < 0 || ik->info.position[leg->first + 1] >= 0) {
            continue;
        }
        const lw_pose X = pose_at_zero(m, own[0]);
        lw_vec3 here[2], there[2];
        leg->h = clean3(ik->chain.arm.h[leg->first], 1.0);
        leg->sense = lw_dot3(axis_of(&X), leg->h) < 0.0 ? -1.0 : 1.0;
        if (read_side(m, loop, side, leg->h, leg->chain) &&
            read_side(m, loop, 1 - side, leg->h, leg->own)) {
            place_side(m, loop->path[side], leg->h, leg->chain, here);
            place_side(m, own, leg->h, leg->own, there);
            leg->side = moment_of(leg->h, there[0], here[0], here[1]) < 0.0 ? -1.0 : 1.0;
            return true;
        }
    }
    return false;
}

static pair sensed(pair q, lw_vec3 axis, lw_vec3 h)
{
    return lw_dot3(axis, h) < 0.0 ? opposite(q) : q;
}

// The angle by which a joint brings the end of an orbit to a distance from a point, by the root of
// this sign: |w - R(h, q) u| = length.
static pair reach_rod(lwi_solver *a, const lwi_orbit *o, lwi_vec w, double length, int sign)
{
    lwi_graph *g = a->g;
    const double scale = a->scale, lengths = lw_dot3(o->fixed, o->fixed) +
                                             lw_dot3(o->along, o->along) - length * length;
    const lwi_expr s = vec_dot(g, number3(a, o->across, scale), w),
                   c = vec_dot(g, number3(a, o->along, scale), w),
                   fixed = vec_dot(g, number3(a, o->fixed, scale), w);
    const lwi_expr square = lwi_add(g, vec_dot(g, w, w), lwi_number(g, lengths));
    return root(a, s, c, lwi_sub(g, lwi_scale(g, 0.5, square), fixed), sign, scale * scale);
}

// The angle of the independent joint, for the pin where the chain has it.
static lwi_expr solve_leg(lwi_solver *a, int sign)
{
    lwi_graph *g = a->g;
    const lwi_side_leg *leg = &a->leg;
    const lw_vec3 h = leg->h, *own = leg->own, *chain = leg->chain;
    const int first = leg->first;
    const double scale = a->scale;
    const pair q1 = sensed(a->q[first], a->arm.h[first], h),
               q2 = sensed(a->q[first + 1], a->arm.h[first + 1], h);
    const lwi_orbit upper = orbit_of(h, lw_sub3(chain[1], chain[0])),
                    ahead = orbit_of(h, lw_sub3(chain[2], chain[1])),
                    crank = orbit_of(h, lw_sub3(own[1], own[0]));
    const lwi_vec last = on_orbit(a, &ahead, plus(a, q1, q2), scale),
                  pin = vec_add(g, on_orbit(a, &upper, q1, scale), last),
                  w = vec_add(g, pin, number3(a, lw_sub3(chain[0], own[0]), scale));
    const pair q = reach_rod(a, &crank, w, lw_norm3(lw_sub3(own[2], own[1])), sign);
    // The pin must be on the side of the dependent joints where the loop is closed.
    const lwi_vec rod = vec_sub(g, w, on_orbit(a, &crank, q, scale));
    const lwi_vec normal = number3(a, lw_scale3(leg->side, h), 1.0);
    const lwi_expr moment = vec_dot(g, normal, vec_cross(g, rod, last));
    require(a, lwi_add(g, moment, lwi_number(g, 1e-12 * scale * scale)));
    return angle_of(a, leg->sense < 0.0 ? opposite(q) : q);
}

static void write_row(lwi_solver *a, lwi_expr driven)
{
    const int n = a->arm.n, width = a->k->m->nq + 1;
    lwi_expr *row = a->out + a->row++ * width;
    for (int i = 0; i < n; ++i) {
        const int joint = a->is_reversed ? n - 1 - i : i;
        const int at = a->ik->info.position[joint];
        if (at >= 0) { // else the loops give it
            row[at] = a->arm.slides[i] ? a->slide[i] : angle_of(a, a->q[i]);
        }
    }
    if (a->has_leg) {
        row[a->leg.position] = driven;
    }
    row[width - 1] = a->is_real;
}

void lwi_keep_row(lwi_solver *a)
{
    const lwi_expr is_real = a->is_real;
    for (int sign = 1; sign >= (a->has_leg ? -1 : 1); sign -= 2) {
        a->is_real = is_real;
        write_row(a, a->has_leg ? solve_leg(a, sign) : LWI_ZERO);
    }
}

// --- Platforms on three pairs of rods ---------------------------------------------------------

static const lwi_step *spheres_step(const lw_ik *ik)
{
    const lw_model *m = ik->model;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->kernel->program->step[s];
        if (step->kind == LW_STEP_SPHERES && step->platform->body == m->frame[ik->def.tip].body) {
            return step;
        }
    }
    return NULL;
}

// The joint of a leg.
static int arm_of(const lw_ik *ik, const lwi_step *step, int k)
{
    const lwi_platform_leg *leg = &step->platform->leg[k];
    return ik->model->kernel->program->loop[leg->loop].path[leg->side][0];
}

bool lwi_spheres_of(const lw_ik *ik)
{
    const lw_model *m = ik->model;
    const lwi_step *step = ik->kind == LWI_IK_PLATFORM ? spheres_step(ik) : NULL;
    bool is_good = step && m->parent[step->platform->body] < 0;
    for (int k = 0; k < 3 && is_good; ++k) {
        const lwi_platform_leg *leg = &step->platform->leg[k];
        const int body = arm_of(ik, step, k);
        is_good = m->kernel->program->loop[leg->loop].npath[leg->side] == 1 &&
                  m->parent[body] < 0 && m->carrier[body] == LW_TREE_REVOLUTE &&
                  position_of(m, body) >= 0;
    }
    return is_good;
}

// The arm of leg k, for the origin P of the platform, and the centre of a sphere that P is on.
static pair solve_arm(lwi_solver *a, const lwi_step *step, int k, lwi_vec P, int sign,
                      lwi_vec *center)
{
    const lw_model *m = a->k->m;
    const lwi_platform_leg *leg = &step->platform->leg[k];
    const lwi_loop *loop = &m->kernel->program->loop[leg->loop];
    const lw_pose X = pose_at_zero(m, arm_of(a->ik, step, k));
    const lw_vec3 foot = lw_pose_apply(&X, loop->X[leg->side].p);
    const lwi_orbit o = orbit_of(clean3(axis_of(&X), 1.0), lw_sub3(foot, X.p));
    const lwi_vec origin = number3(a, lw_sub3(X.p, leg->tip), a->scale);
    const pair q = reach_rod(a, &o, vec_sub(a->g, P, origin), loop->length, sign);
    *center = vec_add(a->g, origin, on_orbit(a, &o, q, a->scale));
    return q;
}

void lwi_solve_spheres(lwi_solver *a)
{
    lwi_graph *g = a->g;
    const lw_model *m = a->k->m;
    const lwi_step *step = spheres_step(a->ik);
    const lw_pose *X_BF = &m->frame[a->ik->def.tip].X_BF;
    const lw_mat3 R = lw_mul3(&step->platform->R, &X_BF->R), back = lw_transpose3(&R);
    const lw_vec3 tip = lw_rotate(&back, lw_rotate(&step->platform->R, X_BF->p));
    const lwi_vec P = vec_sub(g, a->X.p, mat_apply(g, &a->X.R, number3(a, tip, a->scale)));
    for (int branch = 0; branch < 8; ++branch) {
        lwi_expr *row = a->out + branch * (m->nq + 1);
        lwi_vec center[3];
        a->is_real = LWI_ONE;
        for (int i = 0; i < 2; ++i) { // the platform does not rotate
            const lwi_vec column =
                vec_of(a->X.R.row[0].e[i], a->X.R.row[1].e[i], a->X.R.row[2].e[i]);
            require_same(a, column, number3(a, back.row[i], 1.0));
        }
        for (int k = 0; k < 3; ++k) {
            const int sign = branch >> k & 1 ? -1 : 1;
            const pair q = solve_arm(a, step, k, P, sign, &center[k]);
            row[position_of(m, arm_of(a->ik, step, k))] = angle_of(a, q);
        }
        // The platform must be on the side of the three centres where the loops are closed.
        const lwi_vec n =
            vec_cross(g, vec_sub(g, center[1], center[0]), vec_sub(g, center[2], center[0]));
        const lwi_expr side = vec_dot(g, vec_sub(g, P, center[0]), n);
        const double tolerance = 1e-12 * a->scale * a->scale * a->scale;
        require(a, lwi_add(g, step->branch < 0 ? lwi_neg(side) : side, lwi_number(g, tolerance)));
        row[m->nq] = a->is_real;
    }
}
