#include "report/parameter_check.h"

#include "support/message.h"
#include "support/numeral.h"

#include <linkwork/compile.h>
#include <linkwork/derivatives.h>
#include <linkwork/dynamics.h>
#include <linkwork/engine.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Numbers of the description that a parameter is, or none: then it is an inertial one of a body.
typedef struct numeric_parameter {
    int n;
    lw_variation *number[3];
    double factor[3];
    bool is_inertial;
    lw_inertial_parameter inertial;
    double worst, size;
    int states; ///< at which it was compared
} numeric_parameter;

static bool add_number(job *work, numeric_parameter *p, const char *part, const char *field,
                       double factor)
{
    const lw_compile_options options = robot_options(&work->robot, work->args);
    const char *name = memory_text(work->pool, "%s.%s", part, field);
    p->factor[p->n] = factor;
    return lw_variation_create(work->robot.mech, &options, work->m, name, &p->number[p->n]) ==
               LW_OK &&
           ++p->n > 0;
}

static int body_of(const lw_model *m, const char *name)
{
    for (int i = 0; i < m->nbody; ++i) {
        if (strcmp(m->body_name[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

// Mass, centre of mass and entries of the tensor about it; the inertia is quadratic in the centre.
static bool find_inertial(const lw_model *m, const char *stem, int body, numeric_parameter *p)
{
    static const char *const entries[] = {"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
    const lw_inertia *I = &m->inertia[body];
    const lw_sym3 none = {0};
    if (!(I->mass > 0)) {
        return false;
    }
    const lw_vec3 r = lw_scale3(1 / I->mass, I->first_moment);
    p->inertial = (lw_inertial_parameter){.body = body};
    if (strcmp(stem, "m") == 0) {
        p->inertial.rate = lw_inertia_of(1, r, none);
        return true;
    }
    if (stem[0] == 'r' && stem[1] >= 'x' && stem[1] <= 'z' && !stem[2]) {
        const lw_vec3 e = {stem[1] == 'x', stem[1] == 'y', stem[1] == 'z'};
        const lw_inertia ahead = lw_inertia_of(0.5 * I->mass, lw_add3(r, e), none);
        lw_inertia back = lw_inertia_of(-0.5 * I->mass, lw_sub3(r, e), none);
        p->inertial.rate = lw_inertia_add(&ahead, &back);
        return true;
    }
    for (int k = 0; k < 6; ++k) {
        if (strcmp(stem, entries[k]) == 0) {
            p->inertial.rate.tensor = (lw_sym3){k == 0, k == 1, k == 2, k == 3, k == 4, k == 5};
            return true;
        }
    }
    return false;
}

// Where the joint of a body goes when a number of its placement grows: per metre, in the body
// before.
static bool find_direction(job *work, const char *name, int body, lw_vec3 *direction)
{
    static const double step = 0.0625;
    const lw_compile_options options = robot_options(&work->robot, work->args);
    lw_model *other = NULL;
    double value;
    if (lw_get_parameter(work->robot.mech, name, &value) != LW_OK) {
        return false;
    }
    lw_set_parameter(work->robot.mech, name, value + step);
    lw_compile(work->robot.mech, &options, &other, NULL);
    lw_set_parameter(work->robot.mech, name, value);
    const bool is_same = other && other->nbody == work->m->nbody;
    if (is_same) {
        *direction = lw_scale3(1 / step, lw_sub3(other->X_PJ[body].p, work->m->X_PJ[body].p));
    }
    lw_model_destroy(other);
    return is_same;
}

// A length of the placement of a body's joint, along the axes of the body before.
static bool find_length(job *work, const char *stem, int body, numeric_parameter *p)
{
    const lw_model *m = work->m;
    const lw_mat3 *R = &m->X_PJ[body].R;
    const char axis = stem[0] == 'p' ? stem[1] : stem[0];
    const bool is_length = stem[0] == 'p' ? stem[1] && !stem[2] : !stem[1];
    const lw_vec3 along = axis == 'd'
                              ? lw_vec3_of(R->row[0].z, R->row[1].z, R->row[2].z)
                              : lw_vec3_of(axis == 'x' || axis == 'a', axis == 'y', axis == 'z');
    const char *joint = m->joints[m->joint[body]].name;
    static const char *const fields[] = {"before.x", "before.y", "before.z"};
    bool is_good = is_length && strchr("xyzad", axis);
    for (int k = 0; k < 3 && is_good; ++k) {
        const char *name = memory_text(work->pool, "%s.%s", joint, fields[k]);
        lw_vec3 direction = {0, 0, 0};
        is_good = find_direction(work, name, body, &direction);
        const double share = lw_dot3(direction, along);
        if (is_good && fabs(share) > 1e-9) {
            is_good = add_number(work, p, joint, fields[k], share);
        }
    }
    return is_good && p->n > 0;
}

static bool find_numeric(job *work, const char *name, numeric_parameter *p)
{
    static const char *const of_joints[][2] = {
        {"b", "damping"}, {"f", "friction"}, {"k", "stiffness"}, {"Jr", "rotor_inertia"}};
    const char *underscore = strchr(name, '_');
    if (!underscore) {
        return false;
    }
    const char *part = underscore + 1;
    const char *stem = memory_text(work->pool, "%.*s", (int)(underscore - name), name);
    const int body = body_of(work->m, part);
    for (int k = 0; k < 4; ++k) {
        if (strcmp(stem, of_joints[k][0]) == 0) {
            return add_number(work, p, part, of_joints[k][1], 1);
        }
    }
    if (body >= 0 && find_inertial(work->m, stem, body, p)) {
        p->is_inertial = true;
        return true;
    }
    if (strcmp(stem, "l") == 0 || (strcmp(stem, "m") == 0 && body < 0)) {
        return add_number(work, p, part, *stem == 'l' ? "length" : "mass", 1);
    }
    if (stem[0] == 'c') {
        return add_number(work, p, part, stem, 1);
    }
    return body >= 0 && find_length(work, stem, body, p);
}

static lw_status numeric_column(const job *work, const numeric_parameter *p, const double *q,
                                const double *v, const double *a, double *one, double *sum)
{
    const int nv = work->m->nv;
    lw_status status = LW_OK;
    memset(sum, 0, (size_t)nv * sizeof *sum);
    if (p->is_inertial) {
        return lw_inertial_sensitivity(work->m, work->d, q, v, a, 1, &p->inertial, sum);
    }
    for (int k = 0; k < p->n && status == LW_OK; ++k) {
        status = lw_force_sensitivity(work->m, work->d, p->number[k], q, v, a, NULL, one);
        for (int i = 0; i < nv; ++i) {
            sum[i] += p->factor[k] * one[i];
        }
    }
    return status;
}

// The largest force at these states is returned.
static double compare_states(job *work, lw_derivation *of, int nstate, numeric_parameter *p)
{
    const int n = lw_derivation_nsymbol(of), nv = work->m->nv;
    double *q = job_numbers(work, work->m->nq, 1), *v = job_numbers(work, nv, 4);
    double *a = v + nv, *one = a + nv, *sum = one + nv, *all = job_numbers(work, nv, n);
    unsigned long long seed = 1;
    double force = 0;
    for (int s = 0; s < nstate; ++s) {
        lw_random_state(work->m, work->d, &seed, 1, q, v, a, sum);
        lw_data_restart(work->d);
        if (lw_inverse_dynamics(work->m, work->d, q, v, a, NULL, one) == LW_OK) {
            for (int i = 0; i < nv; ++i) {
                force = fmax(force, fabs(one[i]));
            }
        }
        lw_data_restart(work->d);
        if (lw_derivation_run(of, LW_FUNCTION_PARAMETER_DERIVATIVES, q, v, a, 0, NULL, all) !=
            LW_OK) {
            continue;
        }
        for (int k = 0; k < n; ++k) {
            if ((p[k].n == 0 && !p[k].is_inertial) ||
                numeric_column(work, &p[k], q, v, a, one, sum) != LW_OK) {
                continue;
            }
            double size = p[k].size, worst = 0;
            for (int i = 0; i < nv; ++i) {
                size = fmax(size, fabs(sum[i]));
                worst = fmax(worst, fabs(sum[i] - all[i * n + k]));
            }
            p[k].size = size;
            p[k].worst = fmax(p[k].worst, worst);
            ++p[k].states;
        }
    }
    return force;
}

// Derivatives that are nothing but what differences leave of the forces count by the least size
// that matters.
static double least_size(const numeric_parameter *p, int n, double force)
{
    static const double share = 1e-4;
    double least = fmax(1e-6, share * force);
    for (int k = 0; k < n; ++k) {
        least = fmax(least, share * p[k].size);
    }
    return least;
}

static int print_parameters(job *work, const lw_derivation *of, const numeric_parameter *p,
                            double least, int nstate, double tolerance)
{
    output *out = &work->out;
    int code = EXIT_GOOD, ncompared = 0;
    json_t *list = NULL;
    if (out->is_json) {
        out->json = output_object(out);
        list = output_array(out);
        output_set(out, out->json, "parameters", list);
    } else {
        fprintf(out->text, "%-25s %12s %12s %10s\n", "parameter", "worst", "of a size of",
                "tolerance");
    }
    for (int k = 0; k < lw_derivation_nsymbol(of); ++k) {
        const char *name = lw_derivation_symbol(of, k).name;
        const bool is_compared = p[k].states > 0;
        ncompared += is_compared;
        const double worst = p[k].worst / fmax(p[k].size, least);
        char text[3][NUMBER_SIZE];
        if (list) {
            json_t *item = output_item(out, list);
            output_put(out, item, "name s, worst f, size f", name, worst, p[k].size);
            output_set(out, item, "compared", json_boolean(is_compared));
        } else if (is_compared) {
            fprintf(out->text, "%-25s %12s %12s %10s%s\n", name, number_text(worst, text[0]),
                    number_text(p[k].size, text[1]), number_text(tolerance, text[2]),
                    worst <= tolerance ? "" : "  DIFFERENT");
        } else {
            fprintf(out->text, "%-25s not compared: %s\n", name,
                    p[k].n > 0 || p[k].is_inertial ? "no state could be computed"
                                                   : "no number of the description");
        }
        if (is_compared && !(worst <= tolerance)) {
            code = complain(EXIT_NUMERIC, "derivatives by %s differ by %s", name,
                            number_text(worst, text[0]));
        }
    }
    if (ncompared == 0) {
        code = complain(EXIT_NUMERIC, "no derivative was compared");
    } else if (!list && code == EXIT_GOOD) {
        fprintf(out->text, "\nall agree at %d random states\n", nstate);
    }
    return code;
}

int check_parameters(job *work, const char *inputs, const lw_derive_options *options, int nstate,
                     double tolerance)
{
    lw_derivation *of = NULL;
    lw_derive_options own = *options;
    own.functions = 1u << LW_FUNCTION_PARAMETER_DERIVATIVES;
    own.inputs = inputs;
    const int first = lw_report_count(work->robot.report);
    const lw_status status = lw_derive(work->m, &own, &of, work->robot.report);
    if (status != LW_OK) {
        print_diagnostics(work->robot.report, first);
        return complain(exit_code_of(status), "cannot derive the equations: %s",
                        lw_status_text(status));
    }
    const int n = lw_derivation_nsymbol(of);
    numeric_parameter *p = memory_get(work->pool, (size_t)n, sizeof *p);
    for (int k = 0; k < n; ++k) {
        if (!find_numeric(work, lw_derivation_symbol(of, k).name, &p[k])) {
            p[k].is_inertial = false;
        }
    }
    const double force = compare_states(work, of, nstate, p);
    const int code = print_parameters(work, of, p, least_size(p, n, force), nstate, tolerance);
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < 3; ++i) {
            lw_variation_destroy(p[k].number[i]);
        }
    }
    lw_derivation_destroy(of);
    return code;
}
