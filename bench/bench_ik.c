// bench_ik [SHARED]: inverse kinematics in one run, as ratios.
//
// Closed forms against the ortho-parallel formula by hand (opw.h), on the same poses: answers are
// compared first. Arms of any geometry and redundant arms by themselves; those come from a folder
// of models that is not part of the repository.
#include "bench_generated.h"
#include "measure.h"
#include "opw.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 1000, MOST_NQ = 16 };

static const opw_arm irb2400 = {0.1, -0.135, 0.0, 0.615, 0.705, 0.755, 0.085};

static const char irb2400_text[] =
    "<linkwork version='1' name='irb2400_like'><ground/>"
    "<joint name='q1' type='revolute' axis='0 0 1' from='ground' to='l1'/>"
    "<link name='l1' mass='1' inertia='1 1 1'><b xyz='0.1 0 0.615'/></link>"
    "<joint name='q2' type='revolute' axis='0 1 0' from='l1.b' to='l2'/>"
    "<link name='l2' mass='1' inertia='1 1 1'><b xyz='0 0 0.705'/></link>"
    "<joint name='q3' type='revolute' axis='0 1 0' from='l2.b' to='l3'/>"
    "<link name='l3' mass='1' inertia='1 1 1'><b xyz='-0.135 0 0.755'/></link>"
    "<joint name='q4' type='revolute' axis='0 0 1' from='l3.b' to='l4'/>"
    "<link name='l4' mass='1' inertia='1 1 1'/>"
    "<joint name='q5' type='revolute' axis='0 1 0' from='l4' to='l5'/>"
    "<link name='l5' mass='1' inertia='1 1 1'/>"
    "<joint name='q6' type='revolute' axis='0 0 1' from='l5' to='l6'/>"
    "<link name='l6' mass='1' inertia='1 1 1'><frame name='tool' xyz='0 0 0.085'/></link>"
    "</linkwork>";

typedef struct problem {
    lw_model *m;
    lw_data *d;
    lw_ik *ik;
    lw_ik_target target[STATES];
    double q[STATES][MOST_NQ]; ///< that the targets were made of
    double opw[8][6];
    bench_generated *code; ///< X and Q of LW_FUNCTION_INVERSE_KINEMATICS
    double pose[STATES][12], Q[8][7];
} problem;

static double random_number(unsigned long long *state, double low, double high)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(*state >> 11) / 9007199254740992.0);
}

// A position within the limits, and within one revolution where there are none.
static void random_position(const lw_model *m, unsigned long long *state, double *q)
{
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
    for (int k = 0; k < m->nv; ++k) {
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        const double low = fmax(dof->lower, -3.14159), high = fmin(dof->upper, 3.14159);
        const int i = lw_position_of_dof(m, k);
        q[i < 0 ? 0 : i] = i < 0 ? q[0] : random_number(state, low, high);
    }
}

static bool make_targets(problem *p, const char *tip, lw_ik_def *def)
{
    unsigned long long state = 1;
    lw_report *report = NULL;
    lw_report_create(&report); // the status alone reports where there is none
    def->base = -1;
    def->tip = lw_find_frame(p->m, tip);
    bool is_good =
        p->m->nq <= MOST_NQ && def->tip >= 0 && lw_ik_create(p->m, def, &p->ik, report) == LW_OK;
    lw_data_create(p->m, &p->d);
    for (int i = 0; i < STATES && is_good; ++i) {
        random_position(p->m, &state, p->q[i]);
        is_good = lw_pose_of_frame(p->m, p->d, p->q[i], def->tip, &p->target[i].X_BT) == LW_OK;
        if (def->redundancy == LW_IK_HOLD) {
            p->target[i].has_redundancy = true;
            p->target[i].redundancy = p->q[i][def->hold];
        }
    }
    for (int i = 0; i < lw_report_count(report); ++i) {
        printf("%s\n", lw_report_diagnostic(report, i).message);
    }
    lw_report_destroy(report);
    return is_good;
}

static void solve(void *context, int i)
{
    problem *p = context;
    lw_ik_result result;
    lw_ik_solve(p->ik, &p->target[i], p->m->q_reference, &result);
    bench_keep(&result);
}

// All solutions for 16 values of the redundancy.
static void sweep(void *context, int i)
{
    problem *p = context;
    lw_ik_target target = p->target[i];
    lw_ik_samples samples = {.count = 16};
    lw_ik_result result;
    while (lw_ik_next_sample(p->ik, &target, p->m->q_reference, &samples, &result)) {
        bench_keep(&result);
    }
}

static void solve_opw(void *context, int i)
{
    problem *p = context;
    double R[9];
    const lw_pose *X = &p->target[i].X_BT;
    memcpy(R, X->R.row, sizeof R);
    opw_solve(&irb2400, R, (const double[3]){X->p.x, X->p.y, X->p.z}, p->opw);
    bench_keep(p->opw);
}

static void solve_code(void *context, int i)
{
    problem *p = context;
    p->code(p->pose[i], NULL, NULL, p->Q[0]);
    bench_keep(p->Q);
}

