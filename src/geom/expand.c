#include "expand.h"

#include "deep_cone.h"
#include "fours.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    MOST_POINTS = 160,
    MOST_FACES = 2 * MOST_POINTS,
    MOST_EDGES = 128,
    SPARE = 3,
    MOST_CONES = 8
};

#define CLOSE_ENOUGH 5e-11 // of the size: the depth of curved cores is approached by many points

#define DOUBTFUL 1e-5 // angle by which rounding may turn where a face ends to be high enough

// Points until Newton's method is tried again, and until it is tried for other minima.
enum { EVERY = 4, LATE = 24 };

/// What is asked of all faces stands side by side.
typedef struct polytope {
    int npoint, nface;
    // Normals, outward, of unit length; with places to spare, as faces are looked at in fours.
    double x[MOST_FACES + SPARE], y[MOST_FACES + SPARE], z[MOST_FACES + SPARE];
    double distance[MOST_FACES + SPARE]; ///< of the plane from the origin
    double moved[MOST_FACES + SPARE];    ///< what rounding may have moved it: much for a sliver
                                         ///< that the origin is beside
    double open[MOST_FACES + SPARE];     ///< the distance, or infinite where no more is asked
    unsigned char at[MOST_FACES][4]; ///< points, counter-clockwise from outside; and the cone that
                                     ///< has closed the face, counted from 1
    lwi_difference point[MOST_POINTS];
    double far[MOST_POINTS]; ///< of the points, from the origin
    lw_vec3 inside;          ///< a point within all faces
    int ncone;
    lwi_deep_cone cone[MOST_CONES];
    double level;              ///< asked for in all directions; proven in the cones
    bool is_closed;            ///< no rounding can have turned a face about: edges meet then
    double rounding;           ///< of the points
    bool has_best;             ///< a face has the least height so far:
    unsigned char best[4];     ///< its points, which stay
    lw_vec3 on_best;           ///< its nearest point
    uint16_t edge[MOST_EDGES]; ///< from a point to a point, which has the low byte
} polytope;

_Static_assert(MOST_POINTS < 256, "points are counted in bytes");
_Static_assert(sizeof(polytope) <= sizeof(lw_distance_work), "work space of a distance");

// A unit vector across another one.
static lw_vec3 across(lw_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    const lw_vec3 least = x <= y && x <= z ? lw_vec3_of(1, 0, 0)
                          : y <= z         ? lw_vec3_of(0, 1, 0)
                                           : lw_vec3_of(0, 0, 1);
    return lw_unit3(lw_cross3(v, least));
}

// A direction that leaves the flat through the points, of unit length.
static lw_vec3 leaves(const lwi_difference *at, int n, int turn)
{
    if (n == 1) {
        return lw_vec3_of(turn == 0, turn == 1, turn == 2);
    }
    const lw_vec3 u = lw_sub3(at[1].w, at[0].w);
    if (n == 2) {
        const lw_vec3 s = across(u);
        return turn == 0 ? s : lw_unit3(lw_cross3(u, s));
    }
    return lwi_triangle_normal(u, lw_sub3(at[2].w, at[0].w));
}

// How far a point is from the flat through others.
static double off_flat(const lwi_difference *at, int n, lw_vec3 w)
{
    const lw_vec3 v = lw_sub3(w, at[0].w);
    return n == 1   ? lw_norm3(v)
           : n == 2 ? lw_norm3(lw_cross3(lw_unit3(lw_sub3(at[1].w, at[0].w)), v))
                    : fabs(lw_dot3(leaves(at, 3, 0), v));
}

// The points of a simplex without those that hardly leave the flat through others: fill() finds
// some that leave it farther.
static lwi_simplex spanning(const lwi_simplex *simplex, double least)
{
    lwi_simplex s = {.n = 0};
    for (int i = 0; i < simplex->n; ++i) {
        if (s.n == 0 || off_flat(s.at, s.n, simplex->at[i].w) > least) {
            s.at[s.n++] = simplex->at[i];
        }
    }
    return s;
}

