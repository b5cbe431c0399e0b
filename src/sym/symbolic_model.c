// From a compiled model to expressions.
//
// Numbers of the model carry the rounding of the rotations that the compile made: entries of a
// rotation that are within a rounding of 0, 1 or -1 are replaced by these, lengths and moments that
// are negligible beside others of their kind by zero, and moments that agree to as many digits are
// equal. Without that a right angle would cost as much as any other.
#include "symbolic_model.h"

#include "../base/report.h"
#include "../math/wide.h"
#include "../model/kernel.h"
#include "../model/locations.h"
#include "../model/program.h"
#include "symbols.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double standard_rounding = 1e-13;

void *lwi_symbolic_alloc(lwi_symbolic *k, int n, size_t size)
{
    void *taken = lwi_arena_take(&k->arena, n > 0 ? (size_t)n : 1, size);
    if (!taken && k->status == LW_OK) {
        k->status = LW_ERR_MEMORY;
    }
    return taken;
}

lwi_expr *lwi_symbolic_take(lwi_symbolic *k, int n)
{
    return lwi_symbolic_alloc(k, n, sizeof(lwi_expr));
}

static double snapped(double x, double noise)
{
    if (fabs(x) < noise) {
        return 0.0;
    }
    return fabs(fabs(x) - 1.0) < noise ? (x > 0 ? 1.0 : -1.0) : x;
}

lw_mat3 lwi_snapped_rotation(const lwi_symbolic *k, const lw_mat3 *R)
{
    const double noise = k->noise;
    lw_mat3 out;
    for (int r = 0; r < 3; ++r) {
        out.row[r] = lw_vec3_of(snapped(R->row[r].x, noise), snapped(R->row[r].y, noise),
                                snapped(R->row[r].z, noise));
    }
    return out;
}

