// linkwork id, fd, mass, gravity, energy, sensitivity.

#include "commands.h"
#include "job.h"
#include "message.h"
#include "suggest.h"
#include "units.h"

#include <linkwork/derivatives.h>
#include <linkwork/dynamics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- One number a freedom: id, fd, gravity ----------------------------------------------------

typedef lw_status (*vector_function)(const lw_model *m, lw_data *d, const state_list *states, int i,
                                     double *result);

typedef struct vector_context {
    vector_function function;
    const char *key;  ///< in JSON
    const char *head; ///< above the column
    unit_of unit;
    double *result;  ///< [nv]
    bool has_drives; ///< what the drives must give is wanted too
} vector_context;

static int prepare_vector(job *work)
{
    vector_context *vector = work->context;
    vector->result = job_numbers(work->robot.model->nv, 1);
    return vector->result ? EXIT_GOOD : EXIT_FILE;
}

// What the drives leave to be done, coordinate by coordinate.
static void tell_rest(output *out, const lw_model *m, const double *rest)
{
    double largest = 0;
    for (int k = 0; k < m->nv; ++k) {
        largest = fmax(largest, fabs(rest[k]));
    }
    fputs("the drives alone cannot make this motion; still missing:", out->text);
    for (int k = 0, count = 0; k < m->nv; ++k) {
        if (fabs(rest[k]) > 1e-9 * largest) {
            fprintf(out->text, "%s %.6g at %s", count++ > 0 ? "," : "", rest[k],
                    m->velocity_name[k]);
        }
    }
    fputc('\n', out->text);
}

// What the drives must give for the motion, where the machine has any.
static int evaluate_drives(job *work, int i, json_t *result)
{
    const lw_model *m = work->robot.model;
    const state_list *states = &work->states;
    output *out = &work->out;
    static const char *const head = "effort";
    int *freedom = calloc((size_t)m->ndrive, sizeof *freedom);
    const char **name = calloc((size_t)m->ndrive, sizeof *name);
    double *effort = job_numbers(m->ndrive, 1), *rest = job_numbers(m->nv, 1);
    int code = freedom && name && effort && rest ? EXIT_GOOD : EXIT_FILE;
    for (int k = 0; k < m->ndrive && code == EXIT_GOOD; ++k) {
        freedom[k] = m->drive[k].freedom;
        name[k] = m->drive[k].name;
    }
    if (code == EXIT_GOOD) {
        const lw_status status = lw_actuator_forces(m, work->robot.data, states_q(states, i),
                                                    states_v(states, i), states_a(states, i), NULL,
                                                    m->ndrive, freedom, NULL, effort, NULL, rest);
        const bool is_whole = status == LW_OK;
        if (!is_whole && status != LW_ERR_SINGULAR) {
            code = job_failure(work, i, status);
        } else if (result) {
            output_set(out, result, "drives", output_names(out, name, m->ndrive));
            output_set(out, result, "effort", output_numbers(out, effort, m->ndrive));
            output_set(out, result, "drives_suffice", json_boolean(is_whole));
        } else {
            const char **unit = unit_list(m, freedom, m->ndrive, UNIT_OF_FORCE);
            fputc('\n', out->text);
            output_unit_table(out, "drive", name, m->ndrive, &head, 1, effort, NULL, unit);
            out->is_short = out->is_short || !unit;
            free(unit);
            if (!is_whole) {
                tell_rest(out, m, rest);
            }
        }
    }
    free(freedom);
    free(name);
    free(effort);
    free(rest);
    return code;
}

static int evaluate_vector(job *work, int i, json_t *result)
{
    vector_context *vector = work->context;
    const lw_model *m = work->robot.model;
    output *out = &work->out;
    const lw_status status =
        vector->function(m, work->robot.data, &work->states, i, vector->result);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (result) {
        output_set(out, result, vector->key, output_numbers(out, vector->result, m->nv));
        output_set(out, result, "names", output_names(out, m->velocity_name, m->nv));
    } else {
        const char **unit = unit_list(m, m->v_tree, m->nv, vector->unit);
        output_unit_table(out, "velocity", m->velocity_name, m->nv, &vector->head, 1,
                          vector->result, NULL, unit);
        out->is_short = out->is_short || !unit;
        free(unit);
    }
    return vector->has_drives && m->ndrive > 0 ? evaluate_drives(work, i, result) : EXIT_GOOD;
}

static int run_vector(const command_line *args, vector_context vector)
{
    const job_steps steps = {prepare_vector, evaluate_vector};
    const int code = job_run(args, &steps, &vector);
    free(vector.result);
    return code;
}

