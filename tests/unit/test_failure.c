// lw_failure: what objects hold about a status, and how it is written. That the loop, the gap and
// the degree of freedom are the right ones is in the tests of loops, dynamics and batches.
#include "check.h"
#include "closed_zoo.h"
#include "objects.h"

#include <stdio.h>
#include <string.h>

static const lw_failure none = {LW_OK, -1, -1, -1, -1, 0.0, 1.0};

static void check_sentence(const lw_model *m, const lw_failure *failure, const char *wanted)
{
    char text[200], cut[12];
    const int length = lw_failure_text(m, failure, text, sizeof text);
    CHECK_TEXT(text, wanted);
    CHECK_INT(length, (int)strlen(wanted));
    CHECK_INT(lw_failure_text(m, failure, cut, sizeof cut), length);
    CHECK(strlen(cut) < sizeof cut && strncmp(cut, wanted, strlen(cut)) == 0);
    CHECK_INT(lw_failure_text(m, failure, NULL, 0), length);
}

TEST(a_failure_is_a_sentence_with_names)
{
    lw_model *m = closed_model(closed_zoo_find("five-bar")->build(false));
    lw_failure f = none;
    f.status = LW_ERR_NUMBER;
    check_sentence(m, &f, "a number is not finite");
    f.status = LW_ERR_LOOP_OPEN;
    f.loop = 0;
    f.gap = 0.25;
    check_sentence(m, &f, "a loop cannot be closed: loop \"j5\", whose ends stay 0.25 m apart");
    f.followed = 0.4567;
    check_sentence(m, &f,
                   "a loop cannot be closed: loop \"j5\", whose ends stay 0.25 m apart; 45.6 % of "
                   "the straight path there was followed");
    f.status = LW_ERR_SINGULAR;
    check_sentence(m, &f,
                   "a matrix is singular: loop \"j5\" meets a singular configuration; 45.6 % of "
                   "the straight path there was followed");
    f.followed = 1.0;
    check_sentence(m, &f, "a matrix is singular: loop \"j5\" is at a singular configuration");
    f = none;
    f.status = LW_ERR_SINGULAR;
    f.dof = 1;
    char wanted[100];
    snprintf(wanted, sizeof wanted, "a matrix is singular: %s moves no inertia",
             m->velocity_name[1]);
    check_sentence(m, &f, wanted);
    f.dof = -1;
    f.state = 7;
    check_sentence(m, &f, "a matrix is singular: state 7 of the batch");
    check_sentence(NULL, &f, "a matrix is singular: state 7 of the batch");
    f.state = -1;
    f.loop = m->nloop; // of no model that this one is
    f.tree_dof = f.dof = 1000;
    check_sentence(m, &f, "a matrix is singular");
    CHECK_INT(lw_failure_text(m, NULL, wanted, sizeof wanted), 0);
    CHECK_INT(lw_failure_text(m, &f, NULL, 10), 0);
    lw_model_destroy(m);
}

static void check_none(lw_failure f, lw_status status)
{
    CHECK_INT(f.status, status);
    CHECK(f.loop == -1 && f.tree_dof == -1 && f.dof == -1 && f.state == -1);
    CHECK(f.gap == 0.0 && f.followed == 1.0);
}

// What an object holds of an earlier failure is not given for another status.
TEST(a_status_has_only_its_own_failure)
{
    lw_model *m = closed_model(closed_zoo_find("five-bar")->build(false));
    lw_data *d = new_data(m);
    const double q[2] = {3.14159265358979312, 0.0};
    CHECK_INT(lw_forward_position(m, d, q), LW_ERR_LOOP_OPEN);
    CHECK_INT(lw_data_failure(d, LW_ERR_LOOP_OPEN).loop, 0);
    check_none(lw_data_failure(d, LW_OK), LW_OK);
    check_none(lw_data_failure(d, LW_ERR_NUMBER), LW_ERR_NUMBER);
    check_none(lw_data_failure(NULL, LW_ERR_SINGULAR), LW_ERR_SINGULAR);
    check_none(lw_data32_failure(NULL, LW_ERR_SINGULAR), LW_ERR_SINGULAR);
    check_none(lw_batch_failure(NULL, LW_ERR_SINGULAR), LW_ERR_SINGULAR);
    check_none(lw_sim_failure(NULL, LW_ERR_LOOP_OPEN), LW_ERR_LOOP_OPEN);
    const lw_sim_def def = lw_default_sim_def();
    lw_sim *sim = new_sim(m, &def);
    CHECK_INT(lw_sim_reset(sim, 0.0, q, NULL), LW_ERR_LOOP_OPEN);
    CHECK_INT(lw_sim_failure(sim, LW_ERR_LOOP_OPEN).loop, 0);
    CHECK_NEAR(lw_sim_failure(sim, LW_ERR_LOOP_OPEN).gap, 0.1, 1e-12);
    lw_sim_destroy(sim);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(a_failure_is_a_sentence_with_names);
    RUN(a_status_has_only_its_own_failure);
    return REPORT();
}
