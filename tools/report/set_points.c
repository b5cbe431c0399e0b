#include "report/set_points.h"

#include "report/table.h"
#include "support/message.h"

#include <linkwork/dynamics.h>

#include <math.h>

static int add_row(const lw_model *m, lw_data *d, const lw_trajectory *motion, double t,
                   table *rows)
{
    double *row = table_add_row(rows);
    if (!row) {
        return no_memory();
    }
    double *q = row + 1, *v = q + m->nq, *a = v + m->nv, *tau = a + m->nv;
    row[0] = t;
    lw_status status = lw_trajectory_state(motion, m, t, q, v, a);
    if (status == LW_OK) {
        status = lw_inverse_dynamics(m, d, q, v, a, NULL, tau);
    }
    return status == LW_OK ? EXIT_GOOD : complain_of(m, d, status, "t = %g: ", t);
}

int set_points_write(const lw_model *m, lw_data *d, const lw_trajectory *motion, double every,
                     memory *pool, const char *path)
{
    const double T = lw_trajectory_duration(motion), count = ceil(T / every * (1.0 - 1e-12));
    const int width = 1 + m->nq + 3 * m->nv;
    if (!(count * width < TABLE_MOST_VALUES)) {
        return complain(EXIT_USAGE, "a row each %g s gives %.3g rows, which are too many", every,
                        count);
    }
    table rows;
    table_begin(&rows, pool, width);
    table_name(&rows, 0, NULL, "t");
    for (int i = 0; i < m->nq; ++i) {
        table_name(&rows, 1 + i, "q", m->position_name[i]);
    }
    for (int k = 0; k < m->nv; ++k) {
        table_name(&rows, 1 + m->nq + k, "v", m->velocity_name[k]);
        table_name(&rows, 1 + m->nq + m->nv + k, "a", m->velocity_name[k]);
        table_name(&rows, 1 + m->nq + 2 * m->nv + k, "tau", m->velocity_name[k]);
    }
    int code = EXIT_GOOD;
    for (int i = 0; i <= (int)count && code == EXIT_GOOD; ++i) {
        code = add_row(m, d, motion, fmin(i * every, T), &rows);
    }
    code = code == EXIT_GOOD ? table_write(&rows, path) : code;
    table_free(&rows);
    return code;
}