static lw_status inverse(const lw_model *m, lw_data *d, const state_list *states, int i,
                         double *result)
{
    return lw_inverse_dynamics(m, d, states_q(states, i), states_v(states, i), states_a(states, i),
                               NULL, result);
}

static lw_status forward(const lw_model *m, lw_data *d, const state_list *states, int i,
                         double *result)
{
    return lw_forward_dynamics(m, d, states_q(states, i), states_v(states, i),
                               states_tau(states, i), NULL, result);
}

static lw_status weight(const lw_model *m, lw_data *d, const state_list *states, int i,
                        double *result)
{
    return lw_gravity_forces(m, d, states_q(states, i), result);
}

int command_id(const command_line *args)
{
    return run_vector(args, (vector_context){.function = inverse,
                                             .key = "tau",
                                             .head = "tau",
                                             .unit = UNIT_OF_FORCE,
                                             .has_drives = true});
}

int command_fd(const command_line *args)
{
    return run_vector(
        args, (vector_context){
                  .function = forward, .key = "a", .head = "a", .unit = UNIT_OF_ACCELERATION});
}

int command_gravity(const command_line *args)
{
    return run_vector(
        args,
        (vector_context){.function = weight, .key = "tau", .head = "tau", .unit = UNIT_OF_FORCE});
}

// --- mass -------------------------------------------------------------------------------------

static int prepare_mass(job *work)
{
    const int nv = work->robot.model->nv;
    double **M = work->context;
    *M = job_numbers(nv, nv);
    return *M ? EXIT_GOOD : EXIT_FILE;
}

static int evaluate_mass(job *work, int i, json_t *result)
{
    double *M = *(double **)work->context;
    const lw_model *m = work->robot.model;
    output *out = &work->out;
    const lw_status status = lw_mass_matrix(m, work->robot.data, states_q(&work->states, i), M);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (result) {
        output_set(out, result, "M", output_matrix(out, M, m->nv, m->nv));
        output_set(out, result, "names", output_names(out, m->velocity_name, m->nv));
    } else {
        fprintf(out->text, "mass matrix, %s; columns in the order of the rows\n",
                unit_of_all(m, UNIT_OF_INERTIA));
        output_table(out, "", m->velocity_name, m->nv, NULL, m->nv, M);
    }
    return EXIT_GOOD;
}

int command_mass(const command_line *args)
{
    double *M = NULL;
    const job_steps steps = {prepare_mass, evaluate_mass};
    const int code = job_run(args, &steps, &M);
    free(M);
    return code;
}

// --- energy -----------------------------------------------------------------------------------

static int evaluate_energy(job *work, int i, json_t *result)
{
    const lw_model *m = work->robot.model;
    const double *q = states_q(&work->states, i);
    output *out = &work->out;
    double energy[2];
    lw_status status =
        lw_kinetic_energy(m, work->robot.data, q, states_v(&work->states, i), &energy[0]);
    if (status == LW_OK) {
        status = lw_potential_energy(m, work->robot.data, q, &energy[1]);
    }
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    static const char *const key[2] = {"kinetic", "potential"};
    if (result) {
        output_set(out, result, key[0], output_number(out, energy[0]));
        output_set(out, result, key[1], output_number(out, energy[1]));
    } else {
        static const char *const head = "J";
        output_table(out, "energy", key, 2, &head, 1, energy);
    }
    return EXIT_GOOD;
}

int command_energy(const command_line *args)
{
    const job_steps steps = {NULL, evaluate_energy};
    return job_run(args, &steps, NULL);
}

// --- sensitivity ------------------------------------------------------------------------------

typedef struct sensitivity_context {
    int count;
    char **name; ///< [count]
    lw_inertial_parameter *parameter;
    double *dtau;      ///< [nv*count]
    double *transpose; ///< [count*nv] for people: one line a parameter
} sensitivity_context;

enum { LINK_PARAMETERS = LW_LINK_INERTIA_YZ + 1 }; // the ten independent ones of a link

// Adds one name; takes it over. False when memory is short.
static bool add_name(sensitivity_context *s, char *name)
{
    char **longer = name ? realloc(s->name, ((size_t)s->count + 1) * sizeof *longer) : NULL;
    if (!longer) {
        free(name);
        complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
        return false;
    }
    s->name = longer;
    s->name[s->count++] = name;
    return true;
}

static bool add_link(sensitivity_context *s, const lw_model *m, int link)
{
    for (int k = 0; k < LINK_PARAMETERS; ++k) {
        const char *kind = lw_link_parameter_name((lw_link_parameter)k);
        const size_t size = strlen(m->link[link].name) + strlen(kind) + 2;
        char *name = malloc(size);
        if (name) {
            snprintf(name, size, "%s.%s", m->link[link].name, kind);
        }
        if (!add_name(s, name)) {
            return false;
        }
    }
    return true;
}

