// bench_constraints [TASKS [RESTARTS]]: the constraint solver on a robot with two arms, a free base
// and four feet (models/two_arms) and on arms, and the rates of an arm with seven joints.
//
// Reachable tasks are made from random configurations within the limits: poses of both hands and
// places of the four feet. Unreachable ones are the same with one hand moved away; their residuals
// are compared with the best of many restarts. Times are those of the processor in this run;
// iterations and shares do not depend on the machine. results/constraints.md has those of one run.
#include <linkwork/constraints.h>
#include <linkwork/io.h>
#include <linkwork/kinematics.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_NQ = 40, TASK_CONSTRAINTS = 6, MOST_TASKS = 100000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec; // us
}

static double random_number(unsigned long long *state, double low, double high)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(*state >> 11) / 9007199254740992.0);
}

static lw_model *load(const char *path)
{
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    if (lw_load_file(path, NULL, &mech, NULL) == LW_OK) {
        lw_compile(mech, NULL, &m, NULL);
    }
    lw_mech_destroy(mech);
    return m;
}

typedef struct problem {
    lw_model *m;
    lw_data *d;
    lw_constraints *set, *restarts;
    int n; ///< constraints
    lw_constraint_def def[TASK_CONSTRAINTS];
    double q[MOST_NQ];
} problem;

static bool begin(problem *p, const char *path, int n, const char *const *frame, int restarts)
{
    *p = (problem){.m = load(path), .n = n};
    bool is_good = p->m && p->m->nq <= MOST_NQ && lw_data_create(p->m, &p->d) == LW_OK;
    for (int i = 0; i < n && is_good; ++i) {
        p->def[i] = lw_default_constraint_def(frame[i],
                                              i < 2 ? LW_CONSTRAINT_POSE : LW_CONSTRAINT_POSITION);
        p->def[i].frame = lw_find_frame(p->m, frame[i]);
        is_good = p->def[i].frame >= 0;
    }
    const lw_constraint_options many = {.starts = restarts, .repeats = restarts};
    return is_good && lw_constraints_create(p->m, n, p->def, NULL, &p->set, NULL) == LW_OK &&
           lw_constraints_create(p->m, n, p->def, &many, &p->restarts, NULL) == LW_OK;
}

static void end(problem *p)
{
    lw_constraints_destroy(p->set);
    lw_constraints_destroy(p->restarts);
    lw_data_destroy(p->d);
    lw_model_destroy(p->m);
}

// A task that a random configuration meets: joints over their whole ranges, the base within 0.2 m
// and 0.3 rad of where it stands.
static void make_task(problem *p, unsigned long long *state)
{
    const lw_model *m = p->m;
    double v[MOST_NQ];
    for (int k = 0; k < m->nv; ++k) {
        v[k] = lw_position_of_dof(m, k) >= 0 ? 0.0
               : k < 3                       ? random_number(state, -0.3, 0.3)
                                             : random_number(state, -0.2, 0.2);
    }
    memcpy(p->q, m->q_reference, (size_t)m->nq * sizeof *p->q);
    lw_integrate(m, m->q_reference, v, 1.0, p->q);
    for (int k = 0; k < m->nv; ++k) {
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        const int i = lw_position_of_dof(m, k);
        if (i >= 0) {
            p->q[i] = random_number(state, fmax(dof->lower, -3.14159), fmin(dof->upper, 3.14159));
        }
    }
    for (int i = 0; i < p->n; ++i) {
        lw_pose_of_frame(m, p->d, p->q, p->def[i].frame, &p->def[i].target);
    }
}

