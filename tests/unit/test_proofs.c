// The intervals of distances, proven again in 80 bits (C28, C30): the lower end by the support gap
// along the normal, the upper end by two points and whether they are of the solids, and where the
// solids overlap by a search for a direction in which they are less deep. Verdicts follow.
//
// There are 100,000 pairs of each two cores. One in five is checked in every respect, one in fifty
// of those that take GJK, and the others by what proves their interval alone. The environment
// variable LINKWORK_PROOFS is another number of pairs, of which one in how many is checked in every
// respect (1), with a search for every overlap, and another seed. What was run with more is in
// bench/results/distance_proofs.md:
//
//     LINKWORK_PROOFS="1000000 50 7" build/test/gcc/tests/test_proofs
#include "check.h"
#include "random_mech.h"

#include <linkwork/geometry.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Doubles become wider on purpose throughout.
#pragma GCC diagnostic ignored "-Wdouble-promotion"

typedef long double real;

typedef struct rvec {
    real x, y, z;
} rvec;

enum { POINTS = 12 };

// Sanitizers take ten times as long, and look for other faults.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { USUAL_PAIRS = 5000 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
enum { USUAL_PAIRS = 5000 };
#else
enum { USUAL_PAIRS = 100000 };
#endif
#else
enum { USUAL_PAIRS = 100000 };
#endif

typedef struct posed {
    lw_solid solid;
    lw_pose X;
    lw_vec3 point[POINTS];
} posed;

static lw_distance_work work;

static rvec rvec_of(lw_vec3 v)
{
    return (rvec){v.x, v.y, v.z};
}

