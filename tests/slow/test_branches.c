// Strides between random configurations of every shipped mechanism with Newton blocks: each ends on
// the assembly branch that the straight path leads to, or is refused.
//
//     test_branches [PAIRS [MECHANISM [SEED]]]
//
// The same path in small steps is the reference: Euler's predictor, and a few iterations of
// Newton's method that may correct it by a twentieth of the step; beyond, or where the tangent
// changes by more than a fifth, the step is halved. bench/results/branches.md has the result of a
// million pairs.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include "loop/closed_form_loops.h"
#include "model/data.h"
#include "model/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

typedef struct range {
    const char *name;
    double reach; ///< of each independent coordinate about its reference, rad or m
    long pairs;   ///< unless told otherwise
} range;

static const range mechanisms[] = {
    {"stewart", 0.2, 1000}, {"bennett", 6.3, 2000}, {"bricard", 3.2, 2000}};

enum { NMECHANISM = sizeof mechanisms / sizeof *mechanisms };

static long asked; ///< pairs of each mechanism
static const char *only;
static unsigned long long seed = 1;

typedef struct counts {
    long strides;
    long barred;  ///< the path ends at a singular configuration
    long crossed; ///< small steps go over one, where branches cross and none ends
    long refused; ///< neither, and the stride was refused
    long wrong;   ///< the stride ended elsewhere
} counts;

/// A mechanism with one block, all of whose sources are independent.
typedef struct follower {
    const lw_model *m;
    const lwi_program *program;
    const lwi_step *step;
    const lwi_loop_work *work;
    int ncolumn;
} follower;

typedef struct state {
    double q[MOST];    ///< of the tree
    double rate[MOST]; ///< of the targets along the path
    int side;          ///< sign of the determinant; 0 with more conditions than unknowns
} state;

// --- The path in small steps ------------------------------------------------------------------

static int sign_of_determinant(const follower *f)
{
    const int n = f->step->ntarget;
    double A[32 * 32];
    int sign = f->step->nrow == n ? 1 : 0;
    for (int r = 0; r < n && sign != 0; ++r) {
        memcpy(A + r * n, f->work->matrix + r * f->ncolumn, (size_t)n * sizeof *A);
    }
    for (int k = 0; k < n && sign != 0; ++k) {
        int best = k;
        for (int r = k + 1; r < n; ++r) {
            best = fabs(A[r * n + k]) > fabs(A[best * n + k]) ? r : best;
        }
        sign *= (best != k) == (A[best * n + k] < 0.0) ? 1 : -1;
        for (int c = k; c < n; ++c) {
            const double swap = A[k * n + c];
            A[k * n + c] = A[best * n + c];
            A[best * n + c] = swap;
        }
        for (int r = k + 1; r < n; ++r) {
            const double factor = A[r * n + k] / A[k * n + k];
            for (int c = k; c < n; ++c) {
                A[r * n + c] -= factor * A[k * n + c];
            }
        }
    }
    return sign;
}

// Solves J x = -F, or J x = -dF/ds along `direction`, for the targets.
static bool solve(const follower *f, state *s, const double *direction, double *x)
{
    const lwi_step *step = f->step;
    double *A = f->work->matrix;
    lwi_step_matrix(f->m, f->program, step, f->work, s->q, NULL);
    if (direction) {
        s->side = sign_of_determinant(f);
    }
    for (int k = 0, row = 0; k < step->nloop; ++k) {
        const lwi_loop *loop = &f->program->loop[step->loop[k]];
        double residual[LWI_MOST_ROWS];
        lwi_loop_residual(f->m, loop, s->q, residual);
        for (int r = 0; r < loop->nrow; ++r, ++row) {
            double *last = &A[row * f->ncolumn + f->ncolumn - 1];
            *last = direction ? 0.0 : residual[r];
            for (int c = 0; c < step->nsource && direction; ++c) {
                *last += A[row * f->ncolumn + step->ntarget + c] * direction[c];
            }
        }
    }
    if (lwi_step_eliminate(step, f->work, 1e-9) >= 0) {
        return false;
    }
    for (int t = 0; t < step->ntarget; ++t) {
        x[t] = A[t * f->ncolumn + f->ncolumn - 1];
    }
    return true;
}

