#include "report/self_check_source.h"

#include <linkwork/control.h>
#include <linkwork/kinematics.h>

#include "support/files.h"
#include "support/message.h"

#include <math.h>
#include <string.h>

enum { STATES = 5 };

static void print_numbers(FILE *to, const char *name, const double *value, int n)
{
    fprintf(to, "        static const double %s[%d] = {", name, n > 0 ? n : 1);
    for (int i = 0; i < n; ++i) {
        fprintf(to, "%s%.17g", i > 0 ? ", " : "", value[i]);
    }
    fputs("};\n", to);
}

// The arguments of each function in the code.
static const char *arguments_of(lw_function f)
{
    switch (f) {
    case LW_FUNCTION_INVERSE_DYNAMICS:
    case LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES:
    case LW_FUNCTION_PARAMETER_DERIVATIVES:
        return "q, v, a";
    case LW_FUNCTION_FORWARD_DYNAMICS:
    case LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES:
        return "q, v, tau";
    case LW_FUNCTION_JACOBIAN_RATE:
    case LW_FUNCTION_CORIOLIS_MATRIX:
    case LW_FUNCTION_ENERGY:
        return "q, v";
    default:
        return "q";
    }
}

static int print_function(FILE *to, const check_plan *p, lw_engine *engine, lw_function f,
                          const lw_engine_state *state, double *result)
{
    const int size = lw_function_size(p->m, f);
    if (lw_engine_run(engine, f, state, result) != LW_OK) {
        return EXIT_GOOD; // a state that has no answer checks nothing
    }
    const bool is_forward = f == LW_FUNCTION_FORWARD_DYNAMICS;
    fputs("    {\n", to);
    print_numbers(to, "want", is_forward ? state->tau : result, size);
    fprintf(to, "        double got[%d];\n        %s_%s(%s, got);\n", size, p->prefix,
            lw_function_name(f), arguments_of(f));
    if (is_forward) { // accelerations are as uncertain as the mass matrix; their forces are not
        fprintf(to, "        %s_inverse_dynamics(q, v, got, got);\n", p->prefix);
    }
    fprintf(to, "        worst = linkwork_compare(worst, got, want, %d);\n    }\n", size);
    return EXIT_GOOD;
}

// One of the solutions for the pose at q is q itself.
static void print_inverse(FILE *to, const check_plan *p, const double *q)
{
    lw_pose X;
    if (lw_pose_of_frame(p->m, p->d, q, p->frame, &X) != LW_OK) {
        return;
    }
    const int rows = lw_function_size(p->m, LW_FUNCTION_INVERSE_KINEMATICS) / (p->m->nq + 1);
    fputs("    {\n", to);
    print_numbers(to, "X", (const double *)&X, 12);
    fprintf(to,
            "        double Q[%d], nearest = 1.0;\n        %s_inverse_kinematics(X, Q);\n"
            "        for (int i = 0; i < %d; ++i) {\n            double way = 0.0;\n"
            "            for (int k = 0; k < %d; ++k) {\n"
            "                way = fmax(way, fabs(sin(0.5 * (Q[%d * i + k] - q[k]))));\n"
            "            }\n"
            "            nearest = Q[%d * i + %d] > 0.5 ? fmin(nearest, way) : nearest;\n"
            "        }\n        worst = fmax(worst, 1e-3 * nearest);\n    }\n",
            rows * (p->m->nq + 1), p->prefix, rows, p->m->nq, p->m->nq + 1, p->m->nq + 1, p->m->nq);
}