// Adds points to the simplex until it has a volume. False where the difference has none: it is flat
// along `depth->normal`.
static bool fill(const lwi_solid_pair *pair, lwi_simplex *s, lwi_depth *depth)
{
    while (s->n < 4) {
        bool is_added = false;
        for (int turn = 0; turn < 4 - s->n && !is_added; ++turn) {
            const lw_vec3 n = leaves(s->at, s->n, turn);
            const lwi_difference side[2] = {lwi_support_pair(pair, n),
                                            lwi_support_pair(pair, lw_scale3(-1.0, n))};
            const double height[2] = {lw_dot3(n, lw_sub3(side[0].w, s->at[0].w)),
                                      -lw_dot3(n, lw_sub3(side[1].w, s->at[0].w))};
            const int higher = height[1] > height[0];
            if (height[higher] > pair->rounding) {
                s->at[s->n++] = side[higher];
                is_added = true;
            } else {
                depth->normal = n;
            }
        }
        if (!is_added) {
            return false;
        }
    }
    return true;
}

// False where the three points are in a line, or memory is at its end.
static bool add_face(polytope *p, int i, int j, int k)
{
    const lw_vec3 a = p->point[i].w, u = lw_sub3(p->point[j].w, a), v = lw_sub3(p->point[k].w, a);
    lw_vec3 n = lw_cross3(u, v);
    const double nn = lw_dot3(n, n);
    if (p->nface == MOST_FACES || !(nn > 0.0)) {
        return false;
    }
    const lw_vec3 w = lw_sub3(v, u);
    const double longest = lwi_larger(lw_dot3(u, u), lwi_larger(lw_dot3(v, v), lw_dot3(w, w)));
    const double inward = lw_dot3(n, lw_sub3(p->inside, a));
    const bool is_inward = inward > 0.0;
    const double inverse = 1.0 / sqrt(nn), edge = sqrt(longest);
    const double moved = p->rounding * (1.0 + (p->far[i] + edge) * edge * inverse);
    const int f = p->nface++;
    n = lw_scale3(is_inward ? -inverse : inverse, n);
    p->x[f] = n.x;
    p->y[f] = n.y;
    p->z[f] = n.z;
    p->distance[f] = lw_dot3(n, a);
    p->moved[f] = moved;
    p->open[f] = p->distance[f];
    p->is_closed = p->is_closed && fabs(inward) * inverse > moved;
    p->at[f][0] = (unsigned char)i;
    p->at[f][1] = (unsigned char)(is_inward ? k : j);
    p->at[f][2] = (unsigned char)(is_inward ? j : k);
    p->at[f][3] = 0;
    return true;
}

static void drop_face(polytope *p, int f)
{
    const int last = --p->nface;
    p->x[f] = p->x[last];
    p->y[f] = p->y[last];
    p->z[f] = p->z[last];
    p->distance[f] = p->distance[last];
    p->moved[f] = p->moved[last];
    p->open[f] = p->open[last];
    memcpy(p->at[f], p->at[last], sizeof p->at[f]);
}

/// How near faces are at the least: those that are open, and all.
typedef struct nearness {
    double open, any;
} nearness;

// The nearest open face, the first of them.
static int nearest_of_faces(const polytope *p, nearness *least)
{
    double near = HUGE_VAL;
    int best = 0;
    *least = (nearness){HUGE_VAL, HUGE_VAL};
    for (int f = 0; f < p->nface; ++f) {
        least->open = lwi_smaller(p->open[f] - p->moved[f], least->open);
        least->any = lwi_smaller(p->distance[f] - p->moved[f], least->any);
        if (p->open[f] < near) {
            near = p->open[f];
            best = f;
        }
    }
    return best;
}