static double largest3(lw_vec3 v)
{
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

// The longest way from a joint to the next: what is far smaller is rounding. Along the axes, since
// the square of a number that is finite need not be.
static double size_of(const lw_model *m)
{
    double size = 0.0;
    for (int i = 0; i < m->nbody; ++i) {
        size = fmax(size, largest3(m->X_PJ[i].p));
        const double mass = m->inertia[i].mass;
        size = mass > 0.0 ? fmax(size, largest3(m->inertia[i].first_moment) / mass) : size;
    }
    return size;
}

static double clean(const lwi_symbolic *k, double x, double size)
{
    return fabs(x) < k->noise * size ? 0.0 : x;
}

static lw_vec3 clean3(const lwi_symbolic *k, lw_vec3 x, double size)
{
    return lw_vec3_of(clean(k, x.x, size), clean(k, x.y, size), clean(k, x.z, size));
}

static bool is_input(const lwi_symbolic *k, const char *stem, int body)
{
    return lwi_is_input(k, stem, k->m->body_name[body], *stem == 'I');
}

// --- Placements -------------------------------------------------------------------------------

// Along the axis that a Denavit-Hartenberg row after Craig has: (a, -sin(alpha) d, cos(alpha) d).
static lwi_vec place_denavit(lwi_symbolic *k, int i, const lw_mat3 *R, lw_vec3 p)
{
    const double s = R->row[2].y, c = R->row[2].z;
    const lwi_expr a = lwi_length_symbol(k, "a", i, k->m->parent[i] + 1, p.x);
    const lwi_expr d = lwi_length_symbol(k, "d", i, i + 1, -s * p.y + c * p.z);
    const lwi_expr y = lwi_scale(k->g, -s, d);
    return vec_of(a, y, lwi_scale(k->g, c, d));
}

static lwi_vec placement(lwi_symbolic *k, int i, const lw_mat3 *R, lw_vec3 p, double size)
{
    p = clean3(k, p, size);
    const bool is_row = R->row[0].x == 1.0 &&
                        fabs(R->row[2].z * p.y + R->row[2].y * p.z) <= k->noise * size &&
                        !is_input(k, "px", i) && !is_input(k, "py", i) && !is_input(k, "pz", i);
    const int before = k->nrequest;
    lwi_vec at = vec_zero();
    if (k->is_symbolic && is_row) {
        at = place_denavit(k, i, R, p);
    } else if (k->is_symbolic) {
        at.x = lwi_length_symbol(k, "px", i, i + 1, p.x);
        at.y = lwi_length_symbol(k, "py", i, i + 1, p.y);
        at.z = lwi_length_symbol(k, "pz", i, i + 1, p.z);
    }
    return k->nrequest > before ? at : vec_number(k->g, p);
}

// --- Inertias ---------------------------------------------------------------------------------

static double largest_moment(const lw_sym3 *I)
{
    return fmax(fabs(I->xx), fmax(fabs(I->yy), fabs(I->zz)));
}

static lw_sym3 clean_tensor(const lwi_symbolic *k, const lw_sym3 *I, double size)
{
    const lw_sym3 out = {clean(k, I->xx, size), clean(k, I->yy, size), clean(k, I->zz, size),
                         clean(k, I->xy, size), clean(k, I->xz, size), clean(k, I->yz, size)};
    return out;
}

static lwi_mass number_mass(lwi_symbolic *k, const lw_inertia *I, double size)
{
    const double h_size = fmin(fmax(I->mass * size, largest3(I->first_moment)), DBL_MAX);
    const lw_sym3 T = clean_tensor(k, &I->tensor, largest_moment(&I->tensor));
    const double entry[6] = {T.xx, T.yy, T.zz, T.xy, T.xz, T.yz};
    lwi_mass out = {.mass = lwi_number(k->g, I->mass)};
    out.first = vec_number(k->g, clean3(k, I->first_moment, h_size));
    for (int e = 0; e < 6; ++e) {
        out.tensor.e[e] = lwi_number(k->g, entry[e]);
    }
    return out;
}

// A product of inertia: the entry of the tensor or, by the options, its negative.
static lwi_expr product_symbol(lwi_symbolic *k, int i, const char *stem, double entry)
{
    if (!k->has_product_integrals) {
        return lwi_body_symbol(k, stem, i, entry);
    }
    return lwi_neg(lwi_product_symbol(k, stem, i, entry == 0.0 ? 0.0 : -entry));
}

// The six numbers of a tensor; moments that agree get one symbol, that about the joint's axis z
// before others, unless they are inputs.
static lwi_sym tensor_symbols(lwi_symbolic *k, int i, const lw_sym3 *T, double size)
{
    const double noise = k->noise * size;
    const bool x = is_input(k, "Ixx", i), y = is_input(k, "Iyy", i), z = is_input(k, "Izz", i);
    const bool is_xz = T->zz != 0.0 && fabs(T->xx - T->zz) <= noise && !x && !z;
    const bool is_yz = T->zz != 0.0 && fabs(T->yy - T->zz) <= noise && !y && !z;
    const bool is_xy = T->yy != 0.0 && fabs(T->yy - T->xx) <= noise && !x && !y;
    const lwi_expr xx = is_xz ? LWI_UNKNOWN : lwi_body_symbol(k, "Ixx", i, T->xx);
    const lwi_expr yy = is_yz             ? LWI_UNKNOWN
                        : is_xy && !is_xz ? xx
                                          : lwi_body_symbol(k, "Iyy", i, T->yy);
    const lwi_expr zz = lwi_body_symbol(k, "Izz", i, T->zz);
    lwi_sym out = {{is_xz ? zz : xx, is_yz ? zz : yy, zz, LWI_ZERO, LWI_ZERO, LWI_ZERO}};
    out.xy = product_symbol(k, i, "Ixy", T->xy);
    out.xz = product_symbol(k, i, "Ixz", T->xz);
    out.yz = product_symbol(k, i, "Iyz", T->yz);
    return out;
}

static lwi_vec body_symbols(lwi_symbolic *k, int i, const char *const stem[3], lw_vec3 value)
{
    lwi_vec out;
    out.x = lwi_body_symbol(k, stem[0], i, value.x);
    out.y = lwi_body_symbol(k, stem[1], i, value.y);
    out.z = lwi_body_symbol(k, stem[2], i, value.z);
    return out;
}

// Moments without mass: of estimated models, whose numbers are lumped.
static lwi_mass massless(lwi_symbolic *k, int i, const lw_inertia *I)
{
    static const char *const stem[3] = {"mx", "my", "mz"};
    const lw_sym3 T = clean_tensor(k, &I->tensor, largest_moment(&I->tensor));
    lwi_mass out = {.mass = lwi_body_symbol(k, "m", i, I->mass)};
    out.first = body_symbols(k, i, stem, I->first_moment);
    out.tensor = tensor_symbols(k, i, &T, largest_moment(&T));
    return out;
}

// Mass, centre of mass and the tensor about it.
static lwi_mass describe(lwi_symbolic *k, int i, const lw_inertia *I, double size)
{
    static const char *const stem[3] = {"rx", "ry", "rz"};
    const double m = I->mass;
    const lw_vec3 r = clean3(k, lw_scale3(1.0 / m, I->first_moment), size);
    const double rr = lw_dot3(r, r), most = largest_moment(&I->tensor);
    const lw_sym3 *A = &I->tensor;
    const lw_sym3 central = {A->xx - m * (rr - r.x * r.x), A->yy - m * (rr - r.y * r.y),
                             A->zz - m * (rr - r.z * r.z), A->xy + m * r.x * r.y,
                             A->xz + m * r.x * r.z,        A->yz + m * r.y * r.z};
    const lw_sym3 T = clean_tensor(k, &central, most);
    lwi_mass out = {.mass = lwi_body_symbol(k, "m", i, m)};
    out.first = body_symbols(k, i, stem, r);
    out.tensor = tensor_symbols(k, i, &T, most);
    return out;
}

// The tensor about the origin: I + m (r.r 1 - r r'). What depends on parameters only costs nothing
// when the code runs.
static lwi_mass about_origin(lwi_graph *g, const lwi_mass *d)
{
    const lwi_vec p = d->first, h = vec_scale(g, d->mass, p);
    lwi_mass out = {d->mass, h, d->tensor};
    lwi_vec square;
    for (int i = 0; i < 3; ++i) {
        square.e[i] = lwi_mul(g, h.e[i], p.e[i]);
    }
    for (int i = 0; i < 3; ++i) {
        const int j = i == 0, l = i == 2 ? 1 : 2; // the axes besides i, in order
        const lwi_expr others = lwi_add(g, square.e[j], square.e[l]);
        out.tensor.e[i] = lwi_add(g, out.tensor.e[i], others);
    }
    out.tensor.xy = lwi_sub(g, out.tensor.xy, lwi_mul(g, h.x, p.y));
    out.tensor.xz = lwi_sub(g, out.tensor.xz, lwi_mul(g, h.x, p.z));
    out.tensor.yz = lwi_sub(g, out.tensor.yz, lwi_mul(g, h.y, p.z));
    return out;
}

static void inertia(lwi_symbolic *k, int i, double size)
{
    const lw_inertia *I = &k->m->inertia[i];
    lwi_sym_body *b = &k->body[i];
    const int before = k->nrequest;
    if (I->mass > 0.0) {
        b->central = describe(k, i, I, size);
    }
    if (k->is_symbolic) {
        b->own = I->mass > 0.0 ? about_origin(k->g, &b->central) : massless(k, i, I);
    }
    if (k->nrequest == before) {
        b->own = number_mass(k, I, size);
    }
}

// --- Positions --------------------------------------------------------------------------------

// With the cosine and the sine in the body, if its joint rotates.
static void place(lwi_symbolic *k, int i, lwi_expr q)
{
    lwi_sym_body *b = &k->body[i];
    b->q[0] = q;
    if (b->type == LW_TREE_SCREW) {
        lwi_symbolic_position(k, i);
    }
    b->X = lwi_body_pose_at(k->g, b, b->c, b->s);
}

void lwi_symbolic_place(lwi_symbolic *k, int i, lwi_expr q, lwi_expr c, lwi_expr s)
{
    lwi_sym_body *b = &k->body[i];
    if (b->type != LW_TREE_PRISMATIC) {
        b->c = q == LWI_UNKNOWN ? c : lwi_cos(k->g, q);
        b->s = q == LWI_UNKNOWN ? s : lwi_sin(k->g, q);
    }
    place(k, i, q);
}

void lwi_symbolic_place_whole(lwi_symbolic *k, int i, lwi_expr q)
{
    lwi_sym_body *b = &k->body[i];
    if (b->type != LW_TREE_PRISMATIC) {
        lwi_whole_sincos(k->g, q, &b->c, &b->s);
    }
    place(k, i, q);
}

// The angle nearest to the reference: a difference from it, less than half a revolution.
lwi_expr lwi_symbolic_position(lwi_symbolic *k, int i)
{
    lwi_graph *g = k->g;
    lwi_sym_body *b = &k->body[i];
    if (b->q[0] == LWI_UNKNOWN) {
        const double reference = k->m->tree_q_reference[k->m->q_start[i]];
        double cosine, sine;
        lwi_rounded_sincos(reference, &sine, &cosine);
        const lwi_expr c0 = lwi_number(g, cosine), s0 = lwi_number(g, sine);
        const lwi_expr c = lwi_add_products(g, b->c, c0, b->s, s0);
        const lwi_expr s = lwi_sub_products(g, b->s, c0, b->c, s0);
        const lwi_expr angle = lwi_atan2(g, s, c);
        b->q[0] = lwi_add(g, lwi_number(g, reference), angle);
    }
    return b->q[0];
}

void lwi_symbolic_place_quaternion(lwi_symbolic *k, int i)
{
    lwi_sym_body *b = &k->body[i];
    b->J = lwi_quaternion_rotation(k->g, b->q + (b->type == LW_TREE_FREE ? 3 : 0));
    b->X = lwi_body_pose(k->g, b);
}

// Symbols of the independent coordinates, and the frames that depend on them.
static void independent(lwi_symbolic *k)
{
    const lw_model *m = k->m;
    for (int i = 0; i < m->nbody; ++i) {
        k->body[i].q[0] = LWI_UNKNOWN;
    }
    for (int i = 0; i < m->nq; ++i) {
        int b = 0;
        while (m->q_start[b + 1] <= m->q_tree[i]) {
            ++b;
        }
        k->body[b].q[m->q_tree[i] - m->q_start[b]] =
            lwi_symbol_of(k->g, m->position_name[i], LWI_POSITION, i);
    }
    for (int i = 0; i < m->nbody && k->is_sincos_input; ++i) {
        const bool rotates = m->carrier[i] == LW_TREE_REVOLUTE || m->carrier[i] == LW_TREE_SCREW;
        for (int j = 0; j < m->nq && rotates; ++j) {
            if (m->q_tree[j] == m->q_start[i]) {
                lwi_symbol_of(k->g, m->position_name[j], LWI_SINE, j);
                lwi_symbol_of(k->g, m->position_name[j], LWI_COSINE, j);
            }
        }
    }
    for (int i = 0; i < m->nv; ++i) {
        k->v[i] = lwi_symbol_of(k->g, m->velocity_name[i], LWI_VELOCITY, i);
        k->a[i] = lwi_symbol_of(k->g, m->velocity_name[i], LWI_ACCELERATION, i);
    }
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_sym_body *b = &k->body[i];
        if (b->q[0] != LWI_UNKNOWN && b->nv > 1) {
            lwi_symbolic_place_quaternion(k, i);
        } else if (b->q[0] != LWI_UNKNOWN) {
            lwi_symbolic_place(k, i, b->q[0], LWI_ZERO, LWI_ZERO);
        }
    }
}

