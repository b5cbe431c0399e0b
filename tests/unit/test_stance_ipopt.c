// Contact forces against Ipopt, an interior-point solver that shares no code and no method with
// ours: the same program, whose conditions are written down here anew.
//
// A cone has no tangent plane at its tip, which Ipopt needs where a contact carries nothing. So it
// never sees one: it gets planes that touch the cones (J. E. Kelley, "The cutting-plane method for
// solving convex programs", 1960), one more where the forces of the last program leave a cone,
// until none does.
#include "check.h"

#include <linkwork/stance.h>

#ifdef LINKWORK_HAS_IPOPT
#include <IpStdCInterface.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { MOST = 8, CUTS = 40, ROWS = 6 + MOST * (CUTS + 1), COLUMNS = 3 * MOST };

/// min 1/2 sum of w |f|^2, subject to low <= A f <= high.
typedef struct program {
    int nrow, ncolumn;
    double A[ROWS][COLUMNS], low[ROWS], high[ROWS], weight[COLUMNS];
} program;

static Bool eval_f(Index n, Number *x, Bool is_new, Number *value, UserDataPtr user)
{
    const program *p = user;
    (void)is_new;
    *value = 0;
    for (int j = 0; j < n; ++j) {
        *value += 0.5 * p->weight[j] * x[j] * x[j];
    }
    return TRUE;
}

static Bool eval_gradient(Index n, Number *x, Bool is_new, Number *gradient, UserDataPtr user)
{
    const program *p = user;
    (void)is_new;
    for (int j = 0; j < n; ++j) {
        gradient[j] = p->weight[j] * x[j];
    }
    return TRUE;
}

static lw_vec3 force_of(const double *x, int contact)
{
    return lw_vec3_of(x[3 * contact], x[3 * contact + 1], x[3 * contact + 2]);
}

static Bool eval_g(Index n, Number *x, Bool is_new, Index m, Number *g, UserDataPtr user)
{
    const program *p = user;
    (void)is_new;
    for (int i = 0; i < m; ++i) {
        g[i] = 0;
        for (int j = 0; j < n; ++j) {
            g[i] += p->A[i][j] * x[j];
        }
    }
    return TRUE;
}

static Bool eval_jacobian(Index n, Number *x, Bool is_new, Index m, Index count, Index *row,
                          Index *column, Number *values, UserDataPtr user)
{
    const program *p = user;
    (void)x, (void)is_new, (void)count;
    for (int i = 0, k = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j, ++k) {
            if (values) {
                values[k] = p->A[i][j];
            } else {
                row[k] = i;
                column[k] = j;
            }
        }
    }
    return TRUE;
}

static Bool eval_hessian(Index n, Number *x, Bool is_new, Number factor, Index m, Number *lambda,
                         Bool is_new_lambda, Index count, Index *row, Index *column, Number *values,
                         UserDataPtr user)
{
    const program *p = user;
    (void)x, (void)is_new, (void)m, (void)lambda, (void)is_new_lambda, (void)count;
    for (int j = 0; j < n; ++j) {
        if (values) {
            values[j] = factor * p->weight[j];
        } else {
            row[j] = column[j] = j;
        }
    }
    return TRUE;
}

static void set_row(double *row, int contact, lw_vec3 a)
{
    row[3 * contact] = a.x;
    row[3 * contact + 1] = a.y;
    row[3 * contact + 2] = a.z;
}

// friction (normal . f) >= across . f
static void add_plane(program *p, int k, lw_vec3 normal, double friction, lw_vec3 across)
{
    set_row(p->A[p->nrow], k, lw_sub3(across, lw_scale3(friction, normal)));
    p->low[p->nrow++] = -2e19; // none
}

