// linkwork linearize: the linearized motion about a state of rest.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"
#include "support/numeral.h"

#include <linkwork/linearize.h>
#include <linkwork/run.h>

#include <math.h>
#include <string.h>

/// Matrices of one state.
typedef struct small_motion {
    double *A, *copy, *B, *re, *im;
    int *order;  ///< of the eigenvalues, from slow to fast
    lw_run *run; ///< whose controller holds the mechanism, or NULL
    double *q;   ///< [nq] where it rests then
} small_motion;

// The controller of --run, and where it lets the mechanism rest.
static int prepare_controller(job *work, small_motion *s)
{
    const char *path = args_value(work->args, OPT_RUN);
    if (args_has(work->args, OPT_Q) || args_has(work->args, OPT_STATE) ||
        args_has(work->args, OPT_T)) {
        return complain(EXIT_USAGE, "with --run the run file defines the configuration");
    }
    if (args_count(work->args, OPT_RUN) > 1) {
        return complain(EXIT_USAGE, "linearize takes one run file");
    }
    const int code = run_open(work->args, path, work->m, &s->run);
    if (code != EXIT_GOOD) {
        return code;
    }
    s->q = job_numbers(work, work->m->nq, 1);
    memcpy(s->q, s->run->q, (size_t)work->m->nq * sizeof *s->q);
    return s->run->controller ? EXIT_GOOD
                              : complain(EXIT_INPUT, "%s: there is no <controller>", path);
}

static lw_status linearize_controlled(job *work, small_motion *s, double *residual)
{
    lw_data *d = work->d;
    lw_status status = lw_controlled_equilibrium(s->run->controller, d, 0.0, s->q);
    if (status == LW_OK) {
        status = lw_linearize_controlled(s->run->controller, d, 0.0, s->q, residual, s->A);
    }
    return status;
}

static int prepare(job *work)
{
    small_motion *s = work->context;
    const int n = 2 * work->m->nv;
    if (n == 0) {
        return complain(EXIT_INPUT, "the model has no degrees of freedom");
    }
    s->A = job_numbers(work, n, n);
    s->copy = job_numbers(work, n, n);
    s->B = job_numbers(work, n, n);
    s->re = job_numbers(work, n, 1);
    s->im = job_numbers(work, n, 1);
    s->order = memory_get(work->pool, (size_t)n, sizeof *s->order);
    return args_has(work->args, OPT_RUN) ? prepare_controller(work, s) : EXIT_GOOD;
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
    output_put(out, result, "names o, A o", output_names(out, m->velocity_name, m->nv),
               output_matrix(out, s->A, n, n));
    if (s->run) {
        output_set(out, result, "q", output_numbers(out, s->q, m->nq));
    } else {
        output_set(out, result, "B", output_matrix(out, s->B, n, m->nv));
    }
    output_set(out, result, "residual", output_number(out, residual));
    json_t *values = output_array(out), *modes = output_array(out);
    for (int k = 0; k < n; ++k) {
        const int i = s->order[k];
        const double pair[2] = {s->re[i], s->im[i]};
        output_append(out, values, output_numbers(out, pair, 2));
        if (s->im[i] > 0.0) {
            output_put(out, output_item(out, modes), "frequency f, damping f",
                       hypot(s->re[i], s->im[i]) / TWO_PI, damping_of(s, i));
        }
    }
    output_put(out, result, "eigenvalues o, modes o", values, modes);
}

static void put_text(output *out, const small_motion *s, const lw_model *m, double residual)
{
    if (s->run) {
        const lw_sampler *sampler = s->run->sim.sampler;
        fprintf(out->text, "%s, held by the controller%s%s%s\n\n", m->name,
                *s->run->name ? " of " : "", s->run->name,
                sampler ? ", as if it were sampled continuously" : "");
    } else {
        fprintf(out->text, "%s: largest acceleration at this state %.3g%s\n\n", m->name, residual,
                residual < 1e-9 ? ", an equilibrium" : "");
    }
    fprintf(out->text, "%18s %18s %14s %10s\n", "real, 1/s", "imaginary, 1/s", "frequency, Hz",
            "damping");
    for (int k = 0; k < 2 * m->nv; ++k) {
        const int i = s->order[k];
        if (s->im[i] < 0.0) {
            continue; // its conjugate is printed
        }
        fprintf(out->text, "%18.9g ", s->re[i] == 0.0 ? 0.0 : s->re[i]); // no sign at zero
        if (s->im[i] > 0.0) {
            fprintf(out->text, "%18.9g %14.6g %10.6g\n", s->im[i],
                    hypot(s->re[i], s->im[i]) / TWO_PI, damping_of(s, i));
        } else {
            fprintf(out->text, "%18s\n", "0");
        }
    }
    fputs(s->run ? "\nThe matrix A and the position of rest are in --json.\n"
                 : "\nThe matrices A and B are in --json.\n",
          out->text);
}

static int evaluate(job *work, int i, json_t *result)
{
    small_motion *s = work->context;
    const lw_model *m = work->m;
    const int n = 2 * m->nv;
    double residual = 0.0;
    const double *tau = args_has(work->args, OPT_T) ? states_tau(&work->states, i) : NULL;
    lw_status status =
        s->run ? linearize_controlled(work, s, &residual)
               : lw_linearize(m, work->d, states_q(&work->states, i), tau, &residual, s->A, s->B);
    if (status == LW_OK) {
        memcpy(s->copy, s->A, (size_t)n * (size_t)n * sizeof *s->copy);
        status = lw_eigenvalues(n, s->copy, s->re, s->im);
    }
    if (s->run && status == LW_ERR_MOTION) {
        return complain(EXIT_NUMERIC, "the equilibrium exceeds the limits of the drives");
    }
    if (s->run && status == LW_ERR_NO_CONVERGENCE) {
        return complain(EXIT_NUMERIC, "no equilibrium was found near the start of the run");
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

static void end(job *work)
{
    lw_run_destroy(((small_motion *)work->context)->run);
}

const command_def command_linearize = {
    .name = "linearize",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_T, OPT_RUN),
    .summary = "linearized model about an equilibrium: frequencies and damping",
    .about =
        "Linearizes the equation of motion about rest at the given positions, under the forces "
        "that balance it there or those of -t: dx/dt = A x + B u for small changes x of positions "
        "and velocities and u of forces. Gives the eigenvalues of A, and for each oscillation its "
        "frequency and damping ratio. Springs and dampers of joints are in it, Coulomb friction is "
        "not.\n\nWith --run the mechanism is held by the controller of a run file at its start, or "
        "in the equilibrium next to it, and A is that of the closed loop.",
    .keys = "A, B (rows; with --run no B but q, where it rests), names, residual (largest "
            "acceleration there), eigenvalues "
            "([real, imaginary], from slow to fast), modes (frequency in Hz, damping)",
    .example = "linearize hr120.xml\nlinearize arm.urdf -q 0,0.5,-0.5 --json\n"
               "linearize palletiser.xml --run pick.xml",
    .context_size = sizeof(small_motion),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
