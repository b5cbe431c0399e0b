// Distances of many pairs of capsules at a time, against the single call (C28, C30).
#include "check.h"
#include "random_mech.h"

#include "base/cpu.h"
#include "geom/capsule_pairs.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PAIRS = 4000 };

// Numbers of the capsules of each side, and of the answers, in arrays.
static double in[2][8][PAIRS], out[5][PAIRS];
static float in32[2][8][PAIRS], out32[5][PAIRS];
static lw_distance_work work;

static lw_capsules capsules_of(int side, int first)
{
    double(*x)[PAIRS] = in[side];
    return (lw_capsules){x[0] + first, x[1] + first, x[2] + first, x[3] + first,
                         x[4] + first, x[5] + first, x[6] + first, x[7] + first};
}

static lw_capsules32 capsules32_of(int side)
{
    float(*x)[PAIRS] = in32[side];
    return (lw_capsules32){x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
}

static const lw_capsule_distances answers = {out[0], out[1], out[2], out[3], out[4]};
static const lw_capsule_distances32 answers32 = {out32[0], out32[1], out32[2], out32[3], out32[4]};

static double pick(const double *from, int n)
{
    return from[(int)check_random(0, n)];
}

static void set_capsule(int side, int i, lw_vec3 p, lw_vec3 u, double half, double radius)
{
    const double x[8] = {p.x, p.y, p.z, u.x, u.y, u.z, half, radius};
    for (int k = 0; k < 8; ++k) {
        in[side][k][i] = x[k];
    }
}

// Random and degenerate pairs: parallel, in one point, of no length, thin, far away.
static void make_pairs(double tilt, double far_away)
{
    static const double size[] = {1.0, 1.0, 1.0, 0.3, 1e-3, 0.0};
    static const double apart[] = {2.0, 1.0, 1.0, 0.1, 1e-5, 0.0};
    for (int i = 0; i < PAIRS; ++i) {
        const lw_vec3 center = lw_scale3(check_random(0, 1) < 0.1 ? far_away : 1.0, random_unit());
        const lw_vec3 u = random_unit(), w = random_unit();
        const double angle = check_random(0, 1) < 0.5 ? 0.0 : tilt;
        const lw_mat3 turn = lw_rotation(w, angle);
        const lw_vec3 v = check_random(0, 1) < 0.6 ? random_unit() : lw_rotate(&turn, u);
        const lw_vec3 away = lw_scale3(pick(apart, 6), random_unit());
        const double l = pick(size, 6), m = pick(size, 6), r = 0.2 * pick(size, 6);
        set_capsule(0, i, center, u, l, r);
        set_capsule(1, i, lw_add3(center, away), v, m, 0.3 * pick(size, 6));
    }
}

static lw_vec3 vector_of(int side, int first, int i)
{
    return lw_vec3_of(in[side][first][i], in[side][first + 1][i], in[side][first + 2][i]);
}

// As one pair: the third column of the matrix is the axis.
static lw_status find_alone(int i, lw_distance *distance)
{
    lw_solid solid[2];
    lw_pose X[2];
    for (int side = 0; side < 2; ++side) {
        const lw_vec3 u = vector_of(side, 3, i), least = {fabs(u.x) < 0.6, fabs(u.x) >= 0.6, 0.0};
        const lw_vec3 v = lw_unit3(lw_cross3(u, least)), w = lw_cross3(u, v);
        X[side] =
            (lw_pose){{{{v.x, w.x, u.x}, {v.y, w.y, u.y}, {v.z, w.z, u.z}}}, vector_of(side, 0, i)};
        solid[side] = lw_capsule(in[side][7][i], 2.0 * in[side][6][i]);
    }
    return lw_find_distance(&solid[0], &X[0], &solid[1], &X[1], &work, distance);
}

static double size_of(int i)
{
    const lw_vec3 c = lw_sub3(vector_of(1, 0, i), vector_of(0, 0, i));
    return lw_norm3(c) + in[0][6][i] + in[1][6][i] + in[0][7][i] + in[1][7][i];
}

static void check_answers(void)
{
    for (int i = 0; i < PAIRS; ++i) {
        check_case("pair %d", i);
        lw_distance d;
        const double s = out[3][i], t = out[4][i], size = size_of(i);
        CHECK_INT(find_alone(i, &d), LW_OK);
        CHECK(out[1][i] <= out[0][i] && out[0][i] <= out[2][i]);
        CHECK(out[1][i] <= d.upper && d.lower <= out[2][i]); // both contain the exact one
        CHECK_NEAR(out[0][i], d.distance, 1e-12 * size);
        CHECK(out[2][i] - out[1][i] <= 1e-9 * size); // as wide as that of the single one may be
        CHECK(fabs(s) <= in[0][6][i] && fabs(t) <= in[1][6][i]);
        const lw_vec3 a = lw_add3(vector_of(0, 0, i), lw_scale3(s, vector_of(0, 3, i)));
        const lw_vec3 b = lw_add3(vector_of(1, 0, i), lw_scale3(t, vector_of(1, 3, i)));
        const double apart = lw_norm3(lw_sub3(b, a)) - in[0][7][i] - in[1][7][i];
        const double world = 8 * DBL_EPSILON * lw_norm3(a);
        CHECK(apart >= out[1][i] - world && apart <= out[2][i] + world);
    }
}

TEST(C28_distances_of_many_pairs_agree_with_single_ones)
{
    static const double tilt[] = {1e-15, 1e-10, 1e-7, 1e-4, 1e-2};
    const lw_capsules a = capsules_of(0, 0), b = capsules_of(1, 0);
    for (int k = 0; k < 5; ++k) {
        make_pairs(tilt[k], 1e6);
        CHECK_INT(lw_find_capsule_distances(PAIRS, &a, &b, &answers), LW_OK);
        check_answers();
    }
}

// What the kernels of every instruction set leave is the same few: pairs whose axes meet.
TEST(C28_kernels_of_any_processor_prove_the_same)
{
    const lw_capsules a = capsules_of(0, 0), b = capsules_of(1, 0);
    static double once[5][PAIRS];
    make_pairs(1e-6, 1.0);
    CHECK_INT(lw_find_capsule_distances(PAIRS, &a, &b, &answers), LW_OK);
    memcpy(once, out, sizeof once);
    const lwi_capsule_pairs *kernels[] = {lwi_capsule_pairs_generic(), lwi_capsule_pairs_avx2(),
                                          lwi_capsule_pairs_avx512()};
    for (int level = LWI_CPU_ANY; level <= (int)lwi_cpu_level(); ++level) {
        if (!kernels[level]) {
            continue;
        }
        CHECK(kernels[level]->distances(PAIRS, &a, &b, &answers));
        int odd = 0;
        for (int i = 0; i < PAIRS; ++i) {
            check_case("level %d, pair %d", level, i);
            const bool is_odd = !(out[1][i] <= out[2][i]);
            odd += is_odd;
            CHECK(is_odd || (out[1][i] <= once[2][i] && once[1][i] <= out[2][i]));
            CHECK(is_odd || fabs(out[0][i] - once[0][i]) <= 1e-13 * size_of(i));
        }
        CHECK(odd > 0 && odd < PAIRS / 2);
    }
}

TEST(C28_a_pair_does_not_depend_on_its_place_in_the_arrays)
{
    const lw_capsules a = capsules_of(0, 0), b = capsules_of(1, 0);
    static double once[5][PAIRS];
    make_pairs(1e-6, 1e3);
    CHECK_INT(lw_find_capsule_distances(PAIRS, &a, &b, &answers), LW_OK);
    memcpy(once, out, sizeof once);
    for (int n = 0; n < 20; ++n) {
        const lw_capsules c = capsules_of(0, 100 + 7 * n), d = capsules_of(1, 100 + 7 * n);
        memset(out, 0, sizeof out);
        CHECK_INT(lw_find_capsule_distances(n, &c, &d, &answers), LW_OK);
        for (int k = 0; k < 5; ++k) {
            CHECK(memcmp(out[k], &once[k][100 + 7 * n], (size_t)n * sizeof(double)) == 0);
            CHECK(out[k][n] == 0.0); // nothing is written behind the last
        }
    }
}

TEST(C28_distances_in_float_contain_those_in_double)
{
    const lw_capsules32 a = capsules32_of(0), b = capsules32_of(1);
    make_pairs(1e-3, 10.0);
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 8; ++k) {
            for (int i = 0; i < PAIRS; ++i) { // the single call gets what the floats are
                in32[side][k][i] = (float)in[side][k][i];
                in[side][k][i] = (double)in32[side][k][i];
            }
        }
    }
    CHECK_INT(lw_find_capsule_distances32(PAIRS, &a, &b, &answers32), LW_OK);
    for (int i = 0; i < PAIRS; ++i) {
        check_case("pair %d", i);
        const double distance = (double)out32[0][i], lower = (double)out32[1][i];
        const double upper = (double)out32[2][i], size = size_of(i);
        lw_distance d;
        CHECK_INT(find_alone(i, &d), LW_OK);
        CHECK(lower <= distance && distance <= upper);
        CHECK(lower <= d.upper && d.lower <= upper);
        CHECK_NEAR(distance, d.distance, 1e-5 * size);
        CHECK(upper - lower <= 2e-5 * size);
    }
}

