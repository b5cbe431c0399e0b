// The closure program backwards: from the tree coordinates of a chain to independent coordinates
// (C06, C15, D34), against the forward sweep.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include "ik/inverse_closure.h"
#include "kin/closure.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 16 };

typedef struct backward {
    lw_model *m;
    lw_data *d;
    lwi_inverse *inverse;
    void *block;
    int body[MOST_BODIES], nbody;
    double *tree, *wanted, *q;
} backward;

static backward begin(lw_model *m, const char *tip)
{
    backward b = {.m = m, .d = new_data(m)};
    lwi_slicer count = {0};
    lwi_inverse_lay_out(m, &count);
    b.block = aligned_alloc(64, (count.used + 127) / 64 * 64);
    lwi_slicer s = {.base = b.block};
    b.inverse = lwi_inverse_lay_out(m, &s);
    for (int i = m->frame[lw_find_frame(m, tip)].body; i >= 0; i = m->parent[i]) {
        b.body[b.nbody++] = i;
    }
    lwi_inverse_plan(b.inverse, b.body, b.nbody);
    b.tree = calloc((size_t)m->tree_nq, sizeof *b.tree);
    b.wanted = calloc((size_t)m->tree_nq, sizeof *b.wanted);
    b.q = calloc((size_t)m->nq, sizeof *b.q);
    return b;
}

static void end(backward *b)
{
    free(b->block);
    free(b->tree);
    free(b->wanted);
    free(b->q);
    lw_data_destroy(b->d);
    lw_model_destroy(b->m);
}

// A random configuration around the reference that closes; its tree coordinates are `wanted`.
static bool draw_state(backward *b, double width)
{
    const lw_model *m = b->m;
    lw_data_restart(b->d);
    for (int k = 0; k < m->nq; ++k) {
        const lw_dof *f = &m->dof[m->v_tree[k]];
        const double at = m->q_reference[k];
        b->q[k] = check_random(fmax(f->lower, at - width), fmin(f->upper, at + width));
    }
    return lw_tree_state(m, b->d, b->q, NULL, NULL, b->wanted, NULL, NULL) == LW_OK;
}

// How many combinations there are, and how far the nearest one is from the generating q.
static int run_backward(backward *b, double *nearest)
{
    const lw_model *m = b->m;
    int count = 0;
    for (int k = 0; k < m->tree_nq; ++k) {
        b->tree[k] = (double)NAN;
    }
    for (int k = 0; k < m->nq; ++k) {
        b->tree[m->q_tree[k]] = m->q_reference[k];
    }
    for (int i = 0; i < b->nbody; ++i) {
        for (int p = m->q_start[b->body[i]]; p < m->q_start[b->body[i] + 1]; ++p) {
            b->tree[p] = b->wanted[p];
        }
    }
    *nearest = (double)INFINITY;
    lwi_inverse_begin(b->inverse);
    while (lwi_inverse_next(b->inverse, b->d, b->tree)) {
        double apart = 0.0;
        for (int k = 0; k < m->nq; ++k) {
            apart = fmax(apart, fabs(b->tree[m->q_tree[k]] - b->q[k]));
        }
        *nearest = fmin(*nearest, apart);
        ++count;
    }
    return count;
}

static void run_model(const char *name, const char *tip, double width, double tolerance, int most)
{
    backward b = begin(shipped_model(name), tip);
    int states = 0, largest = 0;
    double worst = 0.0;
    check_case("%s", name);
    CHECK(b.inverse->is_complete);
    for (int n = 0; n < 2000; ++n) {
        double nearest;
        if (!draw_state(&b, width)) {
            continue;
        }
        const int count = run_backward(&b, &nearest);
        largest = count > largest ? count : largest;
        worst = fmax(worst, nearest);
        ++states;
    }
    CHECK(states > 1000);
    CHECK_NEAR(worst, 0.0, tolerance);
    CHECK_INT(largest, most);
    end(&b);
}

TEST(C06_wrists_with_gears_are_mapped_back_to_their_shafts)
{
    run_model("closed/bendix.xml", "flange", 2.0, 1e-13, 1);
    run_model("closed/geared_wrist.xml", "flange", 2.0, 1e-13, 1);
    run_model("closed/driven_wrist.xml", "flange", 2.0, 0.0, 1);
}

TEST(D34_joints_through_rods_and_loops_are_mapped_back_to_the_driven_ones)
{
    run_model("closed/palletiser.xml", "flange", 3.0, 0.0, 1);
    run_model("closed/five_bar.xml", "tool", 0.5, 1e-8, 2);
    run_model("closed/four_bar.xml", "rocker", 3.0, 1e-7, 2);
    run_model("closed/slider_crank.xml", "piston", 3.0, 1e-7, 2);
}

TEST(C15_legs_of_parallel_robots_are_solved_one_by_one)
{
    run_model("closed/delta.xml", "tool", 0.4, 1e-10, 8);
    run_model("closed/stewart.xml", "tool", 0.05, 1e-12, 64);
}

TEST(D34_the_cylinders_of_an_excavator_follow_from_its_joints)
{
    run_model("closed/excavator.xml", "tip", 1.0, 1e-10, 16);
}

int main(void)
{
    RUN(C06_wrists_with_gears_are_mapped_back_to_their_shafts);
    RUN(D34_joints_through_rods_and_loops_are_mapped_back_to_the_driven_ones);
    RUN(C15_legs_of_parallel_robots_are_solved_one_by_one);
    RUN(D34_the_cylinders_of_an_excavator_follow_from_its_joints);
    return REPORT();
}
