// bench_statics [SHARED]: deflected equilibrium of arms with elastic drives: time per call, steps
// of Newton's method, residuals, and instructions per call where valgrind is installed.
//
// bench_statics --calls FUNCTION COUNT MODEL FRAME does nothing but COUNT calls: callgrind counts
// two such runs, and their difference is the calls alone.
#include "measure.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 1000, MOST_NQ = 16, FUNCTIONS = 4, CALLS = 2000 };

static const char *const function_name[FUNCTIONS] = {
    "deflect, from the command", "deflect, from a solution near by", "compensate", "compliance"};

typedef struct problem {
    lw_model *m;
    lw_data *d;
    lw_statics *statics;
    int frame, function;
    double command[STATES][MOST_NQ], q[STATES][MOST_NQ];
    lw_deflection worst;
    double rounding; ///< N m; half the last digit of a position times the stiffness, at most
    long steps, failed;
} problem;

static double random_number(unsigned long long *state, double low, double high)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(*state >> 11) / 9007199254740992.0);
}

static bool prepare(problem *p, const char *file, const char *frame)
{
    lw_mech *mech = NULL;
    unsigned long long seed = 7;
    bool is_good = lw_load_file(file, NULL, &mech, NULL) == LW_OK &&
                   lw_compile(mech, NULL, &p->m, NULL) == LW_OK &&
                   lw_data_create(p->m, &p->d) == LW_OK && p->m->nq <= MOST_NQ;
    lw_mech_destroy(mech);
    if (!is_good) {
        return false;
    }
    double K[MOST_NQ];
    for (int k = 0; k < p->m->nv; ++k) { // of harmonic drives of arms of this size, N m/rad
        K[k] = k < 3 ? 8000.0 : 1500.0;
    }
    p->frame = lw_find_frame(p->m, frame);
    const lw_static_load load = {p->frame, LW_IN_WORLD, {{0, 0, 0}, {10, -20, -30}}};
    const lw_statics_def def = {.stiffness = K, .nload = 1, .load = &load};
    is_good = p->frame >= 0 && lw_statics_create(p->m, &def, &p->statics) == LW_OK;
    for (int i = 0; i < STATES && is_good; ++i) {
        for (int k = 0; k < p->m->nq; ++k) {
            p->command[i][k] = random_number(&seed, -3.0, 3.0);
        }
        memcpy(p->q[i], p->command[i], sizeof p->q[i]);
        lw_deflection found;
        p->failed += lw_deflect(p->statics, p->d, p->command[i], p->q[i], &found) != LW_OK;
        p->steps += found.steps;
        p->worst.steps = found.steps > p->worst.steps ? found.steps : p->worst.steps;
        p->worst.residual = fmax(p->worst.residual, found.residual);
        for (int k = 0; k < p->m->nv; ++k) {
            const double x = fabs(p->q[i][k]), digit = nextafter(x, 2.0 * x) - x;
            p->rounding = fmax(p->rounding, 0.5 * digit * K[k]);
        }
    }
    return is_good;
}

static void run(void *context, int state)
{
    problem *p = context;
    double q[MOST_NQ], C[36];
    const double *command = p->command[state];
    memcpy(q, p->function == 0 || p->function == 2 ? command : p->q[state], sizeof q);
    if (p->function == 0) {
        lw_deflect(p->statics, p->d, command, q, NULL);
    } else if (p->function == 1) {
        q[1] += 1e-4; // as far as an arm moves in a millisecond
        q[2] -= 1e-4;
        lw_deflect(p->statics, p->d, command, q, NULL);
    } else if (p->function == 2) {
        lw_compensate(p->statics, p->d, q, p->q[state]);
        memcpy(p->q[state], q, sizeof q);
    } else {
        lw_cartesian_compliance(p->statics, p->d, q, p->frame, LW_IN_WORLD, C);
        bench_keep(C);
    }
    bench_keep(q);
}

static void end(problem *p)
{
    lw_statics_destroy(p->statics);
    lw_data_destroy(p->d);
    lw_model_destroy(p->m);
}

static int bench_arm(const char *self, const char *file, const char *frame)
{
    static problem p;
    memset(&p, 0, sizeof p);
    if (!prepare(&p, file, frame)) {
        printf("%s: not there\n", file);
        end(&p);
        return 0;
    }
    printf("%s: %.2f steps of Newton's method on average, %d at most; residual at most %.1e N m "
           "(rounding of q alone: %.1e N m); %ld of %d failed\n",
           p.m->name, (double)p.steps / STATES, p.worst.steps, p.worst.residual, p.rounding,
           p.failed, STATES);
    char arguments[1200];
    snprintf(arguments, sizeof arguments, "%s %s", file, frame);
    for (p.function = 0; p.function < FUNCTIONS; ++p.function) {
        const double ns = bench_time(run, &p, STATES);
        const double count = bench_instructions(self, p.function, CALLS, arguments);
        printf("  %-34s %7.2f us", function_name[p.function], 1e-3 * ns);
        if (count > 0.0) {
            printf("  %8.0f instructions", count);
        }
        printf("\n");
    }
    const int failed = p.failed > 0;
    end(&p);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "--calls") == 0) {
        static problem p;
        if (prepare(&p, argv[4], argv[5])) {
            p.function = (int)strtol(argv[2], NULL, 10);
            for (long i = strtol(argv[3], NULL, 10); i > 0; --i) {
                run(&p, (int)(i % STATES));
            }
        }
        end(&p);
        return 0;
    }
    char file[1000];
    int failed = bench_arm(argv[0], "models/ur5_class.xml", "tool");
    failed |= bench_arm(argv[0], "models/panda_class.xml", "tool");
    snprintf(file, sizeof file, "%s/models/urdf/ur5.urdf", argc > 1 ? argv[1] : "../shared");
    failed |= bench_arm(argv[0], file, "ee_link");
    return failed;
}