// Each controller at q, v for a set point nearby, by the algorithms of the library.
static int print_controllers(memory *pool, FILE *to, const check_plan *p, const double *q,
                             const double *v, const double *a)
{
    static const char *const law[3] = {"pd", "pd_gravity", "computed_torque"};
    const int n = p->m->nv;
    double *u = memory_numbers(pool, n, 1), *tau = memory_numbers(pool, n, 1);
    double *q_d = memory_numbers(pool, n, 1), *v_d = memory_numbers(pool, n, 1);
    for (int k = 0; k < n; ++k) {
        q_d[k] = q[k] + 0.01 * cos(k);
        v_d[k] = v[k] - 0.02 * sin(1.0 + k);
    }
    for (int i = 0; i < 3; ++i) {
        const double *kp = i == 2 ? p->control->torque_kp : p->control->pd_kp;
        const double *kd = i == 2 ? p->control->torque_kd : p->control->pd_kd;
        lw_status status = LW_OK;
        for (int k = 0; k < n; ++k) {
            u[k] = kp[k] * (q_d[k] - q[k]) + kd[k] * (v_d[k] - v[k]) + (i == 2 ? a[k] : 0.0);
        }
        if (i == 2) {
            status = lw_inverse_dynamics(p->m, p->d, q, v, u, NULL, tau);
        } else if (i == 1) {
            status = lw_gravity_forces(p->m, p->d, q, tau);
        }
        if (status != LW_OK) {
            return complain_of(p->m, p->d, status, "controllers: ");
        }
        for (int k = 0; k < n; ++k) {
            const double limit = p->m->dof[p->m->v_tree[k]].max_force;
            const double force = i == 2 ? tau[k] : u[k] + (i == 1 ? tau[k] : 0.0);
            tau[k] = fmin(fmax(force, -limit), limit);
        }
        fputs("    {\n", to);
        print_numbers(to, "q_d", q_d, n);
        print_numbers(to, "v_d", v_d, n);
        print_numbers(to, "want", tau, n);
        fprintf(to,
                "        double got[%d];\n        %s_%s(q, v, q_d, v_d, a, got);\n"
                "        worst = linkwork_compare(worst, got, want, %d);\n    }\n",
                n, p->prefix, law[i], n);
    }
    return EXIT_GOOD;
}

static int print_states(memory *pool, FILE *to, const check_plan *p, lw_engine *engine)
{
    unsigned long long seed = 17;
    const int nq = p->m->nq, nv = p->m->nv;
    int most = 1, code = EXIT_GOOD;
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        const int size = lw_function_size(p->m, (lw_function)f);
        most = size > most ? size : most;
    }
    double *q = memory_numbers(pool, nq, 1), *result = memory_numbers(pool, most, 1);
    double *v = memory_numbers(pool, nv, 1), *a = memory_numbers(pool, nv, 1);
    double *tau = memory_numbers(pool, nv, 1);
    const lw_engine_state state = {nq, nv, q, v, a, tau};
    for (int i = 0; i < STATES && code == EXIT_GOOD; ++i) {
        lw_random_state(p->m, p->d, &seed, 0.7, q, v, a, tau);
        fprintf(to, "    { // state %d\n", i + 1);
        print_numbers(to, "q", q, nq);
        print_numbers(to, "v", v, nv);
        print_numbers(to, "a", a, nv);
        print_numbers(to, "tau", tau, nv);
        fputs("        (void)q, (void)v, (void)a, (void)tau;\n", to);
        for (int f = 0; f < LW_FUNCTION_COUNT && code == EXIT_GOOD; ++f) {
            if (f == LW_FUNCTION_INVERSE_KINEMATICS) {
                if (p->functions & 1u << f) {
                    print_inverse(to, p, q);
                }
            } else if (p->functions & 1u << f) {
                code = print_function(to, p, engine, (lw_function)f, &state, result);
            }
        }
        if (p->control && code == EXIT_GOOD) {
            code = print_controllers(pool, to, p, q, v, a);
        }
        fputs("    }\n", to);
    }
    return code;
}

int self_check_source(memory *pool, const check_plan *plan, const char **text)
{
    static const char head[] =
        "\n// The largest difference of an element, relative to the largest element.\n"
        "static double linkwork_compare(double worst, const double *got, const double *want, int "
        "n)\n{\n    double size = 1e-3, error = 0.0;\n    for (int i = 0; i < n; ++i) {\n"
        "        size = fmax(size, fabs(want[i]));\n"
        "        error = fmax(error, fabs(got[i] - want[i]));\n    }\n"
        "    return error / size <= worst ? worst : error / size;\n}\n\n"
        "// Expect below 1e-9.\n"
        "double linkwork_self_check(void);\ndouble linkwork_self_check(void)\n{\n"
        "    double worst = 0.0;\n";
    file_draft draft;
    lw_engine *engine = NULL;
    lw_engine_options options = lw_default_engine_options(plan->m);
    options.frame = plan->frame;
    const lw_status status = lw_engine_numeric(plan->m, &options, &engine);
    if (status != LW_OK) {
        return complain(exit_code_of(status), "%s", lw_status_text(status));
    }
    int code = file_begin(&draft);
    if (code == EXIT_GOOD) {
        fputs(head, draft.to);
        code = print_states(pool, draft.to, plan, engine);
        if (plan->other) {
            fprintf(draft.to, "    worst = fmax(worst, %s_self_check());\n", plan->other);
        }
        fputs("    return worst;\n}\n", draft.to);
        const int ended = file_end_text(&draft, pool, text);
        code = code == EXIT_GOOD ? ended : code;
    }
    lw_engine_destroy(engine);
    return code;
}