static lw_status bodies(lwi_symbolic *k)
{
    const lw_model *m = k->m;
    const double size = size_of(m);
    for (int i = 0; i < m->nbody; ++i) {
        lwi_sym_body *b = &k->body[i];
        if (m->carrier[i] == LW_TREE_USER) {
            return lwi_report_error(k->report, lwi_joint_location(m, m->joint[i]),
                                    LW_ERR_UNSUPPORTED,
                                    "joint \"%s\" is given by callbacks: it has no formula that "
                                    "equations could be derived from",
                                    m->joints[m->joint[i]].name);
        }
        const lw_mat3 R = lwi_snapped_rotation(k, &m->X_PJ[i].R);
        b->parent = m->parent[i];
        b->type = m->carrier[i];
        b->v_start = m->v_start[i];
        b->nv = m->v_start[i + 1] - m->v_start[i];
        b->rest.R = mat_number(k->g, &R);
        b->rest.p = placement(k, i, &R, m->X_PJ[i].p, size);
        b->lead = b->type == LW_TREE_SCREW ? lwi_length_symbol(k, "lead", i, i + 1, m->lead[i])
                                           : LWI_ZERO;
        inertia(k, i, size);
    }
    return k->status;
}

static void passive_forces(lwi_symbolic *k)
{
    for (int i = 0; i < k->m->tree_nv && !k->is_ideal; ++i) {
        const lw_dof *f = &k->m->dof[i];
        k->passive[i].damping = lwi_dof_symbol(k, "b", i, f->damping);
        if (!k->is_frictionless) {
            k->passive[i].friction = lwi_dof_symbol(k, "f", i, f->friction);
        }
        k->passive[i].rotor = lwi_dof_symbol(k, "Jr", i, f->rotor_inertia);
    }
    for (int i = 0; i < k->m->nbody && !k->is_ideal; ++i) {
        const int v = k->m->v_start[i];
        const lw_dof *f = &k->m->dof[v];
        if (k->body[i].nv == 1) {
            k->passive[v].stiffness = lwi_dof_symbol(k, "k", v, f->stiffness);
        }
        if (k->passive[v].stiffness != LWI_ZERO) {
            k->passive[v].rest = lwi_dof_symbol(k, "rest", v, f->spring_rest);
        }
    }
}