// A name is a parameter, a link (all ten of it), or "all".
static bool add_item(sensitivity_context *s, const lw_model *m, const char *text, size_t length)
{
    const bool is_all = length == 3 && memcmp(text, "all", 3) == 0;
    bool is_link = false;
    for (int i = 0; i < m->nlink; ++i) {
        const char *name = m->link[i].name;
        if (is_all || (strlen(name) == length && memcmp(name, text, length) == 0)) {
            is_link = true;
            if (!add_link(s, m, i)) {
                return false;
            }
        }
    }
    return is_link || add_name(s, strndup(text, length));
}

static int unknown_parameter(const lw_model *m, const char *name)
{
    lw_nearest near;
    lw_nearest_init(&near, name);
    char best[SUGGEST_ROOM] = "", text[SUGGEST_ROOM], candidate[SUGGEST_ROOM];
    for (int i = 0; i < m->nlink; ++i) {
        for (int k = 0; k < LW_LINK_PARAMETER_COUNT; ++k) {
            snprintf(candidate, sizeof candidate, "%s.%s", m->link[i].name,
                     lw_link_parameter_name((lw_link_parameter)k));
            lw_nearest_offer(&near, candidate);
            if (near.best == candidate) { // whose text is overwritten by the next
                memcpy(best, candidate, sizeof best);
                near.best = best;
            }
        }
        lw_nearest_offer(&near, m->link[i].name);
    }
    return complain(EXIT_USAGE, "there is no parameter \"%s\"%s", name, suggest_text(&near, text));
}

static int read_parameters(sensitivity_context *s, const job *work)
{
    const lw_model *m = work->robot.model;
    for (int i = 0; i < args_count(work->args, OPT_PARAMETERS); ++i) {
        const char *list = args_value_at(work->args, OPT_PARAMETERS, i);
        for (;;) {
            const size_t length = strcspn(list, ",");
            if (!add_item(s, m, list, length)) {
                return EXIT_FILE;
            }
            if (list[length] == '\0') {
                break;
            }
            list += length + 1;
        }
    }
    s->parameter = calloc((size_t)s->count + 1, sizeof *s->parameter);
    if (!s->parameter) {
        return complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    for (int i = 0; i < s->count; ++i) {
        if (lw_find_parameter(m, s->name[i], &s->parameter[i]) != LW_OK) {
            return unknown_parameter(m, s->name[i]);
        }
    }
    return EXIT_GOOD;
}

static int prepare_sensitivity(job *work)
{
    sensitivity_context *s = work->context;
    if (!args_has(work->args, OPT_PARAMETERS)) {
        return complain(EXIT_USAGE, "sensitivity needs --parameters, such as %s.mass or all",
                        work->robot.model->nlink > 0 ? work->robot.model->link[0].name : "link");
    }
    const int code = read_parameters(s, work);
    if (code != EXIT_GOOD) {
        return code;
    }
    s->dtau = job_numbers(work->robot.model->nv, s->count);
    s->transpose = job_numbers(s->count, work->robot.model->nv);
    return s->dtau && s->transpose ? EXIT_GOOD : EXIT_FILE;
}

static int evaluate_sensitivity(job *work, int i, json_t *result)
{
    sensitivity_context *s = work->context;
    const lw_model *m = work->robot.model;
    const state_list *states = &work->states;
    output *out = &work->out;
    const lw_status status =
        lw_inertial_sensitivity(m, work->robot.data, states_q(states, i), states_v(states, i),
                                states_a(states, i), s->count, s->parameter, s->dtau);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    const char *const *name = (const char *const *)s->name;
    if (result) {
        output_set(out, result, "dtau", output_matrix(out, s->dtau, m->nv, s->count));
        output_set(out, result, "parameters", output_names(out, name, s->count));
        output_set(out, result, "names", output_names(out, m->velocity_name, m->nv));
        return EXIT_GOOD;
    }
    for (int k = 0; k < s->count * m->nv; ++k) {
        s->transpose[k] = s->dtau[(k % m->nv) * s->count + k / m->nv];
    }
    output_table(out, "parameter", name, s->count, m->velocity_name, m->nv, s->transpose);
    return EXIT_GOOD;
}

int command_sensitivity(const command_line *args)
{
    sensitivity_context s = {0};
    const job_steps steps = {prepare_sensitivity, evaluate_sensitivity};
    const int code = job_run(args, &steps, &s);
    for (int i = 0; i < s.count; ++i) {
        free(s.name[i]);
    }
    free(s.name);
    free(s.parameter);
    free(s.dtau);
    free(s.transpose);
    return code;
}
