#include "functions.h"

#include "../base/report.h"
#include "../math/wide.h"
#include "../model/locations.h"
#include "base_tree.h"
#include "evaluate.h"
#include "projected.h"
#include "spring_forces.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Coulomb friction for a velocity v, as lwi_coulomb_share() of dyn/friction.h has it.
static lwi_expr coulomb(lwi_machine *k, lwi_expr friction, lwi_expr v)
{
    lwi_graph *g = k->g;
    if (k->friction_speed == 0.0) {
        return lwi_mul(g, friction, lwi_sign(g, v));
    }
    const lwi_expr x = lwi_clamp(g, lwi_mul(g, lwi_number(g, 1.0 / k->friction_speed), v));
    const lwi_expr bend = lwi_mul(g, lwi_number(g, 0.5), lwi_mul(g, x, x));
    return lwi_mul(g, friction, lwi_mul(g, x, lwi_sub(g, lwi_number(g, 1.5), bend)));
}

void lwi_add_within(lwi_machine *k, const lwi_expr *v, const lwi_expr *a, lwi_expr *tau)
{
    lwi_graph *g = k->g;
    const lw_model *m = k->m;
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_sbody *b = &k->body[i];
        for (int j = b->v; j < b->v + b->nv; ++j) {
            const lwi_within *w = &k->within[j];
            lwi_expr sum = LWI_ZERO;
            if (v && w->damping != LWI_ZERO) {
                sum = lwi_add(g, sum, lwi_mul(g, w->damping, v[j]));
            }
            if (v && w->friction != LWI_ZERO) {
                sum = lwi_add(g, sum, coulomb(k, w->friction, v[j]));
            }
            if (v && w->stiffness != LWI_ZERO) {
                const lwi_expr stretch = lwi_sub(g, lwi_machine_position(k, i), w->rest);
                sum = lwi_add(g, sum, lwi_mul(g, w->stiffness, stretch));
            }
            if (a && w->rotor != LWI_ZERO) {
                sum = lwi_add(g, sum, lwi_mul(g, w->rotor, a[j]));
            }
            tau[j] = lwi_add(g, tau[j], sum);
        }
    }
    if (v) {
        lwi_add_springs(k, v, tau);
    }
}

// --- Dynamics ---------------------------------------------------------------------------------

// Room for the coordinates of the tree that the functions below pass on.
typedef struct tree_capacity {
    lwi_expr *u, *v, *a, *tau; ///< [tree_nv]
    lwi_expr *unit;            ///< [nv]
} tree_capacity;

static tree_capacity reserve(lwi_machine *k)
{
    const int n = k->m->tree_nv;
    return (tree_capacity){lwi_machine_room(k, n), lwi_machine_room(k, n), lwi_machine_room(k, n),
                           lwi_machine_room(k, n), lwi_machine_room(k, k->m->nv)};
}

// Forces for accelerations x [nv], or for none.
static void inverse_dynamics(lwi_machine *k, const tree_capacity *r, const lwi_expr *x,
                             lwi_expr *out)
{
    lwi_machine_spread(k, k->v, r->v);
    lwi_machine_accelerate(k, r->v, r->v, x, r->a);
    lwi_base_forces(k, r->v, r->a, r->tau);
    lwi_add_within(k, r->v, r->a, r->tau);
    lwi_machine_collect(k, r->tau, out);
}

static void set_unit(lwi_machine *k, const tree_capacity *r, int j, lwi_expr *tree)
{
    memset(r->unit, 0, (size_t)k->m->nv * sizeof *r->unit);
    r->unit[j] = LWI_ONE;
    lwi_machine_spread(k, r->unit, tree);
}