// Powers of two scale a distance without rounding, until squares of lengths have lost digits.
TEST(C30_intervals_of_tiny_capsules_contain_the_distance)
{
    const lw_capsules a = capsules_of(0, 0), b = capsules_of(1, 0);
    const lw_capsules32 c = capsules32_of(0), e = capsules32_of(1);
    lw_distance d, large;
    for (int power = 0; power > -580; power -= 1) {
        check_case("2^%d", power);
        set_capsule(0, 0, lw_vec3_of(0, 0, 0), lw_vec3_of(0, 0, 1), 0.5, 0.125);
        set_capsule(1, 0, lw_vec3_of(3, 0.5, 0.125), lw_vec3_of(0, 1, 0), 1, 0.125);
        CHECK_INT(find_alone(0, &large), LW_OK);
        for (int side = 0; side < 2; ++side) {
            for (int k = 0; k < 8; ++k) {
                in[side][k][0] = k >= 3 && k < 6 ? in[side][k][0] : ldexp(in[side][k][0], power);
                in32[side][k][0] = (float)in[side][k][0];
            }
        }
        CHECK_INT(find_alone(0, &d), LW_OK);
        CHECK(d.lower <= ldexp(large.upper, power) && ldexp(large.lower, power) <= d.upper);
        CHECK_INT(lw_find_capsule_distances(1, &a, &b, &answers), LW_OK);
        CHECK(out[1][0] <= ldexp(large.upper, power) && ldexp(large.lower, power) <= out[2][0]);
        if (power > -120) { // the numbers themselves are floats
            CHECK_INT(lw_find_capsule_distances32(1, &c, &e, &answers32), LW_OK);
            CHECK((double)out32[1][0] <= ldexp(large.upper, power));
            CHECK(ldexp(large.lower, power) <= (double)out32[2][0]);
        }
    }
}

