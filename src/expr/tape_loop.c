#include "tape_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    const lwi_tape_loops *all;
    const double *parameter;
    double *q;                         ///< [nq] positions of a piece
    double *state, *reached;           ///< [nstate] as it becomes; where the last piece ended
    double *input, *slot, *result;     ///< of the tapes
    double *r, *J, *Q, *R, *P0, *move; ///< of the loop at hand
} run;

static size_t larger(size_t a, int b)
{
    return b > 0 && (size_t)b > a ? (size_t)b : a;
}

// Lays out the scratch; returns its size.
static size_t lay_out(const lwi_tape_loops *all, double *work, run *out)
{
    size_t input = 1, slot = 1, result = 1, rows = 1, square = 1, line = 1;
    for (int i = 0; i < all->nloop; ++i) {
        const lwi_tape_loop *l = &all->loop[i];
        const lwi_tape *tape[] = {l->rows, l->move};
        for (int k = 0; k < 2; ++k) {
            input = larger(input, tape[k]->ninput);
            slot = larger(slot, tape[k]->nslot);
            result = larger(result, tape[k]->noutput);
        }
        rows = larger(rows, l->nrow * l->ndof);
        square = larger(square, l->ndof * l->ndof);
        line = larger(line, l->nrow + l->ndof);
    }
    const struct {
        double **at;
        size_t size;
    } part[] = {{&out->q, (size_t)all->nq},
                {&out->state, (size_t)all->nstate},
                {&out->reached, (size_t)all->nstate},
                {&out->input, input},
                {&out->slot, slot},
                {&out->result, result},
                {&out->r, line},
                {&out->J, rows},
                {&out->Q, rows},
                {&out->R, square},
                {&out->P0, rows},
                {&out->move, line}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) {
        *part[i].at = work ? work + used : NULL;
        used += part[i].size;
    }
    return used;
}

size_t lwi_tape_loops_work(const lwi_tape_loops *loops)
{
    run r = {0};
    return lay_out(loops, NULL, &r);
}

// The outputs of a tape that are called `name`, into an array that has zeros elsewhere.
static void take_output(const lwi_tape *tape, const double *result, const char *name, int n,
                        double *out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int i = 0; i < tape->noutput; ++i) {
        if (strcmp(tape->output[i].name, name) == 0) {
            out[tape->output[i].index] = result[i];
        }
    }
}

static void run_tape(run *r, const lwi_tape *tape, const double *change)
{
    for (int i = 0; i < tape->ninput; ++i) {
        const lwi_symbol *s = &tape->input[i];
        const double q = s->kind == LWI_SOLVED      ? r->state[s->index]
                         : s->kind == LWI_PARAMETER ? r->parameter[s->index]
                         : s->kind == LWI_OTHER     ? change[s->index]
                                                    : r->q[s->index];
        r->input[i] = s->kind == LWI_SINE ? sin(q) : s->kind == LWI_COSINE ? cos(q) : q;
    }
    lwi_tape_run(tape, r->input, r->slot, r->result); // what is not finite is noticed later
}

static double dot_columns(const double *a, const double *b, int nrow, int apart)
{
    double sum = 0.0;
    for (int i = 0; i < nrow; ++i) {
        sum += a[i * apart] * b[i * apart];
    }
    return sum;
}

// P, the pseudo-inverse of J: Gram and Schmidt's orthogonal columns Q, one after the other, and
// their shares R above a diagonal of inverse squares, which loses no more than rotations would
// (Bjorck 1967). False where a column lies in the span of those before.
static bool invert(const run *r, const lwi_tape_loop *l, double *P)
{
    const int n = l->ndof, m = l->nrow;
    double *Q = r->Q, *R = r->R;
    memcpy(Q, r->J, (size_t)(m * n) * sizeof *Q);
    for (int p = 0; p < n; ++p) {
        const double square = dot_columns(Q + p, Q + p, m, n);
        if (!(square > LWI_LOOP_SINGULAR * dot_columns(r->J + p, r->J + p, m, n))) {
            return false;
        }
        R[p * n + p] = 1.0 / square;
        for (int c = p + 1; c < n; ++c) {
            const double share = R[p * n + p] * dot_columns(Q + p, Q + c, m, n);
            R[p * n + c] = share;
            for (int i = 0; i < m; ++i) {
                Q[i * n + c] -= share * Q[i * n + p];
            }
        }
    }
    for (int p = n - 1; p >= 0; --p) {
        for (int i = 0; i < m; ++i) {
            double sum = R[p * n + p] * Q[i * n + p];
            for (int c = p + 1; c < n; ++c) {
                sum -= R[p * n + c] * P[c * m + i];
            }
            P[p * m + i] = sum;
        }
    }
    return true;
}

// |P0 J - 1|, of changes over their units.
static double jacobian_change(const run *r, const lwi_tape_loop *l)
{
    const int n = l->ndof, m = l->nrow;
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double entry = i == j ? -1.0 : 0.0;
            for (int k = 0; k < m; ++k) {
                entry += r->P0[i * m + k] * r->J[k * n + j];
            }
            entry *= l->unit[j] / l->unit[i];
            sum += entry * entry;
        }
    }
    return sqrt(sum);
}