// The generated code of the ortho-parallel arm, which does not verify its solutions.
static void code_row(problem *p, double opw)
{
    const generated_code code =
        generated_open(p->m, "opw", LW_FUNCTION_INVERSE_KINEMATICS, 1, NULL);
    int count = 0;
    p->code = code.call;
    if (!p->code) {
        printf("%-28s not measured: %s\n", "the same arm, generated code", code.why);
        return;
    }
    for (int i = 0; i < STATES; ++i) {
        bool is_found = false;
        memcpy(p->pose[i], p->target[i].X_BT.R.row, 9 * sizeof **p->pose);
        memcpy(p->pose[i] + 9, &p->target[i].X_BT.p, 3 * sizeof **p->pose);
        solve_code(p, i);
        for (int s = 0; s < 8 && !is_found; ++s) {
            double off = p->Q[s][6] == 1.0 ? 0.0 : 1.0;
            for (int k = 0; k < 6; ++k) {
                off = fmax(off, fabs(sin(0.5 * (p->Q[s][k] - p->q[i][k]))));
            }
            is_found = off < 1e-6;
        }
        count += is_found;
    }
    const double ns = bench_time(solve_code, p, STATES);
    printf("%-28s %9.0f ns  %6.2f x OPW  %5.1f %% found  without verification\n",
           "the same arm, generated code", ns, ns / opw, 100.0 * count / STATES);
}

// The share of targets for which the joints that made them are among the solutions.
static double found(problem *p)
{
    int count = 0;
    for (int i = 0; i < STATES; ++i) {
        lw_ik_result result;
        bool is_found = false;
        if (lw_ik_solve(p->ik, &p->target[i], p->q[i], &result) != LW_OK) {
            continue;
        }
        for (int s = 0; s < result.nsolution && !is_found; ++s) {
            double off = 0.0;
            for (int k = 0; k < p->m->nq; ++k) {
                off = fmax(off, fabs(sin(0.5 * (result.solution[s].q[k] - p->q[i][k]))));
            }
            is_found = off < 1e-6;
        }
        count += is_found;
    }
    return (double)count / STATES;
}

static double row(const char *name, problem *p, const char *tip, lw_ik_def def,
                  void (*run)(void *context, int i), double opw)
{
    double ns = (double)NAN;
    if (p->m && make_targets(p, tip, &def)) {
        const double share = found(p);
        ns = bench_time(run, p, STATES);
        printf("%-28s %9.0f ns  %6.2f x OPW  %5.1f %% found  %s\n", name, ns, ns / opw,
               100.0 * share, lw_ik_describe(p->ik)->class_name);
    } else {
        printf("%-28s not measured\n", name);
    }
    lw_ik_destroy(p->ik);
    lw_data_destroy(p->d);
    lw_model_destroy(p->m);
    memset(p, 0, sizeof *p);
    return ns;
}

static lw_model *load(const char *folder, const char *file, const char *text)
{
    char path[1000];
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    const lw_status status = text ? lw_load_text(path, text, strlen(text), NULL, &mech, NULL)
                                  : lw_load_file(path, NULL, &mech, NULL);
    if (status == LW_OK) {
        lw_compile(mech, NULL, &m, NULL);
    }
    lw_mech_destroy(mech);
    return m;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *file, *tip, *hold;
        bool is_certain;
        void (*run)(void *context, int i);
    } rows[] = {
        {"UR5, closed form", "models/urdf_ik/ur5.urdf", "tool", NULL, false, solve},
        {"PUMA 560, closed form", "models/urdf_ik/puma560.urdf", "tool", NULL, false, solve},
        {"calibrated UR5", "models/urdf_ik/calibrated_d01_ur5.urdf", "tool", NULL, false, solve},
        {"general 6R, default", "models/urdf_ik/raghavan_roth.urdf", "tool", NULL, false, solve},
        {"general 6R, certain", "models/urdf_ik/raghavan_roth.urdf", "tool", NULL, true, solve},
        {"Panda, q7 given", "models/urdf_ik/panda.urdf", "tool", "j7", false, solve},
        {"iiwa, q3 given", "models/urdf_ik/iiwa14.urdf", "tool", "j3", false, solve},
        {"iiwa, swivel angle given", "models/urdf_ik/iiwa14.urdf", "tool", NULL, false, solve},
        {"Panda, 16 values of q7", "models/urdf_ik/panda.urdf", "tool", "j7", false, sweep},
        {"iiwa, 16 swivel angles", "models/urdf_ik/iiwa14.urdf", "tool", NULL, false, sweep},
    };
    const char *shared = argc > 1 ? argv[1] : "../shared";
    static problem p;
    p.m = load(".", "irb2400.xml", irb2400_text);
    lw_ik_def def = lw_default_ik_def(-1, 0);
    if (!p.m || !make_targets(&p, "tool", &def)) {
        printf("the ortho-parallel arm cannot be solved\n");
        return 1;
    }
    const double opw = bench_time(solve_opw, &p, STATES);
    printf("%-28s %9.0f ns\n", "OPW formula by hand", opw);
    code_row(&p, opw);
    lw_model *m = p.m;
    lw_ik_destroy(p.ik);
    lw_data_destroy(p.d);
    memset(&p, 0, sizeof p);
    p.m = m;
    row("the same arm, lw_ik", &p, "tool", lw_default_ik_def(-1, 0), solve, opw);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        def = lw_default_ik_def(-1, 0);
        def.is_certain = rows[i].is_certain;
        p.m = load(shared, rows[i].file, NULL);
        if (p.m && rows[i].hold) {
            def.redundancy = LW_IK_HOLD;
            def.hold = lw_find_position(p.m, rows[i].hold);
        }
        row(rows[i].name, &p, rows[i].tip, def, rows[i].run, opw);
    }
    return 0;
}