bool lwi_is_coupling(const lw_model *m, int s)
{
    const lw_step_info *step = &m->step[s];
    const bool is_linear = step->kind == LW_STEP_LINEAR && step->nsource == 1 &&
                           step->ntarget == 1 && m->kernel->program->step[s].ngear == 0;
    return is_linear || (step->kind == LW_STEP_FUNCTION && step->law == LW_LAW_POLYNOMIAL);
}

// Coefficients of couplings c0, c1, ...; ratios n of gears and the like, n1, n2, ... of several
// sources; lengths l and masses m of rods.
static void closure_numbers(lwi_symbolic *k)
{
    const lw_model *m = k->m;
    char stem[24];
    for (int s = 0; s < m->nstep; ++s) {
        const lw_step_info *step = &m->step[s];
        const bool is_coupling = lwi_is_coupling(m, s);
        lwi_expr *c = lwi_symbolic_take(k, step->ncoefficient);
        k->step[s].coefficient = c;
        for (int i = 0; c && i < step->ncoefficient; ++i) {
            const int column = is_coupling ? i : i % (1 + step->nsource);
            const bool is_ratio = step->kind == LW_STEP_LINEAR && !is_coupling && column > 0 &&
                                  m->kernel->program->step[s].nloop == 0; // a parallelogram
            const int row = is_ratio ? i / (1 + step->nsource) : 0;
            const char *part = is_ratio ? m->tree_velocity_name[step->target[row]] : step->name;
            snprintf(stem, sizeof stem,
                     is_coupling         ? "c%d"
                     : step->nsource > 1 ? "n%d"
                                         : "n",
                     column);
            c[i] = is_coupling || is_ratio ? lwi_closure_symbol(k, stem, part, step->coefficient[i])
                                           : lwi_number(k->g, step->coefficient[i]);
        }
    }
    for (int i = 0; i < m->nloop && k->rod_length && k->rod_mass; ++i) {
        const lw_loop_info *loop = &m->loop[i];
        k->rod_length[i] = lwi_number(k->g, loop->length);
        k->rod_mass[i] = lwi_number(k->g, loop->mass);
        if (loop->is_rod) {
            k->rod_length[i] = lwi_closure_symbol(k, "l", loop->name, loop->length);
            k->rod_mass[i] = lwi_closure_symbol(k, "m", loop->name, loop->mass);
        }
    }
}

