// From a compiled model to expressions.
//
// Numbers of the model carry the rounding of the turns that the compile made: entries of a rotation
// that are within a rounding of 0, 1 or -1 are taken for these, lengths and moments that are
// nothing beside others of their kind for zero, and moments that agree to as many digits for equal.
// Without that a right angle would cost as much as any other.
#include "symbolic_model.h"

#include "../base/report.h"
#include "../math/wide.h"
#include "../model/locations.h"
#include "spring_forces.h"
#include "symbols.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double standard_rounding = 1e-13;

lwi_expr *lwi_machine_room(lwi_machine *k, int n)
{
    lwi_expr *room = lwi_arena_take(&k->arena, n > 0 ? (size_t)n : 1, sizeof *room);
    if (!room && k->status == LW_OK) {
        k->status = LW_ERR_MEMORY;
    }
    return room;
}

static double snapped(double x, double noise)
{
    if (fabs(x) < noise) {
        return 0.0;
    }
    return fabs(fabs(x) - 1.0) < noise ? (x > 0 ? 1.0 : -1.0) : x;
}

static lw_mat3 snapped_rotation(const lw_mat3 *R, double noise)
{
    lw_mat3 out;
    for (int r = 0; r < 3; ++r) {
        const lw_vec3 row = R->row[r];
        out.row[r] =
            lw_vec3_of(snapped(row.x, noise), snapped(row.y, noise), snapped(row.z, noise));
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

static double clean(const lwi_machine *k, double x, double size)
{
    return fabs(x) < k->noise * size ? 0.0 : x;
}

static bool is_input(const lwi_machine *k, const char *stem, int body)
{
    return lwi_is_input(k, stem, k->m->body_name[body]);
}

// --- Placements -------------------------------------------------------------------------------

// Along the axis that a Denavit-Hartenberg row after Craig has: (a, -sin(alpha) d, cos(alpha) d).
static lwi_vec place_denavit(lwi_machine *k, int i, const lw_mat3 *R, lw_vec3 p)
{
    const double s = R->row[2].y, c = R->row[2].z;
    const lwi_expr a = lwi_length_symbol(k, "a", i, k->m->parent[i] + 1, p.x);
    const lwi_expr d = lwi_length_symbol(k, "d", i, i + 1, -s * p.y + c * p.z);
    return (lwi_vec){a, lwi_scale(k->g, -s, d), lwi_scale(k->g, c, d)};
}

static lwi_vec placement(lwi_machine *k, int i, const lw_mat3 *R, lw_vec3 p, double size)
{
    p = lw_vec3_of(clean(k, p.x, size), clean(k, p.y, size), clean(k, p.z, size));
    const bool is_row = R->row[0].x == 1.0 &&
                        fabs(R->row[2].z * p.y + R->row[2].y * p.z) <= k->noise * size &&
                        !is_input(k, "px", i) && !is_input(k, "py", i) && !is_input(k, "pz", i);
    const int before = k->nsymbol;
    if (k->is_symbolic) {
        const lwi_vec at = is_row ? place_denavit(k, i, R, p)
                                  : (lwi_vec){lwi_length_symbol(k, "px", i, i + 1, p.x),
                                              lwi_length_symbol(k, "py", i, i + 1, p.y),
                                              lwi_length_symbol(k, "pz", i, i + 1, p.z)};
        if (k->nsymbol > before) {
            return at;
        }
    }
    return vec_number(k->g, p);
}

// --- Inertias ---------------------------------------------------------------------------------

static double largest_moment(const lw_sym3 *I)
{
    return fmax(fabs(I->xx), fmax(fabs(I->yy), fabs(I->zz)));
}

static lw_sym3 clean_tensor(const lwi_machine *k, const lw_sym3 *I, double size)
{
    const lw_sym3 out = {clean(k, I->xx, size), clean(k, I->yy, size), clean(k, I->zz, size),
                         clean(k, I->xy, size), clean(k, I->xz, size), clean(k, I->yz, size)};
    return out;
}

static lwi_mass number_mass(lwi_machine *k, const lw_inertia *I, double size)
{
    lwi_graph *g = k->g;
    const double h_size = fmin(fmax(I->mass * size, largest3(I->first_moment)), DBL_MAX);
    const lw_vec3 h = I->first_moment;
    const lw_sym3 T = clean_tensor(k, &I->tensor, largest_moment(&I->tensor));
    return (lwi_mass){lwi_number(g, I->mass),
                      {lwi_number(g, clean(k, h.x, h_size)), lwi_number(g, clean(k, h.y, h_size)),
                       lwi_number(g, clean(k, h.z, h_size))},
                      {lwi_number(g, T.xx), lwi_number(g, T.yy), lwi_number(g, T.zz),
                       lwi_number(g, T.xy), lwi_number(g, T.xz), lwi_number(g, T.yz)}};
}

// A product of inertia: the entry of the tensor, or, where that is asked for, its negative.
static lwi_expr product_symbol(lwi_machine *k, int i, const char *stem, double entry)
{
    if (!k->has_product_integrals) {
        return lwi_body_symbol(k, stem, i, entry);
    }
    return lwi_neg(lwi_product_symbol(k, stem, i, entry == 0.0 ? 0.0 : -entry));
}

// The six numbers of a tensor; moments that agree get one symbol, that about the joint's axis z
// before others, unless they are inputs.
static lwi_sym tensor_symbols(lwi_machine *k, int i, const lw_sym3 *T, double size)
{
    const double noise = k->noise * size;
    const bool x = is_input(k, "Ixx", i), y = is_input(k, "Iyy", i), z = is_input(k, "Izz", i);
    const bool is_xz = T->zz != 0.0 && fabs(T->xx - T->zz) <= noise && !x && !z;
    const bool is_yz = T->zz != 0.0 && fabs(T->yy - T->zz) <= noise && !y && !z;
    const bool is_xy = T->yy != 0.0 && fabs(T->yy - T->xx) <= noise && !x && !y;
    lwi_expr xx = is_xz ? LWI_UNKNOWN : lwi_body_symbol(k, "Ixx", i, T->xx);
    lwi_expr yy = is_yz ? LWI_UNKNOWN : is_xy && !is_xz ? xx : lwi_body_symbol(k, "Iyy", i, T->yy);
    const lwi_expr zz = lwi_body_symbol(k, "Izz", i, T->zz);
    xx = is_xz ? zz : xx;
    yy = is_yz ? zz : yy;
    return (lwi_sym){xx,
                     yy,
                     zz,
                     product_symbol(k, i, "Ixy", T->xy),
                     product_symbol(k, i, "Ixz", T->xz),
                     product_symbol(k, i, "Iyz", T->yz)};
}

// Moments without mass: of estimated models, whose numbers are lumped.
static lwi_mass massless(lwi_machine *k, int i, const lw_inertia *I)
{
    const lw_sym3 T = clean_tensor(k, &I->tensor, largest_moment(&I->tensor));
    const lw_vec3 h = I->first_moment;
    return (lwi_mass){lwi_body_symbol(k, "m", i, I->mass),
                      {lwi_body_symbol(k, "mx", i, h.x), lwi_body_symbol(k, "my", i, h.y),
                       lwi_body_symbol(k, "mz", i, h.z)},
                      tensor_symbols(k, i, &T, largest_moment(&T))};
}

// Mass, centre of mass and the tensor about it.
static lwi_described describe(lwi_machine *k, int i, const lw_inertia *I, double size)
{
    const double m = I->mass;
    const lw_vec3 c = lw_scale3(1.0 / m, I->first_moment);
    const lw_vec3 r = lw_vec3_of(clean(k, c.x, size), clean(k, c.y, size), clean(k, c.z, size));
    const double rr = lw_dot3(r, r), most = largest_moment(&I->tensor);
    const lw_sym3 *A = &I->tensor;
    const lw_sym3 central = {A->xx - m * (rr - r.x * r.x), A->yy - m * (rr - r.y * r.y),
                             A->zz - m * (rr - r.z * r.z), A->xy + m * r.x * r.y,
                             A->xz + m * r.x * r.z,        A->yz + m * r.y * r.z};
    const lw_sym3 T = clean_tensor(k, &central, most);
    return (lwi_described){lwi_body_symbol(k, "m", i, m),
                           {lwi_body_symbol(k, "rx", i, r.x), lwi_body_symbol(k, "ry", i, r.y),
                            lwi_body_symbol(k, "rz", i, r.z)},
                           tensor_symbols(k, i, &T, most)};
}

// The tensor about the origin: I + m (r.r 1 - r r'). What hangs on parameters alone costs nothing
// when the code runs.
static lwi_mass about_origin(lwi_graph *g, const lwi_described *d)
{
    const lwi_vec p = d->center, h = vec_scale(g, d->mass, p);
    const lwi_sym *at = &d->tensor;
    const lwi_expr xx = lwi_mul(g, h.x, p.x), yy = lwi_mul(g, h.y, p.y), zz = lwi_mul(g, h.z, p.z);
    return (lwi_mass){
        d->mass,
        h,
        {lwi_add(g, at->xx, lwi_add(g, yy, zz)), lwi_add(g, at->yy, lwi_add(g, xx, zz)),
         lwi_add(g, at->zz, lwi_add(g, xx, yy)), lwi_sub(g, at->xy, lwi_mul(g, h.x, p.y)),
         lwi_sub(g, at->xz, lwi_mul(g, h.x, p.z)), lwi_sub(g, at->yz, lwi_mul(g, h.y, p.z))}};
}

static void inertia(lwi_machine *k, int i, double size)
{
    const lw_inertia *I = &k->m->inertia[i];
    lwi_sbody *b = &k->body[i];
    const int before = k->nsymbol;
    if (I->mass > 0.0) {
        b->described = describe(k, i, I, size);
    }
    if (k->is_symbolic) {
        b->own = I->mass > 0.0 ? about_origin(k->g, &b->described) : massless(k, i, I);
    }
    if (k->nsymbol == before) {
        b->own = number_mass(k, I, size);
    }
}

// --- Positions --------------------------------------------------------------------------------

static lwi_rot turned(lwi_graph *g, const lwi_rot *R, lwi_expr c, lwi_expr s)
{
    lwi_rot out;
    for (int r = 0; r < 3; ++r) {
        const lwi_vec a = R->row[r];
        out.row[r] = (lwi_vec){lwi_add_products(g, c, a.x, s, a.y),
                               lwi_sub_products(g, c, a.y, s, a.x), a.z};
    }
    return out;
}

// With the cosine and the sine in the body, where its joint turns.
static void place(lwi_machine *k, int i, lwi_expr q)
{
    lwi_graph *g = k->g;
    lwi_sbody *b = &k->body[i];
    k->q[b->q] = q;
    b->X = b->rest;
    if (b->carrier != LW_TREE_PRISMATIC) {
        b->X.R = turned(g, &b->rest.R, b->c, b->s);
    }
    if (b->carrier != LW_TREE_REVOLUTE) {
        const lwi_expr travel =
            b->carrier == LW_TREE_SCREW ? lwi_mul(g, b->lead, lwi_machine_position(k, i)) : q;
        b->X.p = vec_add(g, b->rest.p, vec_scale(g, travel, rot_column(&b->rest.R, 2)));
    }
}

void lwi_machine_place(lwi_machine *k, int i, lwi_expr q, lwi_expr c, lwi_expr s)
{
    lwi_sbody *b = &k->body[i];
    if (b->carrier != LW_TREE_PRISMATIC) {
        b->c = q == LWI_UNKNOWN ? c : lwi_cos(k->g, q);
        b->s = q == LWI_UNKNOWN ? s : lwi_sin(k->g, q);
    }
    place(k, i, q);
}

void lwi_machine_place_whole(lwi_machine *k, int i, lwi_expr q)
{
    lwi_sbody *b = &k->body[i];
    if (b->carrier != LW_TREE_PRISMATIC) {
        lwi_whole_turn(k->g, q, &b->c, &b->s);
    }
    place(k, i, q);
}

// The angle nearest to the reference: a difference from it, less than half a turn.
lwi_expr lwi_machine_position(lwi_machine *k, int i)
{
    lwi_graph *g = k->g;
    const lwi_sbody *b = &k->body[i];
    if (k->q[b->q] == LWI_UNKNOWN) {
        const double reference = k->m->tree_q_reference[b->q];
        double cosine, sine;
        lwi_rounded_sincos(reference, &sine, &cosine);
        const lwi_expr c0 = lwi_number(g, cosine), s0 = lwi_number(g, sine);
        const lwi_expr c = lwi_add_products(g, b->c, c0, b->s, s0);
        const lwi_expr s = lwi_sub_products(g, b->s, c0, b->c, s0);
        const lwi_expr angle = lwi_atan2(g, s, c);
        k->q[b->q] = lwi_add(g, lwi_number(g, reference), angle);
    }
    return k->q[b->q];
}

static lwi_rot quaternion_rotation(lwi_graph *g, const lwi_expr q[4])
{
    lwi_expr square[4], two = LWI_ZERO;
    for (int i = 0; i < 4; ++i) {
        square[i] = lwi_mul(g, q[i], q[i]);
        two = lwi_add(g, two, square[i]);
    }
    two = lwi_div(g, lwi_number(g, 2.0), two);
    const lwi_expr wx = lwi_mul(g, q[0], q[1]), wy = lwi_mul(g, q[0], q[2]),
                   wz = lwi_mul(g, q[0], q[3]), xy = lwi_mul(g, q[1], q[2]),
                   xz = lwi_mul(g, q[1], q[3]), yz = lwi_mul(g, q[2], q[3]);
    lwi_rot R = {{{lwi_add(g, square[2], square[3]), lwi_sub(g, xy, wz), lwi_add(g, xz, wy)},
                  {lwi_add(g, xy, wz), lwi_add(g, square[1], square[3]), lwi_sub(g, yz, wx)},
                  {lwi_sub(g, xz, wy), lwi_add(g, yz, wx), lwi_add(g, square[1], square[2])}}};
    for (int r = 0; r < 3; ++r) {
        R.row[r] = vec_scale(g, two, R.row[r]);
    }
    R.row[0].x = lwi_sub(g, LWI_ONE, R.row[0].x);
    R.row[1].y = lwi_sub(g, LWI_ONE, R.row[1].y);
    R.row[2].z = lwi_sub(g, LWI_ONE, R.row[2].z);
    return R;
}

lwi_rot lwi_machine_rotation(lwi_machine *k, const lwi_sbody *b)
{
    return quaternion_rotation(k->g, k->q + b->q + (b->carrier == LW_TREE_FREE ? 3 : 0));
}

void lwi_machine_place_quaternion(lwi_machine *k, int i)
{
    lwi_sbody *b = &k->body[i];
    const bool is_free = b->carrier == LW_TREE_FREE;
    const lwi_expr *q = k->q + b->q;
    lwi_frame own = {lwi_machine_rotation(k, b), vec_zero()};
    if (is_free) {
        own.p = (lwi_vec){q[0], q[1], q[2]};
    }
    b->X = frame_mul(k->g, &b->rest, &own);
}

// Symbols of the independent coordinates, and the frames that hang on them.
static void independent(lwi_machine *k)
{
    const lw_model *m = k->m;
    for (int i = 0; i < m->tree_nq; ++i) {
        k->q[i] = LWI_UNKNOWN;
    }
    for (int i = 0; i < m->nq; ++i) {
        k->q[m->q_tree[i]] = lwi_symbol_of(k->g, m->position_name[i], LWI_POSITION, i);
    }
    for (int i = 0; i < m->nbody && k->is_sincos_input; ++i) {
        const bool turns = m->carrier[i] == LW_TREE_REVOLUTE || m->carrier[i] == LW_TREE_SCREW;
        for (int j = 0; j < m->nq && turns; ++j) {
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
        const lwi_sbody *b = &k->body[i];
        const lwi_expr q = k->q[b->q];
        if (q == LWI_UNKNOWN) {
            continue;
        }
        if (b->carrier == LW_TREE_SPHERICAL || b->carrier == LW_TREE_FREE) {
            lwi_machine_place_quaternion(k, i);
        } else {
            lwi_machine_place(k, i, q, LWI_ZERO, LWI_ZERO);
        }
    }
}

static lw_status bodies(lwi_machine *k)
{
    const lw_model *m = k->m;
    const double size = size_of(m);
    for (int i = 0; i < m->nbody; ++i) {
        lwi_sbody *b = &k->body[i];
        if (m->carrier[i] == LW_TREE_USER) {
            return lwi_report_error(k->report, lwi_joint_location(m, m->joint[i]),
                                    LW_ERR_UNSUPPORTED,
                                    "joint \"%s\" is given by callbacks: it has no formula that "
                                    "equations could be derived from",
                                    m->joints[m->joint[i]].name);
        }
        const lw_mat3 R = snapped_rotation(&m->X_PJ[i].R, k->noise);
        b->parent = m->parent[i];
        b->carrier = m->carrier[i];
        b->q = m->q_start[i];
        b->v = m->v_start[i];
        b->nv = m->v_start[i + 1] - m->v_start[i];
        b->rest.R = rot_number(k->g, &R);
        b->rest.p = placement(k, i, &R, m->X_PJ[i].p, size);
        b->lead = m->carrier[i] == LW_TREE_SCREW
                      ? lwi_length_symbol(k, "lead", i, i + 1, m->lead[i])
                      : LWI_ZERO;
        inertia(k, i, size);
    }
    return k->status;
}

static void dofs(lwi_machine *k)
{
    for (int i = 0; i < k->m->tree_nv && !k->is_ideal; ++i) {
        const lw_dof *f = &k->m->dof[i];
        k->within[i].damping = lwi_dof_symbol(k, "b", i, f->damping);
        if (isfinite(k->friction_speed)) {
            k->within[i].friction = lwi_dof_symbol(k, "f", i, f->friction);
        }
        k->within[i].rotor = lwi_dof_symbol(k, "Jr", i, f->rotor_inertia);
    }
    for (int i = 0; i < k->m->nbody && !k->is_ideal; ++i) {
        const int v = k->m->v_start[i];
        const lw_dof *f = &k->m->dof[v];
        if (k->body[i].nv == 1) {
            k->within[v].stiffness = lwi_dof_symbol(k, "k", v, f->stiffness);
        }
        if (k->within[v].stiffness != LWI_ZERO) {
            k->within[v].rest = lwi_dof_symbol(k, "rest", v, f->spring_rest);
        }
    }
}

double lwi_rounding(const lw_derive_options *options)
{
    return options->rounding > 0.0 ? options->rounding : standard_rounding;
}

lw_status lwi_machine_init(lwi_machine *k, const lw_model *m, const lw_derive_options *options,
                           lwi_graph *g, lw_report *report)
{
    *k = (lwi_machine){.m = m,
                       .g = g,
                       .report = report,
                       .is_searched = options->effort > 0,
                       .is_symbolic = options->is_symbolic || options->inputs,
                       .has_all = options->is_symbolic,
                       .inputs = options->inputs,
                       .has_product_integrals = options->has_product_integrals,
                       .is_sincos_input = options->is_sincos_input,
                       .is_ideal = options->is_ideal,
                       .friction_speed = options->friction_speed,
                       .noise = lwi_rounding(options),
                       .unbalance = options->unbalance};
    k->body = lwi_arena_take(&k->arena, (size_t)m->nbody + 1, sizeof *k->body);
    k->step = lwi_arena_take(&k->arena, (size_t)m->nstep + 1, sizeof *k->step);
    k->within = lwi_arena_take(&k->arena, (size_t)m->tree_nv + 1, sizeof *k->within);
    k->q = lwi_machine_room(k, m->tree_nq);
    k->v = lwi_machine_room(k, m->nv);
    k->a = lwi_machine_room(k, m->nv);
    if (!k->body || !k->step || !k->within || k->status != LW_OK) {
        return LW_ERR_MEMORY;
    }
    k->gravity = lwi_gravity_symbols(k);
    lw_status status = bodies(k);
    if (status == LW_OK) {
        dofs(k);
        status = lwi_number_springs(k);
    }
    status = status == LW_OK ? lwi_check_inputs(k) : status;
    if (status == LW_OK) {
        independent(k);
        status = lwi_machine_close(k);
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

void lwi_machine_free(lwi_machine *k)
{
    lwi_arena_free(&k->arena);
}

void lwi_machine_world(lwi_machine *k, lwi_frame *X)
{
    for (int i = 0; i < k->m->nbody; ++i) {
        const lwi_sbody *b = &k->body[i];
        X[i] = b->parent < 0 ? b->X : frame_mul(k->g, &X[b->parent], &b->X);
    }
}
