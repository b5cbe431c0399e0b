// linkwork linearize: small motions about a state of rest.

#include "commands.h"
#include "job.h"
#include "message.h"

#include <linkwork/linearize.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Room for the matrices of one state.
typedef struct small_motion {
    double *A, *copy, *B, *re, *im;
    int *order; ///< of the eigenvalues, from slow to fast
} small_motion;

static int prepare(job *work)
{
    small_motion *s = work->context;
    const int n = 2 * work->robot.model->nv;
    if (n == 0) {
        return complain(EXIT_INPUT, "the machine has no freedoms");
    }
    s->A = job_numbers(n, n);
    s->copy = job_numbers(n, n);
    s->B = job_numbers(n, n);
    s->re = job_numbers(n, 1);
    s->im = job_numbers(n, 1);
    s->order = calloc((size_t)n, sizeof *s->order);
    return s->A && s->copy && s->B && s->re && s->im && s->order ? EXIT_GOOD : EXIT_FILE;
}

static void sort(small_motion *s, int n)
{
    for (int i = 0; i < n; ++i) {
        const double size = hypot(s->re[i], s->im[i]);
        int k = i;
        for (; k > 0 && hypot(s->re[s->order[k - 1]], s->im[s->order[k - 1]]) > size; --k) {
            s->order[k] = s->order[k - 1];
        }
        s->order[k] = i;
    }
}

static double damping_of(const small_motion *s, int i)
{
    const double size = hypot(s->re[i], s->im[i]);
    return size > 0.0 ? -s->re[i] / size : 0.0;
}

static void put_json(output *out, const small_motion *s, const lw_model *m, double residual,
                     json_t *result)
{
    const int n = 2 * m->nv;
    output_set(out, result, "names", output_names(out, m->velocity_name, m->nv));
    output_set(out, result, "A", output_matrix(out, s->A, n, n));
    output_set(out, result, "B", output_matrix(out, s->B, n, m->nv));
    output_set(out, result, "residual", output_number(out, residual));
    json_t *values = output_array(out), *modes = output_array(out);
    for (int k = 0; k < n; ++k) {
        const int i = s->order[k];
        const double pair[2] = {s->re[i], s->im[i]};
        output_append(out, values, output_numbers(out, pair, 2));
        if (s->im[i] > 0.0) {
            json_t *mode = output_object(out);
            const double size = hypot(s->re[i], s->im[i]);
            output_set(out, mode, "frequency", output_number(out, size / 6.283185307179586));
            output_set(out, mode, "damping", output_number(out, damping_of(s, i)));
            output_append(out, modes, mode);
        }
    }
    output_set(out, result, "eigenvalues", values);
    output_set(out, result, "modes", modes);
}

static void put_text(output *out, const small_motion *s, const lw_model *m, double residual)
{
    fprintf(out->text, "%s: largest acceleration at this state %.3g%s\n\n", m->name, residual,
            residual < 1e-9 ? ", an equilibrium" : "");
    fprintf(out->text, "%18s %18s %14s %10s\n", "real", "imaginary", "frequency, Hz", "damping");
    for (int k = 0; k < 2 * m->nv; ++k) {
        const int i = s->order[k];
        if (s->im[i] < 0.0) {
            continue; // its partner tells the same
        }
        fprintf(out->text, "%18.9g ", s->re[i]);
        if (s->im[i] > 0.0) {
            fprintf(out->text, "%18.9g %14.6g %10.6g\n", s->im[i],
                    hypot(s->re[i], s->im[i]) / 6.283185307179586, damping_of(s, i));
        } else {
            fprintf(out->text, "%18s\n", "0");
        }
    }
    fputs("\nThe matrices A and B are in --json.\n", out->text);
}

static int evaluate(job *work, int i, json_t *result)
{
    small_motion *s = work->context;
    const lw_model *m = work->robot.model;
    const int n = 2 * m->nv;
    double residual = 0.0;
    const double *tau = args_has(work->args, OPT_T) ? states_tau(&work->states, i) : NULL;
    lw_status status =
        lw_linearize(m, work->robot.data, states_q(&work->states, i), tau, &residual, s->A, s->B);
    if (status == LW_OK) {
        memcpy(s->copy, s->A, (size_t)n * (size_t)n * sizeof *s->copy);
        status = lw_eigenvalues(n, s->copy, s->re, s->im);
    }
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    sort(s, n);
    if (result) {
        put_json(&work->out, s, m, residual, result);
    } else {
        put_text(&work->out, s, m, residual);
    }
    return EXIT_GOOD;
}

int command_linearize(const command_line *args)
{
    const job_steps steps = {prepare, evaluate};
    small_motion s = {0};
    const int code = job_run(args, &steps, &s);
    free(s.A);
    free(s.copy);
    free(s.B);
    free(s.re);
    free(s.im);
    free(s.order);
    return code;
}