// Which faces are seen from a point: one bit of each.
static void find_seen_faces(const polytope *p, const lw_vec3 *w, double tolerance, uint64_t *seen)
{
    for (int f = 0; f < p->nface; ++f) {
        const double height = p->x[f] * w->x + p->y[f] * w->y + p->z[f] * w->z - p->distance[f];
        seen[f / 64] |= (uint64_t)(height > tolerance) << f % 64;
    }
}

#ifdef __x86_64__
// Both in fours; those beyond the last are far away.
LWI_AVX2 static int nearest_of_fours(const polytope *p, nearness *least)
{
    const __m256d step = _mm256_set1_pd(-4.0);
    __m256d here = _mm256_setr_pd(0.0, -1.0, -2.0, -3.0), at = here;
    __m256d near = _mm256_set1_pd(HUGE_VAL), low = near, any = near;
    for (int f = 0; f < p->nface; f += 4) {
        const __m256d open = _mm256_loadu_pd(&p->open[f]), moved = _mm256_loadu_pd(&p->moved[f]);
        at = _mm256_blendv_pd(at, here, _mm256_cmp_pd(open, near, _CMP_LT_OQ));
        near = _mm256_min_pd(open, near);
        low = _mm256_min_pd(open - moved, low);
        any = _mm256_min_pd(_mm256_loadu_pd(&p->distance[f]) - moved, any);
        here += step;
    }
    *least = (nearness){-lwi_largest_of(-low)[0], -lwi_largest_of(-any)[0]};
    return -lwi_place_of_largest(-near, at);
}

LWI_AVX2 static void find_seen_fours(const polytope *p, const lw_vec3 *w, double tolerance,
                                     uint64_t *seen)
{
    const __m256d x = _mm256_set1_pd(w->x), y = _mm256_set1_pd(w->y), z = _mm256_set1_pd(w->z);
    const __m256d above = _mm256_set1_pd(tolerance);
    for (int f = 0; f < p->nface; f += 4) {
        const __m256d height = _mm256_loadu_pd(&p->x[f]) * x + _mm256_loadu_pd(&p->y[f]) * y +
                               _mm256_loadu_pd(&p->z[f]) * z - _mm256_loadu_pd(&p->distance[f]);
        const int bits = _mm256_movemask_pd(_mm256_cmp_pd(height, above, _CMP_GT_OQ));
        seen[f / 64] |= (uint64_t)bits << f % 64;
    }
}
#else
#define nearest_of_fours nearest_of_faces
#define find_seen_fours find_seen_faces
#endif

static int nearest_face(polytope *p, nearness *least)
{
    for (int f = p->nface; f < p->nface + SPARE; ++f) {
        p->x[f] = p->y[f] = p->z[f] = 0.0;
        p->distance[f] = p->open[f] = HUGE_VAL;
        p->moved[f] = 0.0;
    }
    const int best = lwi_has_fours() ? nearest_of_fours(p, least) : nearest_of_faces(p, least);
    if (!p->is_closed) {
        *least = (nearness){-HUGE_VAL, -HUGE_VAL};
    }
    return best;
}

// Adds an edge of a face that goes, or takes it out where its other face goes too.
static inline bool toggle_edge(polytope *p, int *nedge, int from, int to)
{
    const uint16_t back = (uint16_t)(to << 8 | from);
    const int n = *nedge;
    for (int e = 0; e < n; ++e) {
        if (p->edge[e] == back) {
            p->edge[e] = p->edge[n - 1];
            *nedge = n - 1;
            return true;
        }
    }
    if (n == MOST_EDGES) {
        return false;
    }
    p->edge[n] = (uint16_t)(from << 8 | to);
    *nedge = n + 1;
    return true;
}

// Takes a face away that is seen from a new point.
static bool open_face(polytope *p, int f, int *nedge)
{
    const unsigned char *at = p->at[f];
    const bool is_kept = toggle_edge(p, nedge, at[0], at[1]) &&
                         toggle_edge(p, nedge, at[1], at[2]) && toggle_edge(p, nedge, at[2], at[0]);
    drop_face(p, f);
    return is_kept;
}