double lwi_rounding(const lw_derive_options *options)
{
    return options->rounding > 0.0 ? options->rounding : standard_rounding;
}

lw_status lwi_symbolic_init(lwi_symbolic *k, const lw_model *m, const lw_derive_options *options,
                            lwi_graph *g, lw_report *report)
{
    *k = (lwi_symbolic){.m = m,
                        .g = g,
                        .report = report,
                        .is_searched = options->effort > 0,
                        .is_symbolic = options->is_symbolic || options->inputs,
                        .has_all = options->is_symbolic,
                        .inputs = options->inputs,
                        .has_product_integrals = options->has_product_integrals,
                        .is_sincos_input = options->is_sincos_input,
                        .is_ideal = options->is_ideal,
                        .is_frictionless = options->is_frictionless,
                        .friction_speed = options->friction_speed,
                        .noise = lwi_rounding(options),
                        .unbalance = options->unbalance};
    k->body = lwi_symbolic_alloc(k, m->nbody, sizeof *k->body);
    k->step = lwi_symbolic_alloc(k, m->nstep, sizeof *k->step);
    k->passive = lwi_symbolic_alloc(k, m->tree_nv, sizeof *k->passive);
    k->rod_length = lwi_symbolic_take(k, m->nloop);
    k->rod_mass = lwi_symbolic_take(k, m->nloop);
    k->v = lwi_symbolic_take(k, m->nv);
    k->a = lwi_symbolic_take(k, m->nv);
    k->input_taken =
        lwi_symbolic_alloc(k, k->inputs ? (int)strlen(k->inputs) + 1 : 0, sizeof *k->input_taken);
    if (k->status != LW_OK) {
        return k->status;
    }
    k->gravity = lwi_gravity_symbols(k);
    lw_status status = bodies(k);
    if (status == LW_OK) {
        passive_forces(k);
        status = lwi_number_springs(k);
        closure_numbers(k);
    }
    status = status == LW_OK ? k->status : status;
    status = status == LW_OK ? lwi_check_inputs(k) : status;
    if (status == LW_OK) {
        independent(k);
        status = lwi_symbolic_close(k);
        lwi_note_numbers_in_loops(k);
    }
    return status == LW_OK ? lwi_graph_status(g) : status;
}

