// Small motions: eigenvalues against matrices whose eigenvalues are known, A and B against
// differences, and frequencies of springs.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24 };

// --- Eigenvalues ------------------------------------------------------------------------------

// S D S^-1 for a random S near the identity (by Gauss), where D has these values and 2 x 2 blocks.
static void matrix_of(int n, const double *re, const double *im, double *A)
{
    double S[MOST][2 * MOST] = {{0.0}}, D[MOST][MOST] = {{0.0}}, P[MOST][MOST];
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            S[i][k] = (i == k) + check_random(-0.3, 0.3);
        }
        S[i][n + i] = 1.0;
        D[i][i] = re[i];
        if (im[i] > 0.0) {
            D[i][i + 1] = im[i];
            D[i + 1][i] = -im[i];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            P[i][k] = 0.0;
            for (int j = 0; j < n; ++j) {
                P[i][k] += S[i][j] * D[j][k];
            }
        }
    }
    for (int p = 0; p < n; ++p) { // S is left as (1, S^-1); its pivots are near 1
        const double pivot = S[p][p];
        for (int k = 0; k < 2 * n; ++k) {
            S[p][k] /= pivot;
        }
        for (int i = 0; i < n; ++i) {
            const double f = S[i][p];
            for (int k = 0; k < 2 * n && i != p; ++k) {
                S[i][k] -= f * S[p][k];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            A[i * n + k] = 0.0;
            for (int j = 0; j < n; ++j) {
                A[i * n + k] += P[i][j] * S[j][n + k];
            }
        }
    }
}

static void check_same_values(int n, const double *re, const double *im, const double *got_re,
                              const double *got_im, double tolerance)
{
    bool is_used[MOST] = {false};
    for (int i = 0; i < n; ++i) {
        int best = -1;
        for (int k = 0; k < n; ++k) {
            const double off = hypot(got_re[k] - re[i], got_im[k] - im[i]);
            if (!is_used[k] &&
                (best < 0 || off < hypot(got_re[best] - re[i], got_im[best] - im[i]))) {
                best = k;
            }
        }
        is_used[best] = true;
        CHECK_NEAR(got_re[best], re[i], tolerance);
        CHECK_NEAR(got_im[best], im[i], tolerance);
    }
}

TEST(R48_eigenvalues_that_are_known)
{
    double A[MOST * MOST], re[MOST], im[MOST], got_re[MOST], got_im[MOST];
    for (int n = 1; n <= 12; ++n) {
        for (int round = 0; round < 20; ++round) {
            check_case("n = %d, round %d", n, round);
            for (int i = 0; i < n; ++i) {
                re[i] = check_random(-3.0, 3.0) + i; // apart, so that they are well conditioned
                im[i] = 0.0;
            }
            for (int i = 0; i + 1 < n; i += 3) {
                re[i + 1] = re[i];
                im[i] = check_random(0.5, 4.0);
                im[i + 1] = -im[i];
            }
            matrix_of(n, re, im, A);
            CHECK(lw_eigenvalues(n, A, got_re, got_im) == LW_OK);
            // The condition of S and of close values: 1e5 roundings.
            check_same_values(n, re, im, got_re, got_im, 1e-6);
        }
    }
}