// Removes the faces that are seen from a new point, and connects it with the edges around them.
// False where rounding leaves no closed surface, or memory is at its end.
static bool add_point(polytope *p, const lwi_difference *point, double tolerance)
{
    uint64_t seen[MOST_FACES / 64] = {0};
    int nedge = 0;
    if (p->npoint == MOST_POINTS) {
        return false;
    }
    if (lwi_has_fours()) {
        find_seen_fours(p, &point->w, tolerance, seen);
    } else {
        find_seen_faces(p, &point->w, tolerance, seen);
    }
    bool is_sound = true;
    for (int k = (p->nface - 1) / 64; k >= 0; --k) { // dropping moves one that was looked at
        while (seen[k]) {
            const int bit = 63 - __builtin_clzll(seen[k]);
            seen[k] ^= (uint64_t)1 << bit;
            is_sound = open_face(p, 64 * k + bit, &nedge) && is_sound;
        }
    }
    if (nedge < 3 || !is_sound) {
        return false;
    }
    const int k = p->npoint++;
    p->point[k] = *point;
    p->far[k] = lw_norm3(point->w);
    for (int e = 0; e < nedge; ++e) {
        if (!add_face(p, p->edge[e] >> 8, p->edge[e] & 255, k)) {
            return false;
        }
    }
    return true;
}

// The points of a face about its point nearest to the origin.
static lwi_simplex points_about(const polytope *p, const unsigned char *at, lw_vec3 on_face)
{
    lwi_simplex s = {.n = 3};
    for (int i = 0; i < 3; ++i) {
        s.at[i] = p->point[at[i]];
        s.at[i].w = lw_sub3(s.at[i].w, on_face);
    }
    lwi_simplex_nearest(&s);
    return s;
}

// --- Cones of directions that are known -----------------------------------------------------

// The face on the other side of an edge.
static int face_beyond(const polytope *p, int from, int to)
{
    for (int f = 0; f < p->nface; ++f) {
        const unsigned char *at = p->at[f];
        if ((at[0] == to && at[1] == from) || (at[1] == to && at[2] == from) ||
            (at[2] == to && at[0] == from)) {
            return f;
        }
    }
    return -1;
}

// Whether a direction is in a cone, which is less than a right angle wide.
static inline bool has_direction(const lwi_deep_cone *cone, lw_vec3 n)
{
    return lw_dot3(n, cone->normal) > cone->cosine;
}

static inline lw_vec3 normal_of(const polytope *p, int f)
{
    return lw_vec3_of(p->x[f], p->y[f], p->z[f]);
}

// Whether all directions about the normal of a face, in which the polytope is less high than the
// level, are in a cone: they end where two of the points, along an edge of the face, are so high.
// The way there is on the great circle across the edge, which may end before, at the normal of
// the face beyond: that is in the same cone then. Between such ends each point's own directions
// are convex, and those in which it is as high as the level are a cap within. Faces side by side
// that are closed have one cone: directions between the ends of both may be in neither of two.
static bool is_in_cone(const polytope *p, int f, int number)
{
    const lwi_deep_cone *cone = &p->cone[number - 1];
    const lw_vec3 normal = normal_of(p, f);
    const double least = p->moved[f] / DOUBTFUL, level = p->level;
    if (!has_direction(cone, normal)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        const int j = p->at[f][i], k = p->at[f][(i + 1) % 3];
        const lw_vec3 from = p->point[j].w, edge = lw_sub3(p->point[k].w, from);
        const lw_vec3 across = lw_cross3(edge, normal); // outward
        const double length = lw_norm3(across);
        if (!(length > least)) {
            return false;
        }
        // from . (c normal + s across) = level, with c c + s s = 1
        const double up = lw_dot3(from, normal), out = lw_dot3(from, across) / length;
        const double square = up * up + out * out, more = square - level * level;
        const bool has_end = out > 0.0 && more > 0.0;
        const int g = p->ncone > 1 || !has_end ? face_beyond(p, j, k) : f;
        if (g < 0 || (p->at[g][3] > 0 && p->at[g][3] != number)) {
            return false;
        }
        if (!has_end) { // behind the origin, where the face beyond may be as high as the level
            if (p->moved[g] > DOUBTFUL * length || !has_direction(cone, normal_of(p, g))) {
                return false;
            }
            continue;
        }
        const double slope = sqrt(more), c = (level * up + slope * out) / square;
        const double s = (level * out - slope * up) / (square * length);
        const lw_vec3 end = lw_add3(lw_scale3(c, normal), lw_scale3(s, across));
        if (!(slope > least) || !has_direction(cone, end)) {
            return false;
        }
    }
    return true;
}