void lwi_note_skew(const lw_model *m, const lw_derive_options *options, lw_report *report)
{
    static const double seldom_meant = 1e-4; // rad: 1.5708 is off by 4e-6
    const double noise = lwi_rounding(options);
    int first = -1, count = 0;
    double most = 0.0;
    for (int i = 0; i < m->nbody; ++i) {
        double own = 0.0;
        for (int r = 0; r < 3; ++r) {
            const lw_vec3 row = m->X_PJ[i].R.row[r];
            const double entry[3] = {fabs(row.x), fabs(row.y), fabs(row.z)};
            for (int c = 0; c < 3; ++c) {
                own = entry[c] >= noise && entry[c] < seldom_meant ? fmax(own, entry[c]) : own;
            }
        }
        first = own > 0.0 && count == 0 ? i : first;
        count += own > 0.0;
        most = fmax(most, own);
    }
    if (count > 0) {
        lwi_report_note(report, lwi_joint_location(m, m->joint[first]), LW_DIAG_AXIS_SKEW,
                        "joint \"%s\" %s off a right angle by up to %.1e, which costs "
                        "operations; rounding (--round) by %.0e leaves it out",
                        m->joints[m->joint[first]].name, count > 1 ? "and some others are" : "is",
                        most, pow(10.0, floor(log10(most)) + 1.0));
    }
}

void lwi_symbolic_free(lwi_symbolic *k)
{
    lwi_arena_free(&k->arena);
}

void lwi_symbolic_world(lwi_symbolic *k, lwi_frame *X)
{
    for (int i = 0; i < k->m->nbody; ++i) {
        const lwi_sym_body *b = &k->body[i];
        X[i] = b->parent < 0 ? b->X : frame_mul(k->g, &X[b->parent], &b->X);
    }
}
