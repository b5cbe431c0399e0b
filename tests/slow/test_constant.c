// D28: closed forms take as many instructions in one configuration as in any other. This program
// evaluates many configurations; test_constant_counts.sh counts the instructions that it takes for
// them, for which it is called as
//
//     test_constant MACHINE N CHUNK
//
// and calls chunk_ends() behind every CHUNK of its N evaluations.
#include "check.h"
#include "objects.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

void chunk_ends(void);

// callgrind writes down and forgets its counts behind this.
__attribute__((noinline)) void chunk_ends(void)
{
    __asm__ volatile("" : : : "memory");
}

static lw_model *open_machine(const char *name)
{
    char path[4096];
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    snprintf(path, sizeof path, "%s/models/closed/%s.xml", LINKWORK_SOURCE_DIR, name);
    if (lw_load_file(path, NULL, &mech, NULL) == LW_OK) {
        lw_compile(mech, NULL, &m, NULL);
    }
    lw_mech_destroy(mech);
    return m;
}

// Within the limits; the first configurations are at their ends. Joints without limits stay where
// blocks can follow: within a quarter of a radian or metre of the reference.
static void draw(const lw_model *m, int n, double *q, double *v, double *a)
{
    for (int k = 0; k < m->nv; ++k) {
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        const bool is_limited = isfinite(dof->lower) && isfinite(dof->upper);
        const double low = is_limited ? dof->lower : m->q_reference[k] - 0.25;
        const double high = is_limited ? dof->upper : m->q_reference[k] + 0.25;
        q[k] = n < 1 << m->nv ? (n >> k & 1 ? high : low) : check_random(low, high);
        v[k] = check_random(-2, 2);
        a[k] = check_random(-5, 5);
    }
}

static int evaluate(const lw_model *m, int count, int chunk)
{
    lw_data *d = new_data(m);
    int good = 0;
    for (int n = 0; n < count && d; ++n) {
        double q[MOST], v[MOST], a[MOST], tau[MOST];
        draw(m, n, q, v, a);
        good += lw_inverse_dynamics(m, d, q, v, a, NULL, tau) == LW_OK && isfinite(tau[0]);
        if ((n + 1) % chunk == 0) {
            chunk_ends();
        }
    }
    lw_data_destroy(d);
    return good;
}

TEST(D28_palletiser_has_forces_in_every_configuration)
{
    enum { COUNT = 100000 };
    lw_model *m = open_machine("palletiser");
    if (CHECK(m != NULL) && CHECK(m->nv <= MOST)) {
        CHECK_INT(evaluate(m, COUNT, COUNT), COUNT);
    }
    lw_model_destroy(m);
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        lw_model *m = open_machine(argv[1]);
        const int count = atoi(argv[2]);
        const bool is_good = m && m->nv <= MOST && evaluate(m, count, atoi(argv[3])) == count;
        lw_model_destroy(m);
        return is_good ? 0 : 1;
    }
    RUN(D28_palletiser_has_forces_in_every_configuration);
    return REPORT();
}
