// Gears from geometry (Yeo et al. 2004, section on gear constraints).
//
// Between the two wheels the tree has a chain of joints. Those next to the first wheel rotate about
// its axis, those next to the second about its own; where the two groups meet is the carrier.
// Relative to the carrier the wheels rotate by the sums of their groups, w1 and w2 about u1 and u2,
// and where they touch, at P, they do not slip:
//
//   (w1 u1 x (P - O1)) . t = (w2 u2 x (P - O2)) . t
//
// along the direction t in which the teeth push. Each group's directions are those of its joints,
// so no sign is anyone's convention: reversing an axis reverses its coefficient.
#include "close.h"

#include "../base/report.h"
#include "../loop/closed_form_loops.h"
#include "../model/joint.h"
#include "axes.h"

#include <string.h>

typedef struct wheel {
    int flat, body;
    lw_pose X_WB; ///< of its body, in the world of the reference configuration
    lw_vec3 O;    ///< its centre there
} wheel;

// One joint between the wheels, in the world of the reference configuration.
typedef struct shaft {
    int v, body;
    bool is_slide;
    lw_vec3 p, z;
    bool is_upward; ///< the chain runs through it from child to parent
} shaft;

lw_pose lwi_reference_pose(const lwi_build *b, int body)
{
    // Few gears, short chains: poses are found anew from the body up.
    lw_pose X = lw_pose_identity();
    for (int i = body; i >= 0; i = b->body[i].parent) {
        const lw_pose one = lw_pose_identity();
        const lw_pose X_J = joint_frame_after(&b->draft, i, &one);
        const lw_pose X_PB = joint_pose_after(&b->draft, i, b->tree_q_reference, &X_J);
        X = lw_pose_mul(&X_PB, &X);
    }
    return X;
}

lw_port lwi_wheel_port(const lw_mech *mech, const char *name)
{
    lw_port port = {lw_find_part(mech, name, LW_PART_LINK), LWI_PORT_A};
    if (port.part.index < 0) {
        port.part = lw_find_part(mech, name, LW_PART_GROUND);
        port.index = LWI_PORT_B;
    }
    return port.part.index >= 0 ? port : lw_find_port(mech, name);
}

static bool find_wheel(lwi_build *b, const lwi_built_gear *gear, const char *name, wheel *w)
{
    const lwi_instance *instance = &b->instance[gear->instance];
    const lw_mech *mech = instance->mech;
    const lw_port port = lwi_wheel_port(mech, name);
    if (port.part.index < 0) {
        lw_nearest nearest;
        lw_nearest_init(&nearest, name);
        for (int p = 0; p < mech->part.count; ++p) {
            if (mech->part.at[p].kind == LW_PART_LINK) {
                lw_nearest_offer(&nearest, mech->part.at[p].name);
            }
        }
        lwi_report_error(b->report, gear->def->location, LW_ERR_NAME,
                         "gear \"%s\": there is no link \"%s\"%s%s%s", gear->def->name, name,
                         nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
                         nearest.best ? "\"?" : "");
        return false;
    }
    w->flat = instance->first_flat + port.part.index;
    if (b->flat[w->flat].is_left_out) {
        return true;
    }
    const lw_pose X_BW = lwi_port_pose(b, w->flat, port.index, &w->body);
    w->X_WB = lwi_reference_pose(b, w->body);
    w->O = lw_pose_apply(&w->X_WB, X_BW.p);
    return true;
}

// Up from the first wheel to the body common to both, then down to the second.
static int find_chain(const lwi_build *b, int one, int two, shaft *chain)
{
    int up[2] = {0, 0}, i = one, j = two;
    while (i != j) {
        if (i > j) {
            i = b->body[i].parent;
            ++up[0];
        } else {
            j = b->body[j].parent;
            ++up[1];
        }
    }
    const int n = up[0] + up[1];
    for (int side = 0; side < 2; ++side) {
        int body = side ? two : one;
        for (int k = 0; k < up[side]; ++k) {
            const lw_pose X = lwi_reference_pose(b, body);
            shaft *s = &chain[side ? n - 1 - k : k];
            *s = (shaft){.v = b->body[body].nv == 1 ? b->body[body].v : -1,
                         .body = body,
                         .is_slide = b->body[body].carrier == LW_TREE_PRISMATIC,
                         .p = X.p,
                         .z = column_z(&X.R),
                         .is_upward = side == 0};
            body = b->body[body].parent;
        }
    }
    return n;
}