TEST(R48_eigenvalues_of_hard_matrices)
{
    double re[MOST], im[MOST];
    // A cycle of four, on which shifts of the plain kind do not move.
    double cycle[16] = {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double one[4] = {1.0, 0.0, 0.0, -1.0}, turn[4] = {0.0, 1.0, -1.0, 0.0};
    CHECK(lw_eigenvalues(4, cycle, re, im) == LW_OK);
    check_same_values(4, one, turn, re, im, 1e-14);
    // Badly scaled: balancing makes it good.
    double scaled[4] = {1.0, 1e12, 1e-12, 2.0};
    CHECK(lw_eigenvalues(2, scaled, re, im) == LW_OK);
    const double want[2] = {1.5 - sqrt(1.25), 1.5 + sqrt(1.25)}, none[2] = {0.0, 0.0};
    check_same_values(2, want, none, re, im, 1e-12);
    // A block of Jordan: its values are only good to the root of a rounding.
    double jordan[9] = {2, 1, 0, 0, 2, 1, 0, 0, 2};
    CHECK(lw_eigenvalues(3, jordan, re, im) == LW_OK);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(re[i], 2.0, 1e-4);
    }
    double zero[25] = {0.0};
    CHECK(lw_eigenvalues(5, zero, re, im) == LW_OK && re[4] == 0.0 && im[0] == 0.0);
    zero[7] = (double)NAN;
    CHECK_INT(lw_eigenvalues(5, zero, re, im), LW_ERR_NUMBER);
    CHECK_INT(lw_eigenvalues(5, NULL, re, im), LW_ERR_ARGUMENT);
    CHECK(lw_eigenvalues(0, NULL, NULL, NULL) == LW_OK);
}

// Two degrees of freedom that nearly share a rest: four eigenvalues of one size, x^4 = -m, in pairs
// of both signs. Shifts that come in such pairs too hardly part them: the first took over 60
// sweeps.
TEST(R48_eigenvalues_of_one_size)
{
    const double m = 1e-12, part = sqrt(0.5) * 1e-3;
    const double want_re[4] = {part, part, -part, -part}, want_im[4] = {part, -part, part, -part};
    for (int round = 0; round < 1000; ++round) {
        const double a = round > 0 ? check_random(-1.0, 1.0) : 0.99;
        const double b = round > 0 ? check_random(0.1, 1.0) : 0.73;
        double A[16] = {0, 0, 1, 0, 0, 0, 0, 1, a, b, 0, 0, -(a * a + m) / b, -a, 0, 0};
        double re[4], im[4];
        check_case("round %d", round);
        if (CHECK(lw_eigenvalues(4, A, re, im) == LW_OK)) {
            // Some roundings in x^4 are these in x, where 4 x^3 = 4e-9.
            check_same_values(4, want_re, want_im, re, im, 1e-6);
        }
    }
}

// --- Machines ---------------------------------------------------------------------------------

// A and B are the derivatives of forward dynamics, at rest.
static void check_machine(const lw_model *m, lw_data *d)
{
    const int nv = m->nv;
    if (nv == 0 || nv > MOST) {
        return;
    }
    static double A[4 * MOST * MOST], B[2 * MOST * MOST];
    double zero[MOST] = {0.0}, tau[MOST], a[MOST], residual = (double)NAN;
    const double *q = m->q_reference;
    const lw_status status = lw_linearize(m, d, q, NULL, &residual, A, B);
    if (status == LW_ERR_SINGULAR || status == LW_ERR_LOOP_OPEN || status == LW_ERR_LIMIT) {
        return; // degrees of freedom that move nothing
    }
    CHECK_INT(status, LW_OK);
    CHECK(lw_inverse_dynamics(m, d, q, zero, zero, NULL, tau) == LW_OK);
    for (int k = 0; k < nv; ++k) {
        CHECK(A[k * 2 * nv + k] == 0.0 && A[k * 2 * nv + nv + k] == 1.0 && B[k * nv + k] == 0.0);
        const double keep = tau[k];
        tau[k] += 1.0; // a is affine in tau
        if (CHECK(lw_forward_dynamics(m, d, q, zero, tau, NULL, a) == LW_OK)) {
            for (int i = 0; i < nv; ++i) {
                const double b = B[(nv + i) * nv + k];
                CHECK_NEAR(a[i], b, 1e-9 * (1.0 + fabs(b) + residual));
            }
        }
        tau[k] = keep;
    }
    // The sum of the eigenvalues is the trace, to the roundings of the largest of them.
    double re[2 * MOST], im[2 * MOST], trace = 0.0, sum = 0.0, size = 1.0;
    for (int i = 0; i < 2 * nv; ++i) {
        trace += A[i * 2 * nv + i];
    }
    if (CHECK_INT(lw_eigenvalues(2 * nv, A, re, im), LW_OK)) {
        for (int i = 0; i < 2 * nv; ++i) {
            sum += re[i];
            size = fmax(size, hypot(re[i], im[i]));
        }
        CHECK_NEAR(sum, trace, 1e-9 * size);
    }
}