static void mass_matrix(lwi_machine *k, const tree_capacity *r, lwi_expr *M)
{
    const int n = k->m->nv;
    if (lwi_is_plain(k)) {
        lwi_projected_elements(k, M, NULL, NULL);
        return;
    }
    lwi_expr *column = lwi_machine_room(k, n);
    for (int j = 0; j < n && column; ++j) {
        set_unit(k, r, j, r->a);
        const lwi_motion_input in = {.a = r->a, .has_rods = true};
        lwi_newton_euler(k, &in, r->tau);
        lwi_add_within(k, NULL, r->a, r->tau);
        lwi_machine_collect(k, r->tau, column);
        for (int i = 0; i <= j; ++i) {
            M[i * n + j] = M[j * n + i] = column[i];
        }
    }
}

// Velocity forces for rates u along the motion v, both of the tree.
static void velocity_forces(lwi_machine *k, const tree_capacity *r, const lwi_expr *u,
                            const lwi_expr *v, lwi_expr *out)
{
    lwi_machine_accelerate(k, u, v, NULL, r->a);
    const lwi_motion_input in = {.u = u, .v = v, .a = r->a, .has_rods = true};
    lwi_newton_euler(k, &in, r->tau);
    for (int i = 0; i < k->m->tree_nv; ++i) {
        const lwi_expr rotor = lwi_mul(k->g, k->within[i].rotor, r->a[i]);
        r->tau[i] = lwi_add(k->g, r->tau[i], rotor);
    }
    lwi_machine_collect(k, r->tau, out);
}

static void coriolis_matrix(lwi_machine *k, const tree_capacity *r, lwi_expr *C)
{
    const int n = k->m->nv;
    if (lwi_is_plain(k)) {
        lwi_projected_coriolis(k, C);
        return;
    }
    lwi_expr *column = lwi_machine_room(k, n);
    lwi_machine_spread(k, k->v, r->v);
    for (int j = 0; j < n && column; ++j) {
        set_unit(k, r, j, r->u);
        velocity_forces(k, r, r->u, r->v, column);
        for (int i = 0; i < n; ++i) {
            C[i * n + j] = column[i];
        }
    }
}

static bool has_quaternion(const lw_model *m)
{
    return m->tree_nq != m->tree_nv;
}

static void christoffel(lwi_machine *k, const tree_capacity *r, lwi_expr *B)
{
    const int n = k->m->nv;
    if (lwi_is_plain(k)) {
        lwi_projected_elements(k, NULL, B, NULL);
        return;
    }
    lwi_expr *one = lwi_machine_room(k, n), *two = lwi_machine_room(k, n);
    for (int j = 0; j < n && one && two; ++j) {
        for (int l = j; l < n; ++l) {
            set_unit(k, r, j, r->u);
            set_unit(k, r, l, r->v);
            velocity_forces(k, r, r->u, r->v, one);
            if (l != j && has_quaternion(k->m)) {
                velocity_forces(k, r, r->v, r->u, two);
                for (int i = 0; i < n; ++i) {
                    const lwi_expr sum = lwi_add(k->g, one[i], two[i]);
                    one[i] = lwi_scale(k->g, 0.5, sum);
                }
            }
            for (int i = 0; i < n; ++i) {
                B[(i * n + j) * n + l] = B[(i * n + l) * n + j] = one[i];
            }
        }
    }
}

static void gravity(lwi_machine *k, const tree_capacity *r, lwi_expr *out)
{
    if (lwi_is_plain(k)) {
        lwi_projected_elements(k, NULL, NULL, out);
        return;
    }
    const lwi_motion_input in = {.has_gravity = true, .has_rods = true};
    lwi_newton_euler(k, &in, r->tau);
    lwi_machine_collect(k, r->tau, out);
}

// Loads alone: as seen by bodies without mass.
static void load_forces(lwi_machine *k, const tree_capacity *r, lwi_expr *out)
{
    lwi_mass *none = lwi_arena_take(&k->arena, (size_t)k->m->nbody + 1, sizeof *none);
    if (!none) {
        k->status = LW_ERR_MEMORY;
        return;
    }
    const lwi_motion_input in = {.mass = none, .has_loads = true};
    lwi_newton_euler(k, &in, r->tau);
    lwi_machine_collect(k, r->tau, out);
    for (int i = 0; i < k->m->nv; ++i) {
        out[i] = lwi_neg(out[i]);
    }
}