// Axes that files give to eight digits or so count as parallel, as one line, or as meeting: as a
// sine, and as a share of the size of the chain and of their distance.
static const double aligned = 1e-7;

// As a share of that size: what is nearer than this has no direction from there.
static const double no_distance = 1e-9;

// The largest distance of a joint of the chain from its first, and of the wheels from there; a
// metre where there is none.
static double size_of_chain(const shaft *chain, int n, const wheel w[2])
{
    double size =
        fmax(lw_norm3(lw_sub3(w[0].O, chain[0].p)), lw_norm3(lw_sub3(w[1].O, chain[0].p)));
    for (int k = 1; k < n; ++k) {
        size = fmax(size, lw_norm3(lw_sub3(chain[k].p, chain[0].p)));
    }
    return size > 0.0 ? size : 1.0;
}

// Whether a joint rotates about the same line as another, or slides along the same direction.
static bool is_same_axis(const shaft *s, const shaft *other, double size)
{
    if (s->v < 0 || s->is_slide != other->is_slide ||
        lw_norm3(lw_cross3(s->z, other->z)) > aligned) {
        return false;
    }
    const lw_vec3 d = lw_sub3(s->p, other->p);
    return s->is_slide || lw_norm3(lw_cross3(d, s->z)) < aligned * (size + lw_norm3(d));
}

// The part of a vector that is across a unit vector.
static lw_vec3 across(lw_vec3 a, lw_vec3 unit)
{
    return lw_sub3(a, lw_scale3(lw_dot3(a, unit), unit));
}

static lw_vec3 unit_of(lw_vec3 a, double size)
{
    const double n = lw_norm3(a);
    return n > 1e-12 * size ? lw_scale3(1.0 / n, a) : lw_vec3_of(0.0, 0.0, 0.0);
}

// Coefficients of the two turning rates: c1 w1 + c2 w2 = 0. False with a reason where the wheels do
// not lie as their type requires.
static const char *parallel_row(const lw_gear_def *def, const lw_vec3 u[2], double c[2])
{
    const double same = lw_dot3(u[0], u[1]);
    if (fabs(fabs(same) - 1.0) > aligned) {
        return "their axes are not parallel";
    }
    const double way = same > 0.0 ? 1.0 : -1.0;
    c[0] = def->size[0];
    c[1] = (def->type == LW_GEAR_SPUR ? way : -way) * def->size[1];
    return NULL;
}

// Where two axes come nearest, on the first one.
static lw_vec3 meeting_point(const lw_vec3 u[2], const lw_vec3 p[2])
{
    const lw_vec3 n = lw_cross3(u[0], u[1]);
    const double s = lw_dot3(lw_cross3(lw_sub3(p[1], p[0]), u[1]), n) / lw_dot3(n, n);
    return lw_add3(p[0], lw_scale3(s, u[0]));
}

// Axes that meet in V: both wheels roll along the line from V between the directions of their
// centres, and every point P of it moves across the plane of the axes.
static const char *bevel_row(const lw_gear_def *def, const lw_vec3 u[2], const lw_vec3 p[2],
                             const lw_vec3 O[2], double size, double c[2])
{
    const lw_vec3 n = lw_cross3(u[0], u[1]);
    const double sine = lw_norm3(n);
    if (sine < aligned) {
        return "their axes are parallel";
    }
    const lw_vec3 d = lw_sub3(p[1], p[0]);
    if (fabs(lw_dot3(d, n)) > aligned * sine * (size + lw_norm3(d))) {
        return "their axes do not meet";
    }
    const lw_vec3 V = meeting_point(u, p);
    lw_vec3 toward[2];
    for (int k = 0; k < 2; ++k) {
        const double along = lw_dot3(lw_sub3(O[k], V), u[k]);
        if (fabs(along) < no_distance * size) {
            return "a wheel's centre lies where the axes meet; give the frame of the wheel itself";
        }
        toward[k] = lw_scale3(along > 0.0 ? 1.0 : -1.0, u[k]);
    }
    // w1 u1 x P = w2 u2 x P with |u_k x P| proportional to the radii.
    const lw_vec3 P = lw_add3(toward[0], toward[1]);
    c[0] = lw_dot3(lw_cross3(u[0], P), n) > 0.0 ? def->size[0] : -def->size[0];
    c[1] = lw_dot3(lw_cross3(u[1], P), n) > 0.0 ? -def->size[1] : def->size[1];
    return NULL;
}