// Closes a face in a cone, if there is one for it.
static bool close_face(polytope *p, int f)
{
    for (int number = 1; number <= p->ncone; ++number) {
        if (is_in_cone(p, f, number)) {
            p->open[f] = HUGE_VAL;
            p->at[f][3] = (unsigned char)number;
            return true;
        }
    }
    return false;
}

// Asks for another depth in all directions; all faces are open again.
static void set_level(polytope *p, double level)
{
    p->level = level;
    memcpy(p->open, p->distance, (size_t)p->nface * sizeof *p->open);
    for (int f = 0; f < p->nface; ++f) {
        p->at[f][3] = 0;
    }
}

// Adds a cone, in which the level is proven from now on.
static void take_cone(polytope *p, const lwi_deep_cone *cone)
{
    bool is_new = cone->cosine < 1.0;
    for (int i = 0; i < p->ncone; ++i) {
        is_new = is_new && !has_direction(&p->cone[i], cone->normal);
    }
    if (is_new && p->ncone < MOST_CONES) {
        p->cone[p->ncone] = *cone;
        set_level(p, p->ncone++ > 0 ? lwi_smaller(p->level, cone->depth) : cone->depth);
    }
}

// Closes faces that cones take care of until one is left that none does. Where all others are as
// high as the level, so deep are the cores; where some are not, nothing is known before they are
// closed as well.
static int nearest_open(polytope *p, nearness *least)
{
    int near = nearest_face(p, least);
    while (p->open[near] < p->level && close_face(p, near)) {
        near = nearest_face(p, least);
    }
    return near;
}

// --- The depth ----------------------------------------------------------------------------------

// Of a difference without a volume, flat along depth->normal.
static void find_flat_depth(const lwi_solid_pair *pair, const lwi_simplex *simplex,
                            lwi_depth *depth)
{
    const lw_vec3 back = lw_scale3(-1.0, depth->normal);
    const double other = lw_dot3(lwi_support_pair(pair, back).w, back);
    depth->outer = lw_dot3(lwi_support_pair(pair, depth->normal).w, depth->normal);
    if (other < depth->outer) {
        depth->outer = other;
        depth->normal = back;
    }
    depth->point_a = lwi_simplex_point_a(simplex);
}

// The deepest points about two that are v apart, and how far about them they are so.
static void try_newton(const lwi_solid_pair *pair, lw_vec3 v, lw_vec3 on_a, lw_vec3 on_b,
                       const lwi_corners *corners, polytope *p, lwi_depth *depth)
{
    const lwi_near_points q = lwi_newton_points(pair, v, on_a, on_b, corners, true);
    if (q.lower > -HUGE_VAL) {
        const lwi_deep_cone cone = lwi_deep_cone_about(pair, &q, corners);
        if (-q.lower <= depth->outer) {
            depth->outer = -q.lower;
            depth->normal = q.normal;
            depth->point_a = q.a;
            p->has_best = false;
        }
        take_cone(p, &cone);
    }
}

// The same from the points that were the deepest in a pose nearby.
static void try_start(const lwi_solid_pair *pair, const lw_distance_start *start, polytope *p,
                      lwi_depth *depth)
{
    const lw_vec3 on_a = start->nearest[0], on_b = lw_pose_apply(&pair->X, start->nearest[1]);
    const lw_vec3 v = lw_sub3(on_a, on_b);
    if (lw_dot3(v, start->normal) > 0.0) {
        try_newton(pair, v, on_a, on_b, NULL, p, depth);
    }
}