static void elements(lwi_machine *k, const tree_capacity *r, lwi_expr *out)
{
    const int n = k->m->nv;
    lwi_expr *M = lwi_machine_room(k, n * n), *B = lwi_machine_room(k, n * n * n);
    if (!M || !B) {
        return;
    }
    if (lwi_is_plain(k)) {
        lwi_projected_elements(k, M, B, out + lw_function_size(k->m, LW_FUNCTION_ELEMENTS) - n);
    } else {
        mass_matrix(k, r, M);
        christoffel(k, r, B);
        gravity(k, r, out + lw_function_size(k->m, LW_FUNCTION_ELEMENTS) - n);
    }
    int at = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = i; j < n; ++j) {
            out[at++] = M[i * n + j];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int l = j; l < n; ++l) {
                out[at++] = B[(i * n + j) * n + l];
            }
        }
    }
}

// --- Forward dynamics -------------------------------------------------------------------------

static lw_status no_inertia(lwi_machine *k, int dof)
{
    const lw_location location = lwi_dof_location(k->m, k->m->v_tree[dof]);
    return lwi_report_error(
        k->report, location, LW_ERR_SINGULAR,
        "the mass matrix is singular in every configuration: degree of freedom \"%s\" "
        "moves no inertia of its own",
        k->m->velocity_name[dof]);
}

// Whether a pivot vanishes wherever one looks; pivot and diagonal [n], in the order of elimination
// from the last degree of freedom.
static lw_status check_pivots(lwi_machine *k, const lwi_expr *pivot, const lwi_expr *diagonal)
{
    enum { STATES = 3 };
    const int n = k->m->nv;
    lw_status status = LW_ERR_MEMORY;
    lwi_arena arena = {0};
    double *q = lwi_arena_take(&arena, (size_t)k->m->nq + 1, sizeof *q);
    double *value = lwi_arena_take(&arena, 2 * (size_t)n + 1, sizeof *value);
    int *bad = lwi_arena_take(&arena, (size_t)n + 1, sizeof *bad);
    lwi_expr *both = lwi_arena_take(&arena, 2 * (size_t)n + 1, sizeof *both);
    if (!q || !value || !bad || !both) {
        goto done;
    }
    status = LW_OK;
    memcpy(both, pivot, (size_t)n * sizeof *both);
    memcpy(both + n, diagonal, (size_t)n * sizeof *both);
    for (int s = 0; s < STATES && status == LW_OK; ++s) {
        for (int i = 0; i < k->m->nq; ++i) {
            double sine, cosine;
            lwi_rounded_sincos(1.0 + 2.7 * i + s, &sine, &cosine);
            q[i] = k->m->q_reference[i] + 0.1 * (s + 1) * sine;
        }
        status = lwi_machine_evaluate(k, 2 * n, both, q, value);
        // What follows a vanishing pivot is not finite, and means nothing.
        status = status == LW_ERR_NUMBER ? LW_OK : status;
        for (int i = n - 1; i >= 0; --i) {
            if (!(fabs(value[i]) > 64 * DBL_EPSILON * fabs(value[n + i]))) {
                ++bad[i];
                break;
            }
        }
    }
    for (int i = n - 1; i >= 0 && status == LW_OK; --i) {
        status = bad[i] == STATES ? no_inertia(k, i) : LW_OK;
    }
done:
    lwi_arena_free(&arena);
    return status;
}