// The thread of a right-handed worm that turns by w1 about u1 pushes along -u1; sizes are teeth, so
// that the wheel turns by size0 / size1 of the worm.
static const char *worm_row(const lw_gear_def *def, const lw_vec3 u[2], const lw_vec3 p[2],
                            double size, double c[2])
{
    const lw_vec3 n = lw_cross3(u[0], u[1]);
    if (lw_norm3(n) < aligned) {
        return "a worm's axis and its wheel's must cross";
    }
    const lw_vec3 unit = unit_of(n, 1.0);
    const lw_vec3 toward = lw_scale3(lw_dot3(lw_sub3(p[0], p[1]), unit), unit); // wheel to worm
    if (lw_norm3(toward) < no_distance * size) {
        return "their axes meet";
    }
    const double push = lw_dot3(lw_cross3(u[1], toward), u[0]); // of the wheel's teeth along u1
    c[0] = def->hand * def->size[0];
    c[1] = push > 0.0 ? def->size[1] : -def->size[1];
    return NULL;
}

// Pinion first: its rim carries the rack along.
static const char *rack_row(const lw_gear_def *def, const lw_vec3 u[2], const lw_vec3 p[2],
                            const lw_vec3 O[2], double size, double c[2])
{
    if (fabs(lw_dot3(u[0], u[1])) > aligned) {
        return "the rack must slide across the pinion's axis";
    }
    const lw_vec3 apart = across(across(lw_sub3(O[1], p[0]), u[0]), u[1]); // axis to rack
    const lw_vec3 e = unit_of(apart, size);
    if (lw_norm3(e) < 0.5) {
        return "the rack's frame lies on the line through the pinion's axis; give the rack's own";
    }
    c[0] = def->size[0] * lw_dot3(lw_cross3(u[0], e), u[1]);
    c[1] = -1.0;
    return NULL;
}

// Pitch radii where the description has none: wheels side by side share the distance of their axes,
// and the cones of bevel wheels have the sizes of their centres' distances from where the axes
// meet.
static void find_radii(lwi_built_gear *gear, const lw_vec3 u[2], const lw_vec3 p[2],
                       const lw_vec3 O[2])
{
    const lw_gear_def *def = gear->def;
    const double *size = def->size;
    double unit = 0.0; // m for one unit of the sizes
    if (def->has_radii || def->type == LW_GEAR_RACK) {
        unit = 1.0;
    } else if (def->type == LW_GEAR_SPUR || def->type == LW_GEAR_INTERNAL) {
        const double distance = lw_norm3(across(lw_sub3(p[1], p[0]), u[0]));
        const double sum = def->type == LW_GEAR_SPUR ? size[0] + size[1] : fabs(size[0] - size[1]);
        unit = sum > 0.0 ? distance / sum : 0.0;
    } else if (def->type == LW_GEAR_BEVEL) {
        const lw_vec3 V = meeting_point(u, p);
        const lw_vec3 arm[2] = {lw_scale3(lw_dot3(lw_sub3(O[0], V), u[0]), u[0]),
                                lw_scale3(lw_dot3(lw_sub3(O[1], V), u[1]), u[1])};
        const lw_vec3 toward[2] = {unit_of(arm[0], 0.0), unit_of(arm[1], 0.0)};
        const double cosine = lw_dot3(toward[0], toward[1]);
        const double sine = lw_norm3(lw_cross3(toward[0], toward[1]));
        const double slope = sine / (size[1] / size[0] + cosine); // of the first cone
        unit = fabs(slope) * lw_norm3(arm[0]) / size[0];
    }
    gear->radius[0] = unit * size[0];
    gear->radius[1] = def->type == LW_GEAR_RACK ? 0.0 : unit * size[1];
}