static double norm(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// One step of length h along the path to the sources `to`.
static bool small_step(const follower *f, const state *s, const double *direction, double h,
                       const double *to, state *next)
{
    const lwi_step *step = f->step;
    const int n = step->ntarget;
    double change[MOST];
    memcpy(next->q, s->q, sizeof next->q);
    for (int k = 0; k < step->nsource; ++k) {
        next->q[step->source_q[k]] = to[k];
    }
    lwi_move_targets(f->m, step, s->rate, 1, h, s->q, next->q);
    // Rounding makes changes of up to `noise` beside a singular configuration.
    const double noise = 1e-9;
    double most = 0.05 * h * norm(n, s->rate) + noise;
    for (int k = 0; k < 4; ++k) {
        if (!solve(f, next, NULL, change) || !(norm(n, change) <= most)) {
            return false;
        }
        lwi_move_targets(f->m, step, change, 1, 1.0, next->q, next->q);
        most = 0.2 * norm(n, change) + noise;
        if (most < 2.0 * noise) {
            break;
        }
    }
    if (!solve(f, next, direction, next->rate)) {
        return false;
    }
    for (int t = 0; t < n; ++t) {
        change[t] = next->rate[t] - s->rate[t];
    }
    return norm(n, change) <= 0.2 * fmax(norm(n, s->rate), norm(n, next->rate)) + 1e-9;
}

// Moves a state straight to `to`; false where the path ends before, and the state there.
static bool follow(const follower *f, state *s, const double *to, bool *has_crossed)
{
    const double longest = 0.1, shortest = 1e-9;
    double from[MOST], direction[MOST], at[MOST], way = 0.0, done = 0.0;
    for (int k = 0; k < f->step->nsource; ++k) {
        from[k] = s->q[f->step->source_q[k]];
        direction[k] = to[k] - from[k];
        way = fmax(way, fabs(direction[k]));
    }
    double h = longest / way;
    *has_crossed = false;
    if (!solve(f, s, direction, s->rate)) {
        return false;
    }
    while (done < 1.0) {
        state next;
        const double end = done + h < 1.0 ? done + h : 1.0;
        for (int k = 0; k < f->step->nsource; ++k) {
            at[k] = end < 1.0 ? from[k] + end * direction[k] : to[k];
        }
        if (small_step(f, s, direction, end - done, at, &next)) {
            *has_crossed |= next.side * s->side < 0;
            *s = next;
            done = end;
            h = fmin(1.5 * h, longest / way);
        } else if (h < shortest) {
            return false;
        } else {
            h *= 0.5;
        }
    }
    return true;
}

// --- Strides ----------------------------------------------------------------------------------

static bool same_location(const lw_model *m, const double *p, const double *q)
{
    double worst = 0.0;
    for (int i = 0; i < m->nbody; ++i) {
        const int first = m->q_start[i], n = m->q_start[i + 1] - first;
        for (int k = first; k < first + n; ++k) {
            // A quaternion and its opposite are one orientation.
            const bool is_quaternion = n >= 4 && k >= first + n - 4;
            const double off = fabs(p[k] - q[k]);
            worst = fmax(worst, m->carrier[i] == LW_TREE_REVOLUTE
                                    ? fabs(remainder(off, 2.0 * acos(-1.0)))
                                : is_quaternion ? fmin(off, fabs(p[k] + q[k]))
                                                : off);
        }
    }
    return worst < 1e-6;
}

// One stride of a data to `to`, beside the path of the state `s`.
static bool stride(const follower *f, lw_data *d, state *s, const double *to, counts *c)
{
    double q[MOST];
    const state from = *s;
    bool has_crossed;
    const bool is_ok = lw_tree_state(f->m, d, to, NULL, NULL, q, NULL, NULL) == LW_OK;
    const bool leads_there = follow(f, s, to, &has_crossed);
    const bool is_wrong = is_ok && (!leads_there || !same_location(f->m, q, s->q));
    ++c->strides;
    c->barred += !leads_there;
    c->crossed += leads_there && has_crossed;
    c->refused += leads_there && !has_crossed && !is_ok;
    c->wrong += is_wrong;
    if (is_wrong && c->wrong <= 5) {
        printf("wrong, path %s:", leads_there ? "leads elsewhere" : "is barred");
        for (int i = 0; i < f->m->nv; ++i) {
            printf(" %.17g", from.q[f->step->source_q[i]]);
        }
        printf(" to");
        for (int i = 0; i < f->m->nv; ++i) {
            printf(" %.17g", to[i]);
        }
        printf("\n");
    }
    return is_ok && leads_there && !is_wrong;
}

static void check_mechanism(const range *of)
{
    char path[64];
    snprintf(path, sizeof path, "closed/%s.xml", of->name);
    lw_model *m = of == mechanisms ? shipped_model(path) : iterated_linkage(of->name);
    lw_data *d = new_data(m), *fresh = new_data(m), *scratch = new_data(m);
    const long pairs = asked > 0 ? asked : of->pairs;
    counts random = {0}, reference = {0};
    state s;
    if (CHECK(d && fresh && scratch && m->nstep == 1 && m->nv == m->nq)) {
        const lwi_step *step = m->kernel->program->step;
        const follower f = {m, m->kernel->program, step, &scratch->loop_work,
                            step->ntarget + step->nsource + 1};
        bool is_random = false;
        check_seed(1000000000 * seed); // streams that do not overlap
        while (random.strides < pairs && reference.strides < 10 * pairs) {
            double to[MOST];
            for (int i = 0; i < m->nv; ++i) {
                to[i] = m->q_reference[i] + check_random(-of->reach, of->reach);
            }
            if (is_random && stride(&f, d, &s, to, &random)) {
                continue;
            }
            // Again from the reference.
            lw_data_restart(fresh);
            memcpy(s.q, m->tree_q_reference, (size_t)m->tree_nq * sizeof *s.q);
            is_random = stride(&f, fresh, &s, to, &reference);
            lw_data *swap = d;
            d = fresh;
            fresh = swap;
        }
    }
    const counts *all[] = {&reference, &random};
    for (int k = 0; k < 2; ++k) {
        printf("| %s | %s | %ld | %ld | %ld | %ld | %ld |\n", of->name, k ? "random" : "reference",
               all[k]->strides, all[k]->barred, all[k]->crossed, all[k]->refused, all[k]->wrong);
        check_case("%s", of->name);
        CHECK_INT(all[k]->wrong, 0);
        CHECK(100 * all[k]->refused <= all[k]->strides);
    }
    fflush(stdout);
    lw_data_destroy(d);
    lw_data_destroy(fresh);
    lw_data_destroy(scratch);
    lw_model_destroy(m);
}

TEST(D21_R20_strides_between_random_configurations_keep_the_branch)
{
    printf("| Mechanism | From | Strides | Barred | Crossed | Refused | Wrong |\n"
           "|---|---|--:|--:|--:|--:|--:|\n");
    for (int k = 0; k < NMECHANISM; ++k) {
        if (!only || strcmp(only, mechanisms[k].name) == 0) {
            check_mechanism(&mechanisms[k]);
        }
    }
}

int main(int argc, char **argv)
{
    asked = argc > 1 ? atol(argv[1]) : 0;
    only = argc > 2 ? argv[2] : NULL;
    seed = argc > 3 ? strtoull(argv[3], NULL, 10) : seed;
    RUN(D21_R20_strides_between_random_configurations_keep_the_branch);
    return REPORT();
}