// M = L' D L from the last degree of freedom to the first: zeros between branches of the tree stay
// zeros.
static lw_status factor(lwi_machine *k, int n, lwi_expr *M, lwi_expr *inverse)
{
    lwi_graph *g = k->g;
    lwi_expr *diagonal = lwi_machine_room(k, n), *pivot = lwi_machine_room(k, n);
    if (!diagonal || !pivot) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        diagonal[i] = M[i * n + i];
    }
    for (int j = n - 1; j >= 0; --j) {
        pivot[j] = M[j * n + j];
        if (pivot[j] == LWI_ZERO) {
            // Where something went wrong before, zeros mean nothing.
            const lw_status before = k->status == LW_OK ? lwi_graph_status(g) : k->status;
            return before == LW_OK ? no_inertia(k, j) : before;
        }
        inverse[j] = lwi_div(g, LWI_ONE, pivot[j]);
        for (int i = j - 1; i >= 0; --i) {
            if (M[j * n + i] == LWI_ZERO) {
                continue;
            }
            const lwi_expr share = lwi_mul(g, M[j * n + i], inverse[j]);
            for (int l = 0; l <= i; ++l) {
                const lwi_expr part = lwi_mul(g, share, M[j * n + l]);
                M[i * n + l] = lwi_sub(g, M[i * n + l], part);
            }
            M[j * n + i] = share;
        }
    }
    const lw_status status = lwi_graph_status(g);
    return status == LW_OK ? check_pivots(k, pivot, diagonal) : status;
}

// a [nv] from M [nv*nv], and from the forces left over when the velocity forces are taken away;
// LW_ERR_SINGULAR, with a diagnostic, where a degree of freedom moves no inertia. M is changed.
static lw_status solve_motion(lwi_machine *k, lwi_expr *M, lwi_expr *x)
{
    lwi_graph *g = k->g;
    const int n = k->m->nv;
    lwi_expr *inverse = lwi_machine_room(k, n);
    if (!inverse) {
        return LW_ERR_MEMORY;
    }
    const lw_status status = factor(k, n, M, inverse);
    if (status != LW_OK) {
        return status;
    }
    for (int j = n - 1; j >= 0; --j) {
        for (int i = 0; i < j; ++i) {
            x[i] = lwi_sub(g, x[i], lwi_mul(g, M[j * n + i], x[j]));
        }
    }
    for (int j = 0; j < n; ++j) {
        x[j] = lwi_mul(g, x[j], inverse[j]);
        for (int i = 0; i < j; ++i) {
            x[j] = lwi_sub(g, x[j], lwi_mul(g, M[j * n + i], x[i]));
        }
    }
    return k->status;
}

static lw_status forward_dynamics(lwi_machine *k, const tree_capacity *r, lwi_expr *out)
{
    const int n = k->m->nv;
    lwi_expr *M = lwi_machine_room(k, n * n);
    if (!M) {
        return LW_ERR_MEMORY;
    }
    inverse_dynamics(k, r, NULL, out);
    for (int i = 0; i < n; ++i) {
        const lwi_expr tau = lwi_symbol_of(k->g, k->m->velocity_name[i], LWI_FORCE, i);
        out[i] = lwi_sub(k->g, tau, out[i]);
    }
    mass_matrix(k, r, M);
    return solve_motion(k, M, out);
}

// --- Energies, regressor ----------------------------------------------------------------------

// Half of v' M v.
static lwi_expr motion_energy(lwi_machine *k)
{
    lwi_graph *g = k->g;
    const int n = k->m->nv;
    lwi_expr *M = lwi_machine_room(k, n * n), sum = LWI_ZERO;
    if (!M) {
        return LWI_ZERO;
    }
    lwi_projected_elements(k, M, NULL, NULL);
    for (int i = 0; i < n; ++i) {
        lwi_expr own = lwi_scale(g, 0.5, lwi_mul(g, M[i * n + i], k->v[i]));
        for (int j = i + 1; j < n; ++j) {
            own = lwi_add(g, own, lwi_mul(g, M[i * n + j], k->v[j]));
        }
        sum = lwi_add(g, sum, lwi_mul(g, k->v[i], own));
    }
    return sum;
}

static lwi_expr rotor_energy(lwi_machine *k, const lwi_expr *v)
{
    lwi_graph *g = k->g;
    lwi_expr sum = LWI_ZERO;
    for (int i = 0; i < k->m->tree_nv; ++i) {
        const lwi_expr half = lwi_scale(g, 0.5, k->within[i].rotor);
        sum = lwi_add(g, sum, lwi_mul(g, half, lwi_mul(g, v[i], v[i])));
    }
    return sum;
}