// Facets: the direction at angle 2 pi i/facets across the normal, from the first axis.
static void write_program(program *p, int n, const lw_foot_contact *contact, const lw_force *wrench,
                          int facets)
{
    const lw_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    *p = (program){.nrow = 6, .ncolumn = 3 * n};
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < 3; ++i) { // e . (point x f) = (e x point) . f
            set_row(p->A[i], k, axis[i]);
            set_row(p->A[3 + i], k, lw_cross3(axis[i], contact[k].point));
            p->low[i] = p->high[i] = lw_dot3(axis[i], wrench->lin);
            p->low[3 + i] = p->high[3 + i] = lw_dot3(axis[i], wrench->ang);
            p->weight[3 * k + i] = contact[k].weight;
        }
        const lw_vec3 normal = lw_unit3(contact[k].normal);
        const lw_vec3 first = lw_unit3(lw_cross3(normal, axis[1]));
        const lw_vec3 second = lw_cross3(normal, first);
        set_row(p->A[p->nrow], k, normal);
        p->high[p->nrow++] = contact[k].max_force;
        for (int i = 0; i < facets; ++i) {
            const double angle = 6.283185307179586 * i / facets;
            const lw_vec3 across =
                lw_add3(lw_scale3(cos(angle), first), lw_scale3(sin(angle), second));
            add_plane(p, k, normal, contact[k].friction, across);
        }
    }
}

/// LW_CONTACTS_STOPPED where Ipopt gives up.
static lw_contact_status solve(program *p, double *x)
{
    double low[COLUMNS], high[COLUMNS];
    for (int j = 0; j < p->ncolumn; ++j) {
        low[j] = -2e19;
        high[j] = 2e19;
        x[j] = 0;
    }
    IpoptProblem problem = CreateIpoptProblem(p->ncolumn, low, high, p->nrow, p->low, p->high,
                                              p->nrow * p->ncolumn, p->ncolumn, 0, eval_f, eval_g,
                                              eval_gradient, eval_jacobian, eval_hessian);
    if (!CHECK(problem != NULL)) {
        return LW_CONTACTS_STOPPED;
    }
    // Its bounds are relaxed by 1e-8 unless it is told not to.
    AddIpoptNumOption(problem, (char[]){"tol"}, 1e-12);
    AddIpoptNumOption(problem, (char[]){"bound_relax_factor"}, 0);
    AddIpoptNumOption(problem, (char[]){"compl_inf_tol"}, 1e-12);
    AddIpoptStrOption(problem, (char[]){"nlp_scaling_method"}, (char[]){"none"});
    AddIpoptIntOption(problem, (char[]){"print_level"}, 0);
    AddIpoptIntOption(problem, (char[]){"max_iter"}, 100);
    AddIpoptStrOption(problem, (char[]){"sb"}, (char[]){"yes"});
    const enum ApplicationReturnStatus status =
        IpoptSolve(problem, x, NULL, NULL, NULL, NULL, NULL, p);
    FreeIpoptProblem(problem);
    return status == Solve_Succeeded               ? LW_CONTACTS_OPTIMAL
           : status == Infeasible_Problem_Detected ? LW_CONTACTS_INFEASIBLE
                                                   : LW_CONTACTS_STOPPED;
}

// A plane that touches its cone along the force of each contact whose friction is beyond what its
// cone has by more than `most`, N; false where that is none.
static bool cut(program *p, int n, const lw_foot_contact *contact, const lw_vec3 *force,
                double most)
{
    const int before = p->nrow;
    for (int k = 0; k < n && p->nrow < ROWS; ++k) {
        const lw_vec3 normal = lw_unit3(contact[k].normal);
        const double push = lw_dot3(normal, force[k]);
        const lw_vec3 across = lw_sub3(force[k], lw_scale3(push, normal));
        const double friction = lw_norm3(across);
        if (friction > contact[k].friction * push + most && friction > 1e-7) {
            add_plane(p, k, normal, contact[k].friction, lw_unit3(across));
        }
    }
    return p->nrow > before;
}

/// A random stance, and what both solvers make of it.
typedef struct stance {
    int n;
    lw_foot_contact contact[MOST];
    lw_force wrench;
    lw_vec3 force[MOST];
    lw_contact_result result;
    lw_contact_status found; ///< by Ipopt
    double x[COLUMNS];
} stance;

static void random_stance(stance *s)
{
    for (int k = 0; k < s->n; ++k) {
        s->contact[k] = (lw_foot_contact){
            .point = {check_random(-1, 1), check_random(-1, 1), check_random(-0.2, 0.2)},
            .normal = {check_random(-0.4, 0.4), check_random(-0.4, 0.4), 1},
            .friction = check_random(0.2, 1),
            .max_force = check_random(30, 200),
            .weight = check_random(0.5, 2)};
    }
    s->wrench.lin = lw_vec3_of(check_random(-10, 10), check_random(-10, 10), 100);
    s->wrench.ang = lw_cross3(lw_vec3_of(0.1, 0.1, 0.5), s->wrench.lin);
}