TEST(C30_pairs_that_are_refused_leave_the_others)
{
    const lw_capsules a = capsules_of(0, 0), b = capsules_of(1, 0);
    static const struct {
        int column;
        double value;
        lw_status status;
    } bad[] = {{0, (double)NAN, LW_ERR_NUMBER}, {2, HUGE_VAL, LW_ERR_NUMBER},
               {4, 3.0, LW_ERR_ARGUMENT},       {5, (double)NAN, LW_ERR_NUMBER},
               {6, -0.1, LW_ERR_ARGUMENT},      {6, (double)NAN, LW_ERR_NUMBER},
               {7, -1e-3, LW_ERR_ARGUMENT},     {7, HUGE_VAL, LW_ERR_NUMBER},
               {7, (double)NAN, LW_ERR_NUMBER}, {6, 1e60, LW_ERR_NUMBER}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        for (int side = 0; side < 2; ++side) {
            check_case("row %d of side %d", (int)k, side);
            make_pairs(1e-6, 1.0);
            in[side][bad[k].column][5] = bad[k].value;
            CHECK_INT(lw_find_capsule_distances(11, &a, &b, &answers), bad[k].status);
            for (int i = 0; i < 11; ++i) {
                CHECK(i == 5 ? out[1][i] == -HUGE_VAL && out[2][i] == HUGE_VAL
                             : out[1][i] <= out[0][i] && out[0][i] <= out[2][i]);
            }
        }
    }
    lw_capsules less = a;
    less.uy = NULL;
    lw_capsule_distances few = answers;
    few.t = NULL;
    CHECK_INT(lw_find_capsule_distances(-1, &a, &b, &answers), LW_ERR_ARGUMENT);
    CHECK_INT(lw_find_capsule_distances(1, NULL, &b, &answers), LW_ERR_ARGUMENT);
    CHECK_INT(lw_find_capsule_distances(1, &a, &less, &answers), LW_ERR_ARGUMENT);
    CHECK_INT(lw_find_capsule_distances(1, &a, &b, &few), LW_ERR_ARGUMENT);
    CHECK_INT(lw_find_capsule_distances(1, &a, &b, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_find_capsule_distances32(1, NULL, NULL, &answers32), LW_ERR_ARGUMENT);
}

int main(void)
{
    RUN(C28_distances_of_many_pairs_agree_with_single_ones);
    RUN(C28_kernels_of_any_processor_prove_the_same);
    RUN(C28_a_pair_does_not_depend_on_its_place_in_the_arrays);
    RUN(C28_distances_in_float_contain_those_in_double);
    RUN(C30_intervals_of_tiny_capsules_contain_the_distance);
    RUN(C30_pairs_that_are_refused_leave_the_others);
    return REPORT();
}