// The motion follows from the radii alone, but wheels that are drawn beside each other, or into
// each other, are a slip of the description.
static void warn_of_distance(lwi_build *b, const lwi_built_gear *gear, const lw_vec3 u[2],
                             const lw_vec3 p[2])
{
    const lw_gear_def *def = gear->def;
    const bool is_spur = def->type == LW_GEAR_SPUR;
    if (!def->has_radii || !(is_spur || def->type == LW_GEAR_INTERNAL)) {
        return;
    }
    const double distance = lw_norm3(across(lw_sub3(p[1], p[0]), u[0]));
    const double fit = is_spur ? def->size[0] + def->size[1] : fabs(def->size[0] - def->size[1]);
    if (fabs(distance - fit) > 0.01 * fmax(distance, fit)) {
        lwi_report_warning(
            b->report, def->location, LW_DIAG_GEAR_DISTANCE,
            "gear \"%s\": the axes are %.4g m apart, and wheels of these radii touch "
            "at %.4g m",
            def->name, distance, fit);
    }
}

static lw_status report_gear(lwi_build *b, const lwi_built_gear *gear, const char *why)
{
    return lwi_report_error(b->report, gear->def->location, LW_ERR_MODEL,
                            "gear \"%s\" between \"%s\" and \"%s\": %s", gear->def->name,
                            gear->def->wheel[0], gear->def->wheel[1], why);
}

static void place_wheels(lwi_built_gear *gear, const wheel w[2], const lw_vec3 u[2])
{
    for (int k = 0; k < 2; ++k) {
        const lw_pose X_WW = {lw_rotation_to_z(u[k]), w[k].O};
        const lw_pose X_BW = lw_pose_inverse(&w[k].X_WB);
        gear->body[k] = w[k].body;
        gear->X_BW[k] = lw_pose_mul(&X_BW, &X_WW);
    }
}

// How many joints of the chain, from its first end, rotate about the axis of the first wheel; the
// others must rotate about that of the second. -1 where that is not so.
static int find_groups(const shaft *chain, int n, double size)
{
    int first = 0, last = n;
    while (first < n && is_same_axis(&chain[first], &chain[0], size)) {
        ++first;
    }
    while (last > first && is_same_axis(&chain[last - 1], &chain[n - 1], size)) {
        --last;
    }
    return last == first && first < n ? first : -1;
}

// No slip where the wheels touch: c[0] w0 + c[1] w1 = 0 for their rates against the carrier.
// Returns what is wrong with the gear, or null.
static const char *row_of(const lw_gear_def *def, const lw_vec3 u[2], const lw_vec3 p[2],
                          const lw_vec3 O[2], double size, double c[2])
{
    switch (def->type) {
    case LW_GEAR_BEVEL:
        return bevel_row(def, u, p, O, size, c);
    case LW_GEAR_WORM:
        return worm_row(def, u, p, size, c);
    case LW_GEAR_RACK:
        return rack_row(def, u, p, O, size, c);
    default:
        return parallel_row(def, u, c);
    }
}

// The row on the rates of the joints of the chain.
static bool set_shares(lwi_build *b, lwi_built_gear *gear, const shaft *chain, int n, int first,
                       const lw_vec3 u[2], const double c[2])
{
    int *dof = lwi_arena_take(b->arena, (size_t)n, sizeof *dof);
    double *share = lwi_arena_take(b->arena, (size_t)n, sizeof *share);
    if (!dof || !share) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        // A joint turns its child. Where the wheel is on that side it turns with the joint's rate
        // against the carrier, else against it.
        const int group = k >= first;
        const bool is_child = chain[k].is_upward == (group == 0);
        const bool is_along = lw_dot3(chain[k].z, u[group]) > 0.0;
        dof[k] = chain[k].v;
        share[k] = is_child == is_along ? c[group] : -c[group];
    }
    gear->ndof = n;
    gear->nfirst = first;
    gear->dof = dof;
    gear->share = share;
    return true;
}