static real rdot(rvec a, rvec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static rvec radd(rvec a, real s, rvec b)
{
    return (rvec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static rvec rotated_back(const lw_mat3 *R, rvec v)
{
    rvec r = {0, 0, 0};
    r = radd(r, v.x, rvec_of(R->row[0]));
    r = radd(r, v.y, rvec_of(R->row[1]));
    return radd(r, v.z, rvec_of(R->row[2]));
}

// How far the solid reaches along a unit vector of the world, from the origin of `from`.
static real height(const posed *p, rvec n, lw_vec3 from)
{
    const rvec d = rotated_back(&p->X.R, n);
    const lw_vec3 h = p->solid.half;
    const real across = sqrtl(d.x * d.x + d.y * d.y);
    real most = 0;
    switch (p->solid.core) {
    case LW_CORE_SEGMENT:
        most = h.z * fabsl(d.z);
        break;
    case LW_CORE_BOX:
        most = h.x * fabsl(d.x) + h.y * fabsl(d.y) + h.z * fabsl(d.z);
        break;
    case LW_CORE_CYLINDER:
        most = h.x * across + h.z * fabsl(d.z);
        break;
    case LW_CORE_CONE:
        most = fmaxl(h.x * across - h.z * d.z, h.z * d.z);
        break;
    case LW_CORE_ELLIPSOID:
        most = sqrtl(h.x * d.x * h.x * d.x + h.y * d.y * h.y * d.y + h.z * d.z * h.z * d.z);
        break;
    case LW_CORE_HULL:
        most = -HUGE_VALL;
        for (int i = 0; i < p->solid.npoint; ++i) {
            most = fmaxl(most, rdot(rvec_of(p->point[i]), d));
        }
        break;
    default:
        break;
    }
    return most + p->solid.radius + rdot(radd(rvec_of(p->X.p), -1, rvec_of(from)), n);
}

// The gap of two solids along a unit vector, from the first to the second.
static real gap_along(const posed *a, const posed *b, rvec n)
{
    const real length = sqrtl(rdot(n, n));
    n = (rvec){n.x / length, n.y / length, n.z / length};
    return -height(b, (rvec){-n.x, -n.y, -n.z}, a->X.p) - height(a, n, a->X.p);
}

// How far a point of the world is outside of a solid, at the least; of a hull by its corners alone.
static real outside(const posed *p, lw_vec3 at)
{
    const rvec x = rotated_back(&p->X.R, radd(rvec_of(at), -1, rvec_of(p->X.p)));
    const lw_vec3 h = p->solid.half;
    const real out = sqrtl(x.x * x.x + x.y * x.y);
    real far = 0;
    switch (p->solid.core) {
    case LW_CORE_POINT:
        far = sqrtl(rdot(x, x));
        break;
    case LW_CORE_SEGMENT: {
        const real z = fmaxl(0, fabsl(x.z) - h.z);
        far = sqrtl(out * out + z * z);
        break;
    }
    case LW_CORE_BOX: {
        const rvec e = {fmaxl(0, fabsl(x.x) - h.x), fmaxl(0, fabsl(x.y) - h.y),
                        fmaxl(0, fabsl(x.z) - h.z)};
        far = sqrtl(rdot(e, e));
        break;
    }
    case LW_CORE_CYLINDER: {
        const real r = fmaxl(0, out - h.x), z = fmaxl(0, fabsl(x.z) - h.z);
        far = sqrtl(r * r + z * z);
        break;
    }
    case LW_CORE_CONE: { // above the side, the base
        const real side = sqrtl((real)h.x * h.x + 4 * (real)h.z * h.z);
        const real above = side > 0 ? (2 * h.z * out + h.x * (x.z - h.z)) / side : out;
        far = fmaxl(fmaxl(above, fabsl(x.z) - h.z), 0);
        break;
    }
    default: // by the farthest that a support plane can tell
        return -HUGE_VALL;
    }
    return far - p->solid.radius;
}

// The largest gap that is found from a direction by a search that turns it.
static real search(const posed *a, const posed *b, rvec n)
{
    real best = gap_along(a, b, n);
    for (real turn = 0.1L; turn > 1e-12L; turn *= 0.4L) {
        for (int k = 0; k < 6; ++k) {
            rvec m = n;
            *(k / 2 == 0 ? &m.x : k / 2 == 1 ? &m.y : &m.z) += k & 1 ? -turn : turn;
            const real gap = rdot(m, m) > 1e-6L ? gap_along(a, b, m) : -HUGE_VALL;
            if (gap > best) {
                best = gap;
                n = m;
            }
        }
    }
    return best;
}

// --- Pairs ------------------------------------------------------------------------------------

static double pick(const double *from, int n)
{
    return from[(int)check_random(0, n)];
}

// Half of the solids have the size of one metre, the others are thin, tiny, huge, or have no width.
static double any_size(void)
{
    static const double scale[] = {1, 1, 1, 1, 0.3, 1e-2, 1e-4, 1e-6, 1e3, 0.0};
    return pick(scale, 10) * check_random(0.5, 1.0);
}

static lw_vec3 any_vector(double size)
{
    const double x = check_random(-size, size), y = check_random(-size, size);
    return lw_vec3_of(x, y, check_random(-size, size));
}

static lw_mat3 any_rotation(void)
{
    static const double tilt[] = {0.0, 1e-15, 1e-12, 1e-8, 1e-4};
    const lw_mat3 turn = lw_rotation(random_unit(), pick(tilt, 5));
    const double angle = 1.57079632679489662 * (int)check_random(0, 4);
    const lw_mat3 quarter = lw_rotation_rpy(angle, 0.0, angle);
    return check_random(0, 1) < 0.6 ? random_rotation() : lw_mul3(&turn, &quarter);
}

static void any_solid(lw_core core, lw_vec3 center, posed *p)
{
    static const double far[] = {0.0, 1e-12, 0.1, 1.0, 1.0, 3.0};
    p->solid = (lw_solid){.core = core};
    if (core == LW_CORE_HULL) {
        const double r = any_size();
        const lw_vec3 flat = {1.0, 1.0, check_random(0, 1) < 0.2 ? 0.0 : 1.0};
        p->solid.npoint = (int)check_random(1, POINTS + 0.99);
        p->solid.point = p->point;
        for (int i = 0; i < p->solid.npoint; ++i) {
            const lw_vec3 v = any_vector(r);
            p->point[i] = i > 3 && check_random(0, 1) < 0.05
                              ? p->point[0]
                              : lw_vec3_of(v.x * flat.x, v.y * flat.y, v.z * flat.z);
        }
    } else if (core != LW_CORE_POINT) {
        const double r = any_size();
        const bool is_round = core == LW_CORE_CYLINDER || core == LW_CORE_CONE;
        p->solid.half = lw_vec3_of(r, is_round ? r : any_size(), any_size());
        if (core == LW_CORE_SEGMENT) {
            p->solid.half.x = p->solid.half.y = 0.0;
        }
    }
    if (core <= LW_CORE_SEGMENT || check_random(0, 1) < 0.2) {
        p->solid.radius = any_size();
    }
    p->X = (lw_pose){any_rotation(), lw_add3(center, any_vector(pick(far, 6)))};
}

// Moves b along the normal to a gap, now and then.
static void perhaps_touch(const posed *a, posed *b)
{
    static const double gap[] = {0.0,  1e-16, -1e-16, 1e-14, -1e-14, 1e-12, -1e-12,
                                 1e-9, -1e-9, 1e-6,   -1e-6, 1e-3,   -1e-3};
    lw_distance d;
    if (check_random(0, 1) < 0.3 &&
        CHECK_INT(lw_find_distance(&a->solid, &a->X, &b->solid, &b->X, &work, &d), LW_OK)) {
        b->X.p = lw_add3(b->X.p, lw_scale3(pick(gap, 13) - d.distance, d.normal));
    }
}

static double size_of(const posed *p)
{
    double size = lw_norm3(p->solid.half) + p->solid.radius;
    for (int i = 0; i < p->solid.npoint; ++i) {
        size = fmax(size, lw_norm3(p->point[i]) + p->solid.radius);
    }
    return size;
}

typedef struct tally {
    int overlaps, wide;
    double widest;
} tally;

// Wherever the search begins, in whichever order, and by verdicts alone.
static void check_other_calls(const posed *a, const posed *b, const lw_distance *d, double size)
{
    static const double margins[] = {0.0, 0.0, 1e-9, -1e-9, 0.01, 0.3};
    const double margin = pick(margins, 6);
    lw_distance e;
    // Wherever the search begins, at what another pair left and at what its own did.
    static lw_distance_start start;
    for (int i = 0; i < 2; ++i) {
        CHECK_INT(lw_find_distance_from(&a->solid, &a->X, &b->solid, &b->X, &start, &work, &e),
                  LW_OK);
        CHECK(e.lower <= e.distance && e.distance <= e.upper);
        CHECK(e.lower <= d->upper && d->lower <= e.upper);
        CHECK((real)e.lower <= gap_along(a, b, rvec_of(e.normal)) + 1e-18L * size);
    }
    // The order changes no bit but signs.
    CHECK_INT(lw_find_distance(&b->solid, &b->X, &a->solid, &a->X, &work, &e), LW_OK);
    CHECK(e.distance == d->distance && e.lower == d->lower && e.upper == d->upper);
    CHECK(e.normal.x == -d->normal.x && e.normal.y == -d->normal.y && e.normal.z == -d->normal.z);
    // Verdicts contradict no interval, and are given where it decides.
    lw_verdict verdict;
    CHECK_INT(lw_find_verdict(&a->solid, &a->X, &b->solid, &b->X, margin, &work, &verdict), LW_OK);
    CHECK(verdict != LW_VERDICT_FREE || d->upper > margin);
    CHECK(verdict != LW_VERDICT_HIT || d->lower <= margin);
    CHECK(verdict != LW_VERDICT_UNCERTAIN ||
          (d->lower <= margin + 1e-12 * size && d->upper >= margin - 1e-12 * size));
}

typedef enum effort { INTERVAL_ALONE, ALL_CALLS, ALL_AND_SEARCH } effort;

static void check_pair(const posed *a, const posed *b, effort how, tally *sum)
{
    const rvec any = rvec_of(random_unit());
    lw_distance d;
    if (!CHECK_INT(lw_find_distance(&a->solid, &a->X, &b->solid, &b->X, &work, &d), LW_OK)) {
        return;
    }
    const double size = size_of(a) + size_of(b) + lw_norm3(lw_sub3(a->X.p, b->X.p));
    const double world = DBL_EPSILON * (lw_norm3(a->X.p) + lw_norm3(b->X.p));
    CHECK(d.lower <= d.distance && d.distance <= d.upper);
    // The lower end: the direction.
    const rvec n = rvec_of(d.normal);
    CHECK((real)d.lower <= gap_along(a, b, n) + 1e-18L * size);
    // The upper end: points, which are rounded in the world; or no better direction.
    const real apart = lw_norm3(lw_sub3(d.point[1], d.point[0]));
    const real away = fmaxl(outside(a, d.point[0]), outside(b, d.point[1]));
    if (d.distance > 1e-9 * size && isfinite((double)away)) {
        // A rounded core shows its points along the normal, which is off the line between nearly
        // touching cores by what GJK leaves: 7e-11 of the size was seen.
        CHECK(apart <= (real)d.upper + 8 * world + 1e-9L * size);
        CHECK(away <= 1e-6L * size + 8 * world);
    } else {
        CHECK((how == ALL_AND_SEARCH ? search(a, b, n) : gap_along(a, b, n)) <=
              (real)d.upper + 1e-18L * size);
        CHECK(gap_along(a, b, any) <= (real)d.upper);
    }
    if (how != INTERVAL_ALONE) {
        check_other_calls(a, b, &d, size);
    }
    sum->overlaps += d.distance < 0.0;
    const double known = fmax(size, 1e-60); // smaller solids are known to be that small, no more
    sum->wide += d.upper - d.lower > 1e-9 * known;
    sum->widest = fmax(sum->widest, (d.upper - d.lower) / known);
}

TEST(C30_intervals_are_proven_again_in_80_bits)
{
    static const char *const name[] = {"point", "segment",   "box", "cylinder",
                                       "cone",  "ellipsoid", "hull"};
    static posed a, b;
    const char *text = getenv("LINKWORK_PROOFS");
    int count = 0, every = 1;
    unsigned seed = 0;
    CHECK(!text || (sscanf(text, "%d %d %u", &count, &every, &seed) > 0 && every > 0));
    for (int i = 0; i < LW_CORE_HALF_SPACE; ++i) {
        for (int j = i; j < LW_CORE_HALF_SPACE; ++j) {
            tally sum = {0, 0, 0.0};
            // A case is the same in every run. Seeds side by side are numbers of one sequence,
            // moved by a few: those of other runs begin far away.
            check_seed(100 + 10 * (unsigned)i + (unsigned)j + seed * 0x5851f42d4c957f2dull);
            const bool is_quick = j <= LW_CORE_BOX || (i == LW_CORE_POINT && j < LW_CORE_HULL);
            const int pairs = count > 0 ? count : USUAL_PAIRS;
            const int usual = is_quick ? 5 : 50, whole = count > 0 ? every : usual;
            const int searched = count > 0 ? whole : 10 * whole;
            for (int n = 0; n < pairs; ++n) {
                check_case("%s %s %d", name[i], name[j], n);
                const lw_vec3 center = any_vector(check_random(0, 1) < 0.05 ? 1e6 : 1.0);
                any_solid((lw_core)i, center, &a);
                any_solid((lw_core)j, center, &b);
                perhaps_touch(&a, &b);
                check_pair(&a, &b,
                           n % searched == 0 ? ALL_AND_SEARCH
                           : n % whole == 0  ? ALL_CALLS
                                             : INTERVAL_ALONE,
                           &sum);
            }
            printf("%-10s %-10s %d pairs, %d overlap, %d wider than 1e-9, widest %.1e\n", name[i],
                   name[j], pairs, sum.overlaps, sum.wide, sum.widest);
        }
    }
}

// Poses at which other libraries reported contacts that are none, failed or crashed, from the
// threads and tests that are named: github.com/flexible-collision-library/fcl. Cases by gap of #493
// and #495: boxes that touch with a whole face, and one unit of rounding more or less.
TEST(C30_recorded_failures_of_other_libraries)
{
    static const struct {
        const char *name;
        double a[4], b[4]; // full lengths, or radius, 0, length of a cylinder
        double at[2][7];
        double distance;
    } row[] = {{"fcl#319",
                {0.05, 0.39, 1.47},
                {0.18, 0.0, 0.18},
                {{0.8, -0.385, 0.735, 0.707107, 0, 0, 0.707107},
                 {0.4, -0.4, 0.93, 0.991445, 0, 0, -0.130526}},
                0.025000000000000022},
               {"fcl#395",
                {0.46, 0.48, 0.01},
                {0.049521, 0.146, 0.0725},
                {{-0.721, -0.772, 0.81, 1, 0, 0, 0},
                 {-0.4267713300299948, -0.7659685124774679, 0.8074673140009105, 0.34347242899724445,
                  -0.6601651331171983, 0.16498384809158168, 0.6472936098896533}},
                -0.013408613773995298},
               {"fcl#398",
                {0.614, 3.0, 0.037},
                {0.494, 0.552, 0.01},
                {{-0.675, 0, 0.9115, 1, 0, 0, 0}, {-0.692, 0, 0.935, 1, 0, 0, 0}},
                0.0},
               {"fcl#398, test",
                {0.614, 3.0, 0.37},
                {0.494, 0.552, 0.01},
                {{-0.675, 0, 0.9115, 1, 0, 0, 0}, {-0.692, 0, 0.935, 1, 0, 0, 0}},
                -0.1665},
               {"fcl#493",
                {0.5, 0.5, 0.5},
                {0.5, 0.5, 0.5},
                {{2.077006399578687, 0.4846824747564195, 1.1543291419087276, 0.9865653148707547,
                  -0.08751435666100872, 0.10663655213100272, -0.08751435666100872},
                 {2.0, 0.0, 1.25, 0.9865653148707547, -0.08751435666100872, 0.10663655213100272,
                  -0.08751435666100872}},
                0.0},
               {"fcl#495",
                {0.25, 0.25, 0.25},
                {0.25, 0.25, 0.25},
                {{0.07324210009322382, 0.23165380898962123, 1.3089245921032497, 0.9757736033920521,
                  0.13544811187454386, 0.10570474399255832, -0.13544811187454384},
                 {0.0, 0.0, 1.25, 0.9757736033920521, 0.13544811187454386, 0.10570474399255832,
                  -0.13544811187454384}},
                0.0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        check_case("%s", row[i].name);
        posed side[2];
        for (int k = 0; k < 2; ++k) {
            const double *s = k ? row[i].b : row[i].a, *x = row[i].at[k];
            side[k].solid =
                s[1] > 0.0 ? lw_box(lw_vec3_of(s[0], s[1], s[2])) : lw_cylinder(s[0], s[2]);
            side[k].X = (lw_pose){lw_rotation_quat((lw_quat){x[3], x[4], x[5], x[6]}),
                                  lw_vec3_of(x[0], x[1], x[2])};
        }
        lw_distance d;
        tally sum = {0, 0, 0.0};
        check_pair(&side[0], &side[1], ALL_AND_SEARCH, &sum);
        CHECK_INT(
            lw_find_distance(&side[0].solid, &side[0].X, &side[1].solid, &side[1].X, &work, &d),
            LW_OK);
        CHECK_NEAR(d.distance, row[i].distance, 1e-10);
        if (row[i].distance == 0.0) { // within rounding of touching: nothing is proven
            CHECK_INT(lw_verdict_of(&d, 0.0), LW_VERDICT_UNCERTAIN);
        }
    }
}

int main(void)
{
    RUN(C30_intervals_are_proven_again_in_80_bits);
    RUN(C30_recorded_failures_of_other_libraries);
    return REPORT();
}
