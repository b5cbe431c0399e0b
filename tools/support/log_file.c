#include "support/log_file.h"

#include "report/table.h"
#include "support/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The column "prefix.name", or "name" where that is allowed; complains where it is missing.
static int find_column(const job *work, const table *t, const char *path, const char *prefix,
                       const char *name, bool is_bare, int *column)
{
    const char *full = memory_text(work->pool, "%s.%s", prefix, name);
    *column = table_column(t, full);
    if (*column < 0 && is_bare) {
        *column = table_column(t, name);
    }
    if (*column >= 0) {
        return EXIT_GOOD;
    }
    lw_nearest near;
    char text[SUGGEST_SIZE];
    lw_nearest_init(&near, full);
    for (int k = 0; k < t->ncolumn; ++k) {
        lw_nearest_offer(&near, t->name[k]);
    }
    return complain(EXIT_INPUT, "%s:1:1: there is no column \"%s\"%s", path, full,
                    suggest_text(&near, text));
}

// Positions of a revolute joint far outside of its limits, and of what a joint winds, are degrees.
static int check_unit(const job *work, const table *t, const char *path, int dof, int column)
{
    const lw_dof *limits = &work->m->dof[work->m->v_tree[dof]];
    const double most = fmax(25.0, isfinite(limits->upper) ? 4.0 * fabs(limits->upper) : 0.0);
    for (int i = 0; i < t->nrow; ++i) {
        const double q = t->value[(size_t)i * (size_t)t->ncolumn + (size_t)column];
        if (fabs(q) > most) {
            return complain(EXIT_INPUT,
                            "%s:%d: %s is %g: positions are in radians and metres; are these "
                            "degrees?",
                            path, i + 2, t->name[column], q);
        }
    }
    return EXIT_GOOD;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The middle one of all time steps, which jumps do not change.
static double usual_step(const job *work, const table *t, const double *time)
{
    double *step = memory_numbers(work->pool, t->nrow, 1);
    for (int i = 1; i < t->nrow; ++i) {
        step[i - 1] =
            time[(size_t)i * (size_t)t->ncolumn] - time[(size_t)(i - 1) * (size_t)t->ncolumn];
    }
    qsort(step, (size_t)t->nrow - 1, sizeof *step, ascending);
    return step[(t->nrow - 1) / 2];
}

// The last row of a simulation is where it ends, which may be nearer than the others: it is left
// out then.
static int check_times(const job *work, table *t, const char *path, int column)
{
    const size_t width = (size_t)t->ncolumn;
    const double *time = t->value + column;
    if (t->nrow < 3) {
        return complain(EXIT_INPUT, "%s: a log needs at least three rows", path);
    }
    const double *last = time + (size_t)(t->nrow - 1) * width;
    t->nrow -= last[0] - last[-(long)width] < 0.99 * (last[-(long)width] - last[-2 * (long)width]);
    const double step = usual_step(work, t, time);
    for (int i = 1; i < t->nrow; ++i) {
        const double now = time[(size_t)i * width] - time[(size_t)(i - 1) * width];
        if (!(now > 0.0) || fabs(now - step) > 0.01 * step) {
            return complain(EXIT_INPUT,
                            "%s:%d: the time advances by %g s, usually by %g s: samples must be "
                            "evenly spaced",
                            path, i + 2, now, step);
        }
    }
    return EXIT_GOOD;
}

static int copy_columns(const job *work, const table *t, const char *path, lw_log *log)
{
    const lw_model *m = work->m;
    const size_t width = (size_t)t->ncolumn;
    for (int j = 0; j < m->nv; ++j) {
        int q, tau;
        int code = find_column(work, t, path, "q", m->position_name[j], true, &q);
        if (code == EXIT_GOOD) {
            code = find_column(work, t, path, "tau", m->velocity_name[j], false, &tau);
        }
        if (code == EXIT_GOOD) {
            code = check_unit(work, t, path, j, q);
        }
        if (code != EXIT_GOOD) {
            return code;
        }
        for (int i = 0; i < t->nrow; ++i) {
            log->q[i * m->nv + j] = t->value[(size_t)i * width + (size_t)q];
            log->tau[i * m->nv + j] = t->value[(size_t)i * width + (size_t)tau];
        }
    }
    return EXIT_GOOD;
}

int log_read(const job *work, const char *path, lw_log *log)
{
    const lw_model *m = work->m;
    table t;
    *log = (lw_log){0};
    if (m->nq != m->nv) {
        return complain(EXIT_INPUT, "logs of free and spherical joints are not supported");
    }
    int code = table_read(&t, work->pool, path);
    if (code != EXIT_GOOD) {
        return code;
    }
    const int time = table_column(&t, "t") >= 0 ? table_column(&t, "t") : table_column(&t, "time");
    code = time < 0 ? complain(EXIT_INPUT, "%s:1:1: there is no column \"t\"", path)
                    : check_times(work, &t, path, time);
    if (code == EXIT_GOOD) {
        log->n = t.nrow;
        log->t = memory_numbers(work->pool, t.nrow, 1);
        log->q = memory_numbers(work->pool, t.nrow, m->nv);
        log->tau = memory_numbers(work->pool, t.nrow, m->nv);
        for (int i = 0; i < t.nrow; ++i) {
            log->t[i] = t.value[(size_t)i * (size_t)t.ncolumn + (size_t)time];
        }
        code = copy_columns(work, &t, path, log);
    }
    table_free(&t);
    return code;
}

const char *joint_column_word(int i)
{
    static const char *const word[] = {"viscous", "coulomb", "offset", "rotor", "spring"};
    return word[i];
}

int library_failure(const job *work, int first, lw_status status)
{
    if (lw_report_count(work->robot.report) > first) {
        print_diagnostics(work->robot.report, first);
    } else {
        complain(exit_code_of(status), "%s", lw_status_text(status));
    }
    return exit_code_of(status);
}