// Stance i, with these facets or within cones. Whatever Ipopt ends with must be what is found here.
static stance solve_both(int i, const lw_contact_options *options)
{
    static lw_contact_work work;
    static program p;
    stance s = {.n = 3 + i % 6};
    random_stance(&s);
    check_case("stance %d of %d contacts", i, s.n);
    CHECK_INT(lw_contact_forces(s.n, s.contact, &s.wrench, options, &work, s.force, &s.result),
              LW_OK);
    write_program(&p, s.n, s.contact, &s.wrench, options->is_exact ? 4 : options->facets);
    // Planes at the forces that were found are enough where these are right; any others lead there.
    if (options->is_exact && s.result.status == LW_CONTACTS_OPTIMAL) {
        cut(&p, s.n, s.contact, s.force, -1e-9);
    }
    bool is_cut;
    do {
        lw_vec3 force[MOST];
        s.found = solve(&p, s.x);
        for (int k = 0; k < s.n; ++k) {
            force[k] = force_of(s.x, k);
        }
        is_cut = options->is_exact && s.found == LW_CONTACTS_OPTIMAL &&
                 cut(&p, s.n, s.contact, force, 2e-13);
    } while (is_cut);
    if (s.found != LW_CONTACTS_STOPPED) {
        CHECK_INT(s.result.status, s.found);
    }
    return s;
}

// The largest difference of forces, as a share of the wrench.
static double compare(const stance *s)
{
    double worst = 0;
    for (int k = 0; k < s->n; ++k) {
        const lw_vec3 off = lw_sub3(s->force[k], force_of(s->x, k));
        worst = fmax(worst, lw_norm3(off) / lw_norm3(s->wrench.lin));
    }
    CHECK_NEAR(worst, 0, 1e-8);
    return worst;
}

TEST(C20_forces_of_random_stances_are_those_of_ipopt)
{
    int count[3] = {0}, held = 0;
    double worst = 0;
    for (int i = 0; i < 120; ++i) {
        const lw_contact_options options = {.facets = 4 + i % 5};
        const stance s = solve_both(i, &options);
        ++count[s.found];
        if (s.found == LW_CONTACTS_OPTIMAL) {
            held += s.result.nactive > 0;
            worst = fmax(worst, compare(&s));
        }
    }
    CHECK_INT(count[LW_CONTACTS_STOPPED], 0);
    CHECK(count[LW_CONTACTS_OPTIMAL] > 30 && count[LW_CONTACTS_INFEASIBLE] > 0);
    CHECK(held > 20);
    printf("%d stances, %d held back by friction or limits: forces agree to %.1e\n",
           count[LW_CONTACTS_OPTIMAL], held, worst);
}

TEST(C20_forces_within_exact_cones_are_those_of_ipopt)
{
    const lw_contact_options options = {.is_exact = true};
    int count[3] = {0}, idle = 0;
    double worst = 0;
    for (int i = 0; i < 36; ++i) {
        const stance s = solve_both(i, &options);
        double least = HUGE_VAL;
        ++count[s.found];
        if (s.found != LW_CONTACTS_OPTIMAL) {
            continue;
        }
        for (int k = 0; k < s.n; ++k) {
            least = fmin(least, lw_norm3(force_of(s.x, k)));
        }
        idle += least < 0.01;
        worst = fmax(worst, compare(&s));
    }
    CHECK_INT(count[LW_CONTACTS_STOPPED], 0);
    CHECK(count[LW_CONTACTS_OPTIMAL] > 15 && idle > 0);
    printf("%d stances within cones, %d with a contact that carries nothing: forces agree to %.1e; "
           "%d have no forces\n",
           count[LW_CONTACTS_OPTIMAL], idle, worst, count[LW_CONTACTS_INFEASIBLE]);
}

#else

TEST(C20_forces_of_random_stances_are_those_of_ipopt)
{
    check_skip("Ipopt is not installed");
}

TEST(C20_forces_within_exact_cones_are_those_of_ipopt)
{
    check_skip("Ipopt is not installed");
}

#endif

int main(void)
{
    RUN(C20_forces_of_random_stances_are_those_of_ipopt);
    RUN(C20_forces_within_exact_cones_are_those_of_ipopt);
    return REPORT();
}