// Splits the chain into the two groups and writes the row. One joint group may be empty only where
// the wheel is the carrier itself, which then does not turn.
static lw_status make_row(lwi_build *b, lwi_built_gear *gear, const wheel w[2], const shaft *chain,
                          int n)
{
    if (n < 2) {
        return report_gear(b, gear,
                           n ? "one of them is the carrier of the other" : "both are on one body");
    }
    const double size = size_of_chain(chain, n, w);
    const int first = find_groups(chain, n, size);
    if (first < 0) {
        return report_gear(
            b, gear,
            "no carrier: the joints between them do not rotate about the axis of the "
            "one and then about that of the other");
    }
    const lw_vec3 u[2] = {chain[0].z, chain[n - 1].z}, p[2] = {chain[0].p, chain[n - 1].p};
    const lw_vec3 O[2] = {w[0].O, w[1].O};
    const bool slides[2] = {chain[0].is_slide, chain[n - 1].is_slide};
    if (slides[0] || slides[1] != (gear->def->type == LW_GEAR_RACK)) {
        return report_gear(b, gear, "only a rack slides, and it comes second");
    }
    double c[2];
    const char *why = row_of(gear->def, u, p, O, size, c);
    if (why) {
        return report_gear(b, gear, why);
    }
    if (!set_shares(b, gear, chain, n, first, u, c)) {
        return lwi_build_no_memory(b);
    }
    gear->turn[0] = c[0];
    gear->turn[1] = c[1];
    find_radii(gear, u, p, O);
    warn_of_distance(b, gear, u, p);
    // The chain leaves the first group where the carrier is: at the parent's side of its last joint
    // where it runs upward, else at the child's.
    const shaft *last_of_first = &chain[first - 1];
    gear->carrier =
        last_of_first->is_upward ? b->body[last_of_first->body].parent : last_of_first->body;
    place_wheels(gear, w, u);
    return LW_OK;
}

// Sun and ring rotate about one axis with the carrier, and against it by the same rim speed, the
// other way round: size0 w_sun + size1 w_ring = 0. The planets between them only turn that way
// round.
static lw_status make_planetary_row(lwi_build *b, lwi_built_gear *gear, const wheel w[3],
                                    shaft *chain)
{
    const int n[2] = {find_chain(b, w[0].body, w[2].body, chain),
                      find_chain(b, w[1].body, w[2].body, chain + b->nbody)};
    if (n[0] == 0 || n[1] == 0) {
        return report_gear(b, gear,
                           n[0] ? "the ring is on the carrier" : "the sun is on the carrier");
    }
    const size_t count = (size_t)(n[0] + n[1]);
    int *dof = lwi_arena_take(b->arena, count, sizeof *dof);
    double *share = lwi_arena_take(b->arena, count, sizeof *share);
    if (!dof || !share) {
        return lwi_build_no_memory(b);
    }
    const lw_vec3 u[2] = {chain[0].z, chain[0].z};
    const double size = size_of_chain(chain, n[0], w);
    for (int k = 0, at = 0; k < 2; ++k) {
        for (int i = 0; i < n[k]; ++i, ++at) {
            const shaft *s = &chain[k * b->nbody + i];
            if (s->is_slide || !is_same_axis(s, &chain[0], size)) {
                return report_gear(b, gear, "sun, ring and carrier do not rotate about one axis");
            }
            const bool is_along = lw_dot3(s->z, u[0]) > 0.0;
            dof[at] = s->v;
            share[at] = s->is_upward == is_along ? gear->size[k] : -gear->size[k];
        }
    }
    gear->ndof = (int)count;
    gear->nfirst = n[0];
    gear->dof = dof;
    gear->share = share;
    gear->carrier = w[2].body;
    for (int k = 0; k < 2; ++k) {
        gear->turn[k] = gear->size[k];
        gear->radius[k] = gear->def->has_radii ? gear->size[k] : 0.0;
    }
    place_wheels(gear, w, u);
    return LW_OK;
}

static void subtract_row(double *row, double factor, const double *other, size_t n)
{
    for (size_t c = 0; c < n && factor != 0.0; ++c) {
        row[c] -= factor * other[c];
    }
}