static void energy(lwi_machine *k, const tree_capacity *r, lwi_expr *out)
{
    lwi_graph *g = k->g;
    // The mass matrix is the shorter way for six degrees of freedom (95 products against 132 for
    // the UR5), and the longer one for seven (337 against 270 for the Panda).
    enum { BY_MASS_MATRIX = 6 };
    if (lwi_is_plain(k) && k->m->nv <= BY_MASS_MATRIX) {
        out[0] = motion_energy(k);
    } else {
        lwi_machine_spread(k, k->v, r->v);
        const lwi_expr rotors = rotor_energy(k, r->v);
        out[0] = lwi_add(g, lwi_kinetic(k, r->v), rotors);
    }
    const lwi_expr springs = lwi_spring_potential(k);
    out[1] = lwi_add(g, lwi_potential(k), springs);
    for (int i = 0; i < k->m->nbody; ++i) {
        const lwi_within *w = &k->within[k->body[i].v];
        if (w->stiffness != LWI_ZERO) {
            const lwi_expr stretch = lwi_sub(g, lwi_machine_position(k, i), w->rest);
            const lwi_expr half = lwi_scale(g, 0.5, w->stiffness);
            out[1] = lwi_add(g, out[1], lwi_mul(g, half, lwi_mul(g, stretch, stretch)));
        }
    }
}

static lwi_mass unit_mass(int kind)
{
    lwi_expr x[10] = {0};
    x[kind] = LWI_ONE;
    return (lwi_mass){x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]}};
}

static void regressor(lwi_machine *k, const tree_capacity *r, lwi_expr *Y)
{
    enum { KINDS = 10 };
    const int n = k->m->nv, nbody = k->m->nbody, ncolumn = KINDS * nbody;
    lwi_expr *column = lwi_machine_room(k, n);
    lwi_mass *mass = lwi_arena_take(&k->arena, (size_t)nbody + 1, sizeof *mass);
    if (!column || !mass) {
        k->status = LW_ERR_MEMORY;
        return;
    }
    lwi_machine_spread(k, k->v, r->v);
    lwi_machine_accelerate(k, r->v, r->v, k->a, r->a);
    for (int b = 0; b < nbody; ++b) {
        for (int kind = 0; kind < KINDS; ++kind) {
            mass[b] = unit_mass(kind);
            const lwi_motion_input in = {
                .u = r->v, .v = r->v, .a = r->a, .has_gravity = true, .mass = mass};
            lwi_newton_euler(k, &in, r->tau);
            lwi_machine_collect(k, r->tau, column);
            for (int i = 0; i < n; ++i) {
                Y[i * ncolumn + KINDS * b + kind] = column[i];
            }
        }
        memset(&mass[b], 0, sizeof mass[b]);
    }
}

// --- Kinematics -------------------------------------------------------------------------------

static void frame_pose(lwi_machine *k, const lwi_frame *world, int frame, lwi_frame *X)
{
    const lw_frame_info *at = &k->m->frame[frame];
    const lwi_frame own = frame_number(k->g, &at->X_BF);
    *X = at->body < 0 ? own : frame_mul(k->g, &world[at->body], &own);
}

static void poses(lwi_machine *k, const lwi_frame *world, lwi_expr *out)
{
    for (int i = 0; i < k->m->nframe; ++i, out += 12) {
        lwi_frame X;
        frame_pose(k, world, i, &X);
        for (int r = 0; r < 3; ++r) {
            out[3 * r] = X.R.row[r].x;
            out[3 * r + 1] = X.R.row[r].y;
            out[3 * r + 2] = X.R.row[r].z;
        }
        out[9] = X.p.x;
        out[10] = X.p.y;
        out[11] = X.p.z;
    }
}