static void set_task(problem *p, lw_constraints *set)
{
    for (int i = 0; i < p->n; ++i) {
        lw_constraints_update(set, i, &p->def[i]);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct tally {
    int n, solved, best, near;
    double time[MOST_TASKS], iterations;
} tally;

static void print_times(tally *t)
{
    qsort(t->time, (size_t)t->n, sizeof *t->time, compare);
    double sum = 0.0;
    for (int i = 0; i < t->n; ++i) {
        sum += t->time[i];
    }
    printf("mean %.1f us, median %.1f us, 99 %% within %.1f us, %.1f iterations\n", sum / t->n,
           t->time[t->n / 2], t->time[t->n * 99 / 100], t->iterations / t->n);
}

static void run_reachable(problem *p, const char *name, tally *t, int tasks)
{
    unsigned long long state = 1;
    *t = (tally){.n = tasks};
    for (int i = 0; i < tasks; ++i) {
        lw_constraint_result found;
        make_task(p, &state);
        set_task(p, p->set);
        const double begin = now();
        lw_constraints_solve(p->set, NULL, &found);
        t->time[i] = now() - begin;
        t->iterations += found.iterations;
        t->solved += found.status == LW_CONSTRAINTS_SOLVED;
    }
    printf("%s, reachable: %d of %d solved, ", name, t->solved, tasks);
    print_times(t);
}

static double objective(const lw_constraint_result *found)
{
    double sum = 0.0;
    for (int i = 0; i < found->nconstraint; ++i) {
        sum += found->constraint[i].residual * found->constraint[i].residual;
    }
    return sqrt(sum);
}

static void run_unreachable(problem *p, const char *name, tally *t, int tasks, int restarts)
{
    unsigned long long state = 2;
    double kkt = 0.0;
    *t = (tally){.n = tasks};
    for (int i = 0; i < tasks; ++i) {
        lw_constraint_result found;
        make_task(p, &state);
        p->def[0].target.p.x += 2.0;
        set_task(p, p->set);
        const double begin = now();
        lw_constraints_solve(p->set, NULL, &found);
        t->time[i] = now() - begin;
        t->iterations += found.iterations;
        t->best += found.status == LW_CONSTRAINTS_BEST;
        kkt = fmax(kkt, found.kkt);
        const double residual = objective(&found);
        set_task(p, p->restarts);
        lw_constraints_solve(p->restarts, NULL, &found);
        t->near += residual <= 1.001 * objective(&found);
    }
    printf("%s, unreachable: %d of %d with a certificate, largest KKT residual %.1e; %d "
           "within 1.001 of the best of %d restarts, ",
           name, t->best, tasks, kkt, t->near, restarts);
    print_times(t);
}

// Seven joints, a twist of the hand, and the posture as second priority.
static void run_rates(void)
{
    enum { CALLS = 20000, BLOCKS = 20 };
    lw_model *m = load("models/panda_class.xml");
    lw_constraint_def def[2] = {lw_default_constraint_def("twist", LW_CONSTRAINT_TWIST),
                                lw_default_constraint_def("elbow", LW_CONSTRAINT_JOINT)};
    lw_constraints *set = NULL;
    if (m) {
        def[0].frame = lw_find_frame(m, "link7");
        def[1].dof = 2;
        def[1].level = 1;
        bool moves[MOST_NQ] = {true, true, true, true, true, true, true};
        const lw_constraint_options options = {.moves = moves};
        lw_constraints_create(m, 2, def, &options, &set, NULL);
    }
    if (!set) {
        printf("rates: the model is not found\n");
        lw_model_destroy(m);
        return;
    }
    const double rate[7] = {0.1, -0.2, 0.3, 0.1, 0.05, -0.1, 0.2};
    double v[MOST_NQ], least = (double)INFINITY;
    for (int block = 0; block < BLOCKS; ++block) {
        const double begin = now();
        for (int i = 0; i < CALLS; ++i) {
            lw_constraint_rates(set, m->q_reference, rate, NULL, v);
        }
        least = fmin(least, (now() - begin) / CALLS);
    }
    printf("rates, 7 joints, two priorities: %.3f us\n", least);
    lw_constraints_destroy(set);
    lw_model_destroy(m);
}

int main(int argc, char **argv)
{
    static const char *const whole[TASK_CONSTRAINTS] = {
        "left_arm/hand.grip",    "right_arm/hand.grip", "front_left/shin.foot",
        "front_right/shin.foot", "hind_left/shin.foot", "hind_right/shin.foot"};
    static const char *const ur5[] = {"tool"}, *const panda[] = {"link7"};
    static const struct {
        const char *name, *path;
        int n;
        const char *const *frame;
    } robot[] = {{"two arms, base and four feet, 32 unknowns, 24 rows",
                  "models/two_arms/two_arms.xml", TASK_CONSTRAINTS, whole},
                 {"arm of six joints, pose", "models/ur5_class.xml", 1, ur5},
                 {"arm of seven joints, pose", "models/panda_class.xml", 1, panda}};
    const int tasks = argc > 1 ? atoi(argv[1]) : 1000;
    const int restarts = argc > 2 ? atoi(argv[2]) : 100;
    tally *t = malloc(sizeof *t);
    bool is_good = t && tasks > 0 && tasks <= MOST_TASKS && restarts > 0;
    for (size_t i = 0; i < sizeof robot / sizeof *robot && is_good; ++i) {
        problem p;
        is_good = begin(&p, robot[i].path, robot[i].n, robot[i].frame, restarts);
        if (is_good) {
            run_reachable(&p, robot[i].name, t, tasks);
            run_unreachable(&p, robot[i].name, t, tasks < 10 ? 1 : tasks / 10, restarts);
        }
        end(&p);
    }
    if (is_good) {
        run_rates();
    } else {
        fprintf(stderr, "bench_constraints [TASKS [RESTARTS]], in the top folder of the project\n");
    }
    free(t);
    return is_good ? 0 : 1;
}