static void find_rows(run *r, const lwi_tape_loop *l)
{
    run_tape(r, l->rows, NULL);
    take_output(l->rows, r->result, "r", l->nrow, r->r);
    take_output(l->rows, r->result, "J", l->nrow * l->ndof, r->J);
}

// Moves the unknowns by -P r. Returns the size of that change.
static double move_unknowns(run *r, const lwi_tape_loop *l, const double *P)
{
    double sum = 0.0;
    for (int i = 0; i < l->ndof; ++i) {
        r->move[i] = 0.0;
        for (int k = 0; k < l->nrow; ++k) {
            r->move[i] -= P[i * l->nrow + k] * r->r[k];
        }
        sum += r->move[i] / l->unit[i] * (r->move[i] / l->unit[i]);
    }
    run_tape(r, l->move, r->move);
    take_output(l->move, r->result, "y", l->nx, r->state + l->first);
    return sqrt(sum);
}

// Newton's method at the positions of the piece; the first change is by the P of before. Returns
// how much the Jacobian changed from the begin of the piece, infinite where nothing was found.
static double iterate(run *r, const lwi_tape_loop *l)
{
    double *P = r->state + l->first + l->nx, before = 2.0 * LWI_LOOP_STRIDE;
    memcpy(r->P0, P, (size_t)(l->ndof * l->nrow) * sizeof *P);
    for (int k = 0; k < LWI_LOOP_ITERATIONS; ++k) {
        find_rows(r, l);
        if (k > 0 && !invert(r, l, P)) {
            break;
        }
        const double change = move_unknowns(r, l, P);
        const bool is_shorter = change <= 0.5 * before;
        if (k > 0 && (change <= LWI_LOOP_ENOUGH || (change <= LWI_LOOP_LEAST && !is_shorter))) {
            const double left = sqrt(dot_columns(r->r, r->r, l->nrow, 1));
            return left <= LWI_LOOP_CLOSED * l->size ? jacobian_change(r, l) : (double)INFINITY;
        }
        if (!is_shorter) {
            break;
        }
        before = change;
    }
    return (double)INFINITY;
}

// The reference configuration, with the inverses there.
static bool start(run *r)
{
    const lwi_tape_loops *all = r->all;
    memcpy(r->q, all->q, (size_t)all->nq * sizeof *r->q);
    memcpy(r->state + 1, all->q, (size_t)all->nq * sizeof *r->q);
    r->state[0] = 1.0;
    bool is_good = true;
    for (int i = 0; i < all->nloop && is_good; ++i) {
        const lwi_tape_loop *l = &all->loop[i];
        memcpy(r->state + l->first, l->start, (size_t)l->nx * sizeof *l->start);
        find_rows(r, l);
        is_good = invert(r, l, r->state + l->first + l->nx);
    }
    return is_good;
}

bool lwi_tape_loops_close(const lwi_tape_loops *loops, const double *q, const double *parameter,
                          double *work, double *x)
{
    run r = {.all = loops, .parameter = parameter};
    const size_t size = (size_t)loops->nstate * sizeof *x;
    double way = 0.0, done = 0.0;
    lay_out(loops, work, &r);
    memcpy(r.state, x, size);
    if (x[0] == 0.0 && !start(&r)) {
        return false;
    }
    memcpy(r.reached, r.state, size);
    const double *from = r.reached + 1;
    for (int i = 0; i < loops->nq; ++i) {
        way = fmax(way, fabs(q[i] - from[i]) / loops->reach[i]);
    }
    const double longest = way > 1.0 ? 1.0 / way : 1.0;
    double piece = longest;
    for (int k = 0; k < LWI_LOOP_PIECES && piece >= LWI_LOOP_SHORTEST; ++k) {
        const double to = done + piece < 1.0 ? done + piece : 1.0;
        double change = 0.0;
        memcpy(r.state, r.reached, size);
        for (int i = 0; i < loops->nq; ++i) {
            r.q[i] = to < 1.0 ? from[i] + to * (q[i] - from[i]) : q[i];
        }
        for (int i = 0; i < loops->nloop && change <= LWI_LOOP_ALIKE; ++i) {
            change = fmax(change, iterate(&r, &loops->loop[i]));
        }
        if (change <= LWI_LOOP_ALIKE) {
            memcpy(r.reached, r.state, size);
            done = to;
        }
        if (done >= 1.0) {
            memcpy(x, r.state, size);
            memcpy(x + 1, q, (size_t)loops->nq * sizeof *q);
            return true;
        }
        piece = fmin(longest, piece * fmin(2.0, fmax(0.1, LWI_LOOP_WANTED / change)));
    }
    return false;
}

void lwi_tape_loops_destroy(lwi_tape_loops *loops)
{
    for (int i = 0; loops && i < loops->nloop; ++i) {
        lwi_tape_destroy(loops->loop[i].rows);
        lwi_tape_destroy(loops->loop[i].move);
    }
    free(loops);
}
