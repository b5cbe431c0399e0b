// Where Newton blocks were closed last: the record that lw_data keeps between calls.
#include "loop_work.h"

#include "joint.h"

#include <string.h>

int lwi_position_count(const lwi_segment *body)
{
    return body->carrier == LW_TREE_FREE ? 7 : body->carrier == LW_TREE_SPHERICAL ? 4 : body->nv;
}

void lwi_copy_targets(const lw_model *m, const lwi_step *step, const double *from, double *to)
{
    for (int t = 0; t < step->ntarget; ++t) {
        if (step->target_q[t] >= 0) {
            to[step->target_q[t]] = from[step->target_q[t]];
            continue;
        }
        const lwi_segment *body = &m->kernel->segment[step->target_body[t]];
        memcpy(to + body->q, from + body->q, (size_t)lwi_position_count(body) * sizeof *to);
        t += body->nv - 1; // its degrees of freedom stand in a row
    }
}

// The i-th body on both branches of a loop, those of the first one first.
const lwi_segment *lwi_body_on_path(const lw_model *m, const lwi_loop *loop, int i)
{
    const int n = loop->npath[0];
    return &m->kernel->segment[i < n ? loop->path[0][i] : loop->path[1][i - n]];
}

// Copies the positions of the joints in a block's loops, and of its sources, from q [tree_nq] to
// the list of these that the block has in work->last, or back.
void lwi_block_copy_joints(const lwi_step *step, const lwi_loop_work *work, const double *q,
                           double *back)
{
    double *list = work->last + step->last;
    for (int k = 0; k < step->nspan; ++k) {
        const int first = step->span[2 * k], n = step->span[2 * k + 1];
        memcpy(back ? back + first : list, back ? list : q + first, (size_t)n * sizeof *list);
        list += n;
    }
}

// Blocks share sources, but no targets: those stay in work->from.
void lwi_block_restart(const lw_model *m, const lwi_step *step, const lwi_loop_work *work,
                       const double *q)
{
    lwi_block_copy_joints(step, work, q, NULL);
    lwi_copy_targets(m, step, q, work->from);
}