TEST(R48_B_is_the_response_to_forces_for_every_machine)
{
    every_machine(check_machine);
}

TEST(R48_A_is_the_response_to_positions)
{
    for (int kind = 0; kind < ZOO_COUNT; ++kind) {
        check_case("%s", zoo_name((zoo_kind)kind));
        lw_model *m = zoo_model((zoo_kind)kind);
        lw_data *d = new_data(m);
        const int nv = m->nv;
        static double A[4 * MOST * MOST], B[2 * MOST * MOST];
        double zero[MOST] = {0.0}, tau[MOST], v[MOST] = {0.0}, q[64], low[MOST], high[MOST];
        CHECK(lw_linearize(m, d, m->q_reference, NULL, NULL, A, B) == LW_OK);
        lw_inverse_dynamics(m, d, m->q_reference, zero, zero, NULL, tau);
        const double h = 1e-5;
        for (int k = 0; k < nv; ++k) {
            v[k] = 1.0;
            lw_integrate(m, m->q_reference, v, h, q);
            CHECK(lw_forward_dynamics(m, d, q, zero, tau, NULL, high) == LW_OK);
            lw_integrate(m, m->q_reference, v, -h, q);
            CHECK(lw_forward_dynamics(m, d, q, zero, tau, NULL, low) == LW_OK);
            v[k] = 0.0;
            for (int i = 0; i < nv; ++i) {
                const double want = (high[i] - low[i]) / (2.0 * h);
                // Central differences: 1e-10 of the third derivative, and roundings over h.
                CHECK_NEAR(A[(nv + i) * 2 * nv + k], want, 1e-5 * (1.0 + fabs(want)));
            }
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// A mass on a spring with a damper.
TEST(R48_frequencies_and_damping_of_springs)
{
    static const char text[] =
        "<linkwork version=\"1\" name=\"springs\"><ground gravity=\"0 0 0\"/>\n"
        "<joint name=\"x\" type=\"prismatic\" axis=\"1 0 0\" from=\"ground\" to=\"one\" "
        "stiffness=\"50\" damping=\"0.8\"/><link name=\"one\" mass=\"2\"/></linkwork>\n";
    lw_model *m = compile_text("springs", text, NULL);
    lw_data *d = new_data(m);
    double A[4], B[2], re[2], im[2], residual;
    CHECK(lw_linearize(m, d, m->q_reference, NULL, &residual, A, B) == LW_OK);
    CHECK(lw_eigenvalues(2, A, re, im) == LW_OK);
    const double w = sqrt(50.0 / 2.0), z = 0.8 / (2.0 * sqrt(50.0 * 2.0));
    CHECK_NEAR(hypot(re[0], im[0]), w, 1e-12);
    CHECK_NEAR(-re[0] / w, z, 1e-12);
    CHECK(residual == 0.0);
    CHECK_INT(lw_linearize(m, d, m->q_reference, NULL, NULL, NULL, B), LW_ERR_ARGUMENT);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(R48_eigenvalues_that_are_known);
    RUN(R48_eigenvalues_of_hard_matrices);
    RUN(R48_eigenvalues_of_one_size);
    RUN(R48_B_is_the_response_to_forces_for_every_machine);
    RUN(R48_A_is_the_response_to_positions);
    RUN(R48_frequencies_and_damping_of_springs);
    return REPORT();
}