// Column of degree of freedom j of body b: how the frame turns and its origin moves, in world axes.
static void column_of(lwi_machine *k, const lwi_sbody *b, const lwi_frame *X, int j, lwi_vec point,
                      lwi_expr column[6])
{
    lwi_graph *g = k->g;
    const bool is_one = b->nv == 1;
    const lwi_vec axis = rot_column(&X->R, is_one ? 2 : j % 3);
    const bool slides = is_one ? b->carrier == LW_TREE_PRISMATIC : j >= 3;
    lwi_vec ang = slides ? vec_zero() : axis, lin = slides ? axis : vec_zero();
    if (!slides) {
        lin = vec_cross(g, axis, vec_sub(g, point, X->p));
    }
    if (b->carrier == LW_TREE_SCREW) {
        lin = vec_add(g, lin, vec_scale(g, b->lead, axis));
    }
    const lwi_expr all[6] = {ang.x, ang.y, ang.z, lin.x, lin.y, lin.z};
    memcpy(column, all, sizeof all);
}

static void jacobian(lwi_machine *k, const lwi_frame *world, const tree_capacity *r, int frame,
                     lwi_expr *out)
{
    const int n = k->m->nv;
    lwi_frame X;
    frame_pose(k, world, frame, &X);
    lwi_expr *tree = lwi_machine_room(k, 6 * k->m->tree_nv), *row = lwi_machine_room(k, n);
    for (int i = k->m->frame[frame].body; i >= 0 && tree && row; i = k->body[i].parent) {
        const lwi_sbody *b = &k->body[i];
        for (int j = 0; j < b->nv; ++j) {
            lwi_expr column[6];
            column_of(k, b, &world[i], j, X.p, column);
            for (int c = 0; c < 6; ++c) {
                tree[c * k->m->tree_nv + b->v + j] = column[c];
            }
        }
    }
    for (int c = 0; c < 6 && tree && row; ++c) {
        memcpy(r->tau, tree + c * k->m->tree_nv, (size_t)k->m->tree_nv * sizeof *tree);
        lwi_machine_collect(k, r->tau, row);
        memcpy(out + c * n, row, (size_t)n * sizeof *row);
    }
}

lw_status lwi_derive_function(lwi_machine *k, lw_function function, int frame, lwi_expr *out)
{
    const tree_capacity r = reserve(k);
    lwi_frame *world = lwi_arena_take(&k->arena, (size_t)k->m->nbody + 1, sizeof *world);
    lw_status status = world ? k->status : LW_ERR_MEMORY;
    if (status != LW_OK) {
        return status;
    }
    if (function == LW_FUNCTION_POSES || function == LW_FUNCTION_JACOBIAN) {
        lwi_machine_world(k, world);
    }
    switch (function) {
    case LW_FUNCTION_POSES:
        poses(k, world, out);
        break;
    case LW_FUNCTION_JACOBIAN:
        jacobian(k, world, &r, frame, out);
        break;
    case LW_FUNCTION_INVERSE_DYNAMICS:
        inverse_dynamics(k, &r, k->a, out);
        break;
    case LW_FUNCTION_MASS_MATRIX:
        mass_matrix(k, &r, out);
        break;
    case LW_FUNCTION_CORIOLIS_MATRIX:
        coriolis_matrix(k, &r, out);
        break;
    case LW_FUNCTION_CHRISTOFFEL:
        christoffel(k, &r, out);
        break;
    case LW_FUNCTION_GRAVITY:
        gravity(k, &r, out);
        break;
    case LW_FUNCTION_FORWARD_DYNAMICS:
        status = forward_dynamics(k, &r, out);
        break;
    case LW_FUNCTION_ENERGY:
        energy(k, &r, out);
        break;
    case LW_FUNCTION_REGRESSOR:
        regressor(k, &r, out);
        break;
    case LW_FUNCTION_ELEMENTS:
        elements(k, &r, out);
        break;
    case LW_FUNCTION_LOADS:
        load_forces(k, &r, out);
        break;
    default:
        status = LW_ERR_ARGUMENT;
        break;
    }
    status = status == LW_OK ? k->status : status;
    return status == LW_OK ? lwi_graph_status(k->g) : status;
}
