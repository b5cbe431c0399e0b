#include "derivation.h"

#include "force_derivatives.h"
#include "inverse_kinematics.h"
#include "symbolic_model.h"
#include "tree_dynamics.h"

#include <string.h>

// Coulomb friction for a velocity v, as lwi_coulomb_share() of dyn/friction.h has it.
static lwi_expr coulomb(lwi_symbolic *k, lwi_expr friction, lwi_expr v)
{
    lwi_graph *g = k->g;
    if (k->friction_speed == 0.0) {
        return lwi_mul(g, friction, lwi_sign(g, v));
    }
    const lwi_expr x = lwi_clamp(g, lwi_mul(g, lwi_number(g, 1.0 / k->friction_speed), v));
    const lwi_expr bend = lwi_mul(g, lwi_number(g, 0.5), lwi_mul(g, x, x));
    return lwi_mul(g, friction, lwi_mul(g, x, lwi_sub(g, lwi_number(g, 1.5), bend)));
}

void lwi_add_passive(lwi_symbolic *k, const lwi_expr *v, const lwi_expr *a, lwi_expr *tau)
{
    lwi_graph *g = k->g;
    const lw_model *m = k->m;
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_sym_body *b = &k->body[i];
        for (int j = b->v_start; j < b->v_start + b->nv; ++j) {
            const lwi_passive_joint *w = &k->passive[j];
            lwi_expr sum = LWI_ZERO;
            if (v && w->damping != LWI_ZERO) {
                sum = lwi_add(g, sum, lwi_mul(g, w->damping, v[j]));
            }
            if (v && w->friction != LWI_ZERO) {
                sum = lwi_add(g, sum, coulomb(k, w->friction, v[j]));
            }
            if (v && w->stiffness != LWI_ZERO) {
                const lwi_expr stretch = lwi_sub(g, lwi_symbolic_position(k, i), w->rest);
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

// Workspace for the coordinates of the tree that the functions below pass on.
typedef struct tree_work {
    lwi_expr *u, *v, *a, *tau; ///< [tree_nv]
    lwi_expr *column;          ///< [nv]
} tree_work;

// Forces for accelerations x [nv], or for none.
static void inverse_dynamics(lwi_symbolic *k, const tree_work *r, const lwi_expr *x, lwi_expr *out)
{
    lwi_tree_rates(k, k->v, r->v);
    lwi_tree_accelerations(k, r->v, r->v, x, r->a);
    lwi_regrouped_forces(k, r->v, r->a, r->tau);
    lwi_add_passive(k, r->v, r->a, r->tau);
    lwi_tree_project(k, r->tau, out);
}

static void mass_matrix(lwi_symbolic *k, const tree_work *r, lwi_expr *M)
{
    const int n = k->m->nv;
    if (lwi_is_plain(k)) {
        lwi_projected_elements(k, M, NULL, NULL);
        return;
    }
    for (int j = 0; j < n; ++j) {
        lwi_tree_column(k, j, r->a);
        const lwi_motion_input in = {.a = r->a, .has_rods = true};
        lwi_bilinear_forces(k, &in, r->tau);
        lwi_add_passive(k, NULL, r->a, r->tau);
        lwi_tree_project(k, r->tau, r->column);
        for (int i = 0; i <= j; ++i) {
            M[i * n + j] = M[j * n + i] = r->column[i];
        }
    }
}

// Velocity forces for rates u along the motion v, both of the tree.
static void velocity_forces(lwi_symbolic *k, const tree_work *r, const lwi_expr *u,
                            const lwi_expr *v, lwi_expr *out)
{
    lwi_tree_accelerations(k, u, v, NULL, r->a);
    const lwi_motion_input in = {.u = u, .v = v, .a = r->a, .has_rods = true};
    lwi_bilinear_forces(k, &in, r->tau);
    for (int i = 0; i < k->m->tree_nv; ++i) {
        const lwi_expr rotor = lwi_mul(k->g, k->passive[i].rotor, r->a[i]);
        r->tau[i] = lwi_add(k->g, r->tau[i], rotor);
    }
    lwi_tree_project(k, r->tau, out);
}

static void coriolis_matrix(lwi_symbolic *k, const tree_work *r, lwi_expr *C)
{
    const int n = k->m->nv;
    if (lwi_is_plain(k)) {
        lwi_projected_coriolis(k, C);
        return;
    }
    lwi_tree_rates(k, k->v, r->v);
    for (int j = 0; j < n; ++j) {
        lwi_tree_column(k, j, r->u);
        velocity_forces(k, r, r->u, r->v, r->column);
        for (int i = 0; i < n; ++i) {
            C[i * n + j] = r->column[i];
        }
    }
}

static void christoffel(lwi_symbolic *k, const tree_work *r, lwi_expr *B)
{
    const int n = k->m->nv;
    if (lwi_is_plain(k)) {
        lwi_projected_elements(k, NULL, B, NULL);
        return;
    }
    lwi_expr *one = r->column, *two = lwi_symbolic_take(k, n);
    for (int j = 0; j < n && two; ++j) {
        for (int l = j; l < n; ++l) {
            lwi_tree_column(k, j, r->u);
            lwi_tree_column(k, l, r->v);
            velocity_forces(k, r, r->u, r->v, one);
            if (l != j && k->m->tree_nq != k->m->tree_nv) { // rates are no derivatives of positions
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

static void gravity(lwi_symbolic *k, const tree_work *r, lwi_expr *out)
{
    if (lwi_is_plain(k)) {
        lwi_projected_elements(k, NULL, NULL, out);
        return;
    }
    const lwi_motion_input in = {.has_gravity = true, .has_rods = true};
    lwi_bilinear_forces(k, &in, r->tau);
    lwi_tree_project(k, r->tau, out);
}

static void elements(lwi_symbolic *k, const tree_work *r, lwi_expr *out)
{
    const int n = k->m->nv;
    lwi_expr *M = lwi_symbolic_take(k, n * n), *B = lwi_symbolic_take(k, n * n * n);
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

// Accelerations out [nv]; M [nv*nv] and inverse [nv] get the factors of the mass matrix.
static lw_status forward_dynamics(lwi_symbolic *k, const tree_work *r, lwi_expr *M,
                                  lwi_expr *inverse, lwi_expr *out)
{
    const int n = k->m->nv;
    inverse_dynamics(k, r, NULL, out);
    for (int i = 0; i < n; ++i) {
        const lwi_expr tau = lwi_symbol_of(k->g, k->m->velocity_name[i], LWI_FORCE, i);
        out[i] = lwi_sub(k->g, tau, out[i]);
    }
    mass_matrix(k, r, M);
    const lw_status status = lwi_factor_mass(k, M, inverse);
    if (status == LW_OK) {
        lwi_solve_mass(k->g, n, M, inverse, out);
    }
    return status == LW_OK ? k->status : status;
}

// With M = L' D L the inverse is X with L X = (L' D)^-1, which is the inverse of D on the diagonal
// and zero below: row by row, what is above the diagonal being known from the rows before.
static lw_status inverse_mass_matrix(lwi_symbolic *k, const tree_work *r, lwi_expr *L,
                                     lwi_expr *inverse, lwi_expr *X)
{
    const int n = k->m->nv;
    mass_matrix(k, r, L);
    const lw_status status = lwi_factor_mass(k, L, inverse);
    for (int c = 0; c < n && status == LW_OK; ++c) {
        for (int i = c; i < n; ++i) {
            lwi_expr x = i == c ? inverse[c] : LWI_ZERO;
            for (int j = 0; j < i; ++j) {
                x = lwi_sub(k->g, x, lwi_mul(k->g, L[i * n + j], X[j * n + c]));
            }
            X[i * n + c] = X[c * n + i] = x;
        }
    }
    return status == LW_OK ? k->status : status;
}

// With derivatives of the forces at the accelerations a, da = -M^-1 dtau and da/dtau = M^-1.
static lw_status forward_derivatives(lwi_symbolic *k, const tree_work *r, lwi_expr *M,
                                     lwi_expr *inverse, lwi_expr *out)
{
    const int n = k->m->nv;
    lwi_expr *acceleration = lwi_symbolic_take(k, n);
    if (!acceleration) {
        return LW_ERR_MEMORY;
    }
    lw_status status = forward_dynamics(k, r, M, inverse, acceleration);
    if (status == LW_OK) {
        status = lwi_inverse_derivatives(k, out);
    }
    if (status != LW_OK) {
        return status;
    }
    lwi_substitute(k->g, n, k->a, acceleration, 2 * n * n, out, out);
    for (int c = 0; c < 3 * n; ++c) {
        const int block = c / n, column = c % n;
        lwi_expr *to = out + block * n * n + column;
        for (int i = 0; i < n; ++i) {
            const lwi_expr unit = i == column ? LWI_ONE : LWI_ZERO;
            r->column[i] = block < 2 ? lwi_neg(to[i * n]) : unit;
        }
        lwi_solve_mass(k->g, n, M, inverse, r->column);
        for (int i = 0; i < n; ++i) {
            to[i * n] = r->column[i];
        }
    }
    return k->status;
}

// --- Regressor --------------------------------------------------------------------------------

static lwi_mass unit_mass(int kind)
{
    lwi_expr x[10] = {0};
    x[kind] = LWI_ONE;
    return (lwi_mass){x[0], {{x[1], x[2], x[3]}}, {{x[4], x[5], x[6], x[7], x[8], x[9]}}};
}

static void regressor(lwi_symbolic *k, const tree_work *r, lwi_expr *Y)
{
    enum { KINDS = 10 };
    const int n = k->m->nv, nbody = k->m->nbody, ncolumn = KINDS * nbody;
    lwi_mass *mass = lwi_symbolic_alloc(k, nbody, sizeof *mass);
    if (!mass) {
        return;
    }
    lwi_tree_rates(k, k->v, r->v);
    lwi_tree_accelerations(k, r->v, r->v, k->a, r->a);
    for (int b = 0; b < nbody; ++b) {
        for (int kind = 0; kind < KINDS; ++kind) {
            mass[b] = unit_mass(kind);
            const lwi_motion_input in = {
                .u = r->v, .v = r->v, .a = r->a, .has_gravity = true, .mass = mass};
            lwi_bilinear_forces(k, &in, r->tau);
            lwi_tree_project(k, r->tau, r->column);
            for (int i = 0; i < n; ++i) {
                Y[i * ncolumn + KINDS * b + kind] = r->column[i];
            }
        }
        memset(&mass[b], 0, sizeof mass[b]);
    }
}

// --- Kinematics -------------------------------------------------------------------------------

static void frame_pose(lwi_symbolic *k, const lwi_frame *world, int frame, lwi_frame *X)
{
    const lw_frame_info *at = &k->m->frame[frame];
    const lwi_frame own = frame_number(k->g, &at->X_BF);
    *X = at->body < 0 ? own : frame_mul(k->g, &world[at->body], &own);
}

static void poses(lwi_symbolic *k, const lwi_frame *world, lwi_expr *out)
{
    for (int i = 0; i < k->m->nframe; ++i, out += 12) {
        lwi_frame X;
        frame_pose(k, world, i, &X);
        for (int e = 0; e < 12; ++e) {
            out[e] = e < 9 ? X.R.row[e / 3].e[e % 3] : X.p.e[e - 9];
        }
    }
}

// Column of degree of freedom j of body b: angular velocity of the frame and velocity of its
// origin, in world axes.
static lwi_twist column_of(lwi_symbolic *k, const lwi_sym_body *b, const lwi_frame *X, int j,
                           lwi_vec point)
{
    lwi_graph *g = k->g;
    const bool is_one = b->nv == 1;
    const lwi_vec axis = mat_column(&X->R, is_one ? 2 : j % 3);
    const bool slides = is_one ? b->type == LW_TREE_PRISMATIC : j >= 3;
    lwi_twist out = {slides ? vec_zero() : axis, axis};
    if (!slides) {
        out.lin = vec_cross(g, axis, vec_sub(g, point, X->p));
    }
    if (b->type == LW_TREE_SCREW) {
        out.lin = vec_add(g, out.lin, vec_scale(g, b->lead, axis));
    }
    return out;
}

static void jacobian(lwi_symbolic *k, const lwi_frame *world, int frame, lwi_expr *out)
{
    const int n = k->m->nv;
    lwi_frame X;
    frame_pose(k, world, frame, &X);
    lwi_expr *tree = lwi_symbolic_take(k, 6 * k->m->tree_nv);
    for (int i = k->m->frame[frame].body; i >= 0 && tree; i = k->body[i].parent) {
        const lwi_sym_body *b = &k->body[i];
        for (int j = 0; j < b->nv; ++j) {
            const lwi_twist column = column_of(k, b, &world[i], j, X.p);
            for (int c = 0; c < 6; ++c) {
                tree[c * k->m->tree_nv + b->v_start + j] =
                    c < 3 ? column.ang.e[c] : column.lin.e[c - 3];
            }
        }
    }
    for (int c = 0; c < 6 && tree; ++c) {
        lwi_tree_project(k, tree + c * k->m->tree_nv, out + c * n);
    }
}

lw_status lwi_derive_function(lwi_symbolic *k, lw_function function, int frame, lwi_expr *out)
{
    const int n = k->m->tree_nv;
    const tree_work r = {lwi_symbolic_take(k, n), lwi_symbolic_take(k, n), lwi_symbolic_take(k, n),
                         lwi_symbolic_take(k, n), lwi_symbolic_take(k, k->m->nv)};
    lwi_expr *M = lwi_symbolic_take(k, k->m->nv * k->m->nv), *inverse = lwi_symbolic_take(k, n);
    lwi_frame *world = lwi_arena_take(&k->arena, (size_t)k->m->nbody + 1, sizeof *world);
    lw_status status = world ? k->status : LW_ERR_MEMORY;
    if (status != LW_OK) {
        return status;
    }
    if (function == LW_FUNCTION_POSES || function == LW_FUNCTION_JACOBIAN ||
        function == LW_FUNCTION_JACOBIAN_RATE) {
        lwi_symbolic_world(k, world);
    }
    switch (function) {
    case LW_FUNCTION_POSES:
        poses(k, world, out);
        break;
    case LW_FUNCTION_JACOBIAN:
        jacobian(k, world, frame, out);
        break;
    case LW_FUNCTION_JACOBIAN_RATE:
        jacobian(k, world, frame, out);
        lwi_time_derivative(k, lw_function_size(k->m, function), out);
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
        status = forward_dynamics(k, &r, M, inverse, out);
        break;
    case LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES:
        status = lwi_inverse_derivatives(k, out);
        break;
    case LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES:
        status = forward_derivatives(k, &r, M, inverse, out);
        break;
    case LW_FUNCTION_INVERSE_MASS_MATRIX:
        status = inverse_mass_matrix(k, &r, M, inverse, out);
        break;
    case LW_FUNCTION_PARAMETER_DERIVATIVES:
        inverse_dynamics(k, &r, k->a, inverse);
        status = lwi_parameter_derivatives(k, inverse, out);
        break;
    case LW_FUNCTION_ENERGY:
        lwi_derive_energy(k, out);
        break;
    case LW_FUNCTION_REGRESSOR:
        regressor(k, &r, out);
        break;
    case LW_FUNCTION_ELEMENTS:
        elements(k, &r, out);
        break;
    case LW_FUNCTION_LOADS:
        lwi_load_forces(k, r.tau);
        lwi_tree_project(k, r.tau, out);
        for (int i = 0; i < k->m->nv; ++i) {
            out[i] = lwi_neg(out[i]);
        }
        break;
    case LW_FUNCTION_INVERSE_KINEMATICS:
        status = lwi_derive_inverse_kinematics(k, frame, out);
        break;
    default:
        status = LW_ERR_ARGUMENT;
        break;
    }
    status = status == LW_OK ? k->status : status;
    return status == LW_OK ? lwi_graph_status(k->g) : status;
}
