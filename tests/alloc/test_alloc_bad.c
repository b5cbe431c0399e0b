// A bad description stays bad whichever allocation fails: a diagnostic that could not be kept must
// not turn it into a good one.
#include "alloc.h"
#include "check.h"
#include "objects.h"

#include <linkwork/linkwork.h>

#include <stdio.h>

// Adds parts of which one is bad. False when one could not be added for lack of memory.
static bool describe(lw_mech *mech, int flaw)
{
    lw_link_def link = lw_default_link_def();
    lw_joint_def joint = lw_default_joint_def();
    link.name = "link";
    link.mass = flaw == 0 ? -1 : 1;
    joint.name = "joint";
    joint.type = LW_JOINT_REVOLUTE;
    joint.axis.z = flaw == 1 ? 0 : 1;
    const double law[] = {0, 1};
    const lw_coupling_def coupling = {
        .dependent = "jiont", .source = "joint", .ncoefficient = 2, .coefficient = law};
    const lw_part l = lw_add_link(mech, &link);
    if (l.index < 0 || lw_add_joint(mech, &joint).index < 0 ||
        lw_connect_named(mech, "joint.b", "link.a") != LW_OK) {
        return false;
    }
    for (int k = 0; k < (flaw == 2 ? 2 : 1); ++k) {
        if (lw_add_frame(mech, l, "frame", NULL, (lw_location){"bad.xml", 3, 4}).index < 0) {
            return false;
        }
    }
    return flaw != 3 || lw_add_coupling(mech, &coupling) == LW_OK;
}

static lw_status run(int flaw)
{
    lw_mech *mech = new_mech("bad");
    lw_model *model = NULL;
    lw_status status = LW_ERR_MEMORY;
    if (mech && describe(mech, flaw)) {
        status = lw_compile(mech, NULL, &model, NULL);
        CHECK(model == NULL && status != LW_OK);
    }
    lw_model_destroy(model);
    lw_mech_destroy(mech);
    return status;
}

TEST(D29_bad_descriptions_stay_bad_when_allocations_fail)
{
    for (int flaw = 0; flaw < 4; ++flaw) {
        alloc_begin(0, ALLOC_ONCE);
        const lw_status wanted = run(flaw);
        alloc_end();
        const long count = alloc_asked();
        CHECK(wanted == LW_ERR_MODEL || wanted == LW_ERR_NAME);
        for (int mode = ALLOC_ONCE; mode <= ALLOC_ALL; ++mode) {
            for (long n = 1; n <= count; ++n) {
                check_case("flaw %d, allocation %ld of %ld", flaw, n, count);
                alloc_begin(n, (alloc_mode)mode);
                run(flaw);
                alloc_end();
                CHECK(!alloc_sees_all() || alloc_live() == 0);
            }
        }
    }
}

// A connection or a frame that could not be made for lack of memory leaves the description whole.
TEST(C04_an_edit_that_failed_changed_nothing)
{
    for (long n = 1; n <= 40; ++n) {
        lw_mech *mech = new_mech("edit");
        lw_link_def link = lw_default_link_def();
        link.name = "link";
        const lw_part part = lw_add_link(mech, &link);
        int frames = 0;
        char name[24];
        alloc_begin(n, ALLOC_ALL);
        for (int k = 0; k < 200; ++k) {
            snprintf(name, sizeof name, "f%d", k);
            if (lw_add_frame(mech, part, name, NULL, (lw_location){0}).index < 0) {
                CHECK_TEXT(lw_mech_message(mech), "not enough memory");
                break;
            }
            ++frames;
        }
        alloc_end();
        snprintf(name, sizeof name, "link.f%d", frames);
        CHECK_INT(lw_find_port(mech, name).index, -1);
        CHECK(lw_add_frame(mech, part, name, NULL, (lw_location){0}).index >= 0);
        lw_model *model = NULL;
        CHECK_INT(lw_compile(mech, NULL, &model, NULL), LW_OK);
        CHECK_INT(model ? model->nframe : 0, frames + 2);
        lw_model_destroy(model);
        lw_mech_destroy(mech);
    }
}

// Adds joint k behind the one before, with a coupling, and makes its port a gateway.
static bool extend(lw_mech *mech, int k)
{
    char name[24], before[24];
    snprintf(name, sizeof name, "j%d", k);
    snprintf(before, sizeof before, "j%d", k - 1);
    lw_joint_def joint = lw_default_joint_def();
    joint.name = name;
    joint.type = LW_JOINT_REVOLUTE;
    lw_part part = lw_find_part(mech, name, LW_PART_JOINT);
    part = part.index < 0 ? lw_add_joint(mech, &joint) : part;
    const lw_part last = lw_find_part(mech, before, LW_PART_JOINT);
    if (part.index < 0) {
        return false;
    }
    if (k > 0 && lw_connect(mech, lw_port_of(mech, last, "b"), lw_port_of(mech, part, "a"))) {
        return false;
    }
    const double law[] = {0, 1};
    const lw_coupling_def coupling = {
        .dependent = name, .source = "j0", .ncoefficient = 2, .coefficient = law};
    return (k == 0 || lw_add_coupling(mech, &coupling) == LW_OK) &&
           lw_expose(mech, lw_port_of(mech, part, "b"), name) == LW_OK;
}

// Wherever it failed, the description compiles, and is the inside of another one.
TEST(C04_a_machine_half_extended_is_a_machine)
{
    for (long n = 1; n <= 60; ++n) {
        lw_mech *mech = new_mech("chain"), *outer = new_mech("outer");
        CHECK(extend(mech, 0));
        alloc_begin(n, ALLOC_ALL);
        int count = 1;
        while (count < 300 && extend(mech, count)) {
            ++count;
        }
        alloc_end();
        lw_model *model = NULL;
        const lw_part inside = lw_add_assembly(outer, "chain", mech, (lw_location){0});
        CHECK(lw_port_of(outer, inside, "j0").index >= 0);
        const lw_status status = lw_compile(outer, NULL, &model, NULL);
        CHECK(status == LW_OK);
        CHECK(model && model->nbody >= count && model->nbody <= count + 1);
        lw_model_destroy(model);
        lw_mech_destroy(outer);
        lw_mech_destroy(mech);
    }
}

int main(void)
{
    RUN(D29_bad_descriptions_stay_bad_when_allocations_fail);
    RUN(C04_an_edit_that_failed_changed_nothing);
    RUN(C04_a_machine_half_extended_is_a_machine);
    return REPORT();
}