// Gear rows alone, reduced one by one: a row that vanishes says what others say already, and one
// that leaves a single degree of freedom would lock it.
static lw_status check_rows(lwi_build *b)
{
    const size_t n = (size_t)b->tree_nv;
    static const double no_entry = 1e-10; // beside the row's largest: rounding of the elimination
    enum { MOST = 20 * 1000 * 1000 };     // entries, which are 160 MB
    if ((size_t)b->ngear * n > MOST) {
        return lwi_report_error(
            b->report, (lw_location){0}, LW_ERR_LIMIT,
            "\"%s\" has %d gears on %d degrees of freedom, which is more than this "
            "compiler takes",
            b->mech->name, b->ngear, b->tree_nv);
    }
    double *at = lwi_arena_take(b->arena, (size_t)b->ngear * n, sizeof *at);
    int *pivot = lwi_arena_take(b->arena, (size_t)b->ngear, sizeof *pivot);
    if (!at || !pivot) {
        return lwi_build_no_memory(b);
    }
    int used = 0;
    for (int g = 0; g < b->ngear; ++g) {
        const lwi_built_gear *gear = &b->gear[g];
        double *row = &at[(size_t)used * n];
        memset(row, 0, n * sizeof *row);
        double size = 0.0;
        for (int k = 0; k < gear->ndof; ++k) {
            row[gear->dof[k]] += gear->share[k];
            size = fmax(size, fabs(gear->share[k]));
        }
        for (int r = 0; r < used; ++r) {
            subtract_row(row, row[pivot[r]], &at[(size_t)r * n], n);
        }
        int best = 0, count = 0;
        for (size_t c = 0; c < n; ++c) {
            row[c] = fabs(row[c]) < no_entry * size ? 0.0 : row[c];
            count += row[c] != 0.0;
            best = fabs(row[c]) > fabs(row[best]) ? (int)c : best;
        }
        if (count == 0) {
            lwi_report_note(b->report, gear->location, LW_DIAG_GEAR_REDUNDANT,
                            "%s \"%s\" is redundant: other gears imply it", gear->word, gear->name);
            continue;
        }
        if (count == 1) {
            lwi_report_error(b->report, gear->location, LW_ERR_MODEL,
                             "%s \"%s\" contradicts the gears before it: together they lock "
                             "\"%s\"",
                             gear->word, gear->name, b->tree_v_name[best]);
            continue;
        }
        const double inverse = 1.0 / row[best];
        for (size_t c = 0; c < n; ++c) {
            row[c] *= inverse;
        }
        for (int r = 0; r < used; ++r) {
            double *other = &at[(size_t)r * n];
            subtract_row(other, other[best], row, n);
        }
        pivot[used++] = best;
    }
    return LW_OK;
}

lw_status lwi_find_gears(lwi_build *b)
{
    int most = lwi_count_axis_rows(b);
    for (int i = 0; i < b->ninstance; ++i) {
        most += b->instance[i].mech->gear.count;
    }
    b->gear = lwi_arena_take(b->arena, (size_t)most, sizeof *b->gear);
    shaft *chain = most ? lwi_arena_take(b->arena, 2 * (size_t)b->nbody, sizeof *chain) : NULL;
    if (!b->gear || (most && !chain)) {
        return lwi_build_no_memory(b);
    }
    for (int i = 0; i < b->ninstance; ++i) {
        const lw_mech *mech = b->instance[i].mech;
        for (int k = 0; k < mech->gear.count; ++k) {
            lwi_built_gear *gear = &b->gear[b->ngear];
            const lw_gear_def *def = &mech->gear.at[k];
            *gear = (lwi_built_gear){.name = def->name,
                                     .prefix = b->instance[i].prefix,
                                     .word = "gear",
                                     .location = def->location,
                                     .type = def->type,
                                     .size = {def->size[0], def->size[1]},
                                     .def = def,
                                     .instance = i};
            const bool is_planetary = def->type == LW_GEAR_PLANETARY;
            const char *const name[3] = {def->wheel[0], def->wheel[1], def->carrier};
            wheel w[3];
            bool is_there = !lwi_is_gear_left_out(b, i, def);
            for (int i_wheel = 0; is_there && i_wheel < (is_planetary ? 3 : 2); ++i_wheel) {
                is_there = find_wheel(b, gear, name[i_wheel], &w[i_wheel]) &&
                           !b->flat[w[i_wheel].flat].is_left_out && is_there;
            }
            if (!is_there) {
                continue;
            }
            const lw_status status =
                is_planetary
                    ? make_planetary_row(b, gear, w, chain)
                    : make_row(b, gear, w, chain, find_chain(b, w[0].body, w[1].body, chain));
            if (status == LW_ERR_MEMORY) {
                return status;
            }
            b->ngear += status == LW_OK;
        }
    }
    lw_status status = lwi_add_axis_rows(b);
    if (status == LW_OK && b->ngear) {
        status = check_rows(b);
    }
    return status == LW_OK && lw_report_errors(b->report) > 0 ? LW_ERR_MODEL : status;
}