static bool begin(polytope *p, const lwi_solid_pair *pair, const lwi_simplex *s)
{
    bool is_sound = true;
    p->npoint = 4;
    p->nface = 0;
    p->ncone = 0;
    p->level = -HUGE_VAL;
    p->is_closed = true;
    p->has_best = false;
    p->rounding = 0.25 * pair->rounding;
    p->inside = lw_vec3_of(0.0, 0.0, 0.0);
    for (int i = 0; i < 4; ++i) {
        p->point[i] = s->at[i];
        p->far[i] = lw_norm3(s->at[i].w);
        p->inside = lw_add3(p->inside, lw_scale3(0.25, s->at[i].w));
    }
    for (int i = 0; i < 4; ++i) {
        is_sound = is_sound && add_face(p, i, (i + 1) % 4, (i + 2) % 4);
    }
    return is_sound;
}

lwi_depth lwi_find_depth(const lwi_solid_pair *pair, const lwi_simplex *simplex,
                         const lw_distance_start *start, lw_distance_work *work)
{
    lwi_depth depth = {.inner = -HUGE_VAL, .outer = HUGE_VAL};
    lwi_simplex s = spanning(simplex, 1e-6 * pair->size);
    if (!fill(pair, &s, &depth)) {
        find_flat_depth(pair, simplex, &depth);
        return depth;
    }
    polytope *p = (polytope *)(void *)work->memory;
    bool is_sound = begin(p, pair, &s);
    const double enough = CLOSE_ENOUGH * pair->size, beyond = 0.1 * pair->rounding;
    int next_try = lwi_has_curvature(pair) ? EVERY : INT_MAX;
    if (is_sound && start && next_try == EVERY) {
        try_start(pair, start, p, &depth);
    }
    while (is_sound) {
        ++depth.iterations;
        nearness least;
        const int near = nearest_open(p, &least);
        if (least.open < p->level && p->open[near] >= depth.outer - enough) {
            set_level(p, least.open); // so far the cones are of use
            continue;
        }
        const bool is_proven = p->ncone > 0 && least.open >= p->level;
        depth.inner = lwi_larger(depth.inner, is_proven ? p->level : least.any);
        if (depth.outer - depth.inner <= enough || p->open[near] == HUGE_VAL) {
            break;
        }
        const lw_vec3 normal = normal_of(p, near);
        const lwi_difference w = lwi_support_pair(pair, normal);
        const double height = lw_dot3(w.w, normal);
        const bool is_better = height < depth.outer;
        if (is_better) {
            depth.outer = height;
            depth.normal = normal;
            p->on_best = lw_scale3(p->distance[near], normal);
            memcpy(p->best, p->at[near], sizeof p->best);
            p->has_best = true;
        }
        if (depth.iterations >= next_try && (is_better || depth.iterations > LATE)) {
            next_try = depth.iterations + EVERY;
            const lw_vec3 on_face = lw_scale3(p->distance[near], normal);
            const lwi_simplex about = points_about(p, p->at[near], on_face);
            const lwi_corners corners = lwi_corners_of(pair, &about);
            const lw_vec3 on_a = lwi_simplex_point_a(&about), on_b = lw_sub3(on_a, on_face);
            try_newton(pair, lw_scale3(height, normal), on_a, on_b, &corners, p, &depth);
        }
        if (p->level > depth.outer) {
            set_level(p, depth.outer);
        }
        // A face of the difference itself has no points beyond it.
        is_sound = height - p->distance[near] > beyond ? add_point(p, &w, beyond) : is_better;
    }
    if (p->has_best) {
        const lwi_simplex best = points_about(p, p->best, p->on_best);
        depth.point_a = lwi_simplex_point_a(&best);
    }
    return depth;
}
