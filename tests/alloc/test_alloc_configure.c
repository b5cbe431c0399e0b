// A robot that is configured while allocations fail: the same description, or none.
#include "check.h"
#include "failing.h"

#include <linkwork/linkwork.h>

#include <stddef.h>

typedef struct fields {
    const char *(*field)[2];
    int count;
} fields;

static lw_status configure(const void *context, unsigned long long *hash)
{
    const fields *f = context;
    lw_spec *spec = NULL;
    lw_mech *mech = NULL;
    const lw_rule rule = {.name = "house", .condition = "joints < 9", .reason = "test"};
    const lw_location nowhere = {0};
    lw_status status = lw_spec_create(&spec);
    for (int i = 0; i < f->count && status == LW_OK; ++i) {
        status = lw_spec_set(spec, f->field[i][0], f->field[i][1], nowhere, NULL);
    }
    status = status == LW_OK ? lw_spec_add_rule(spec, &rule, nowhere, NULL) : status;
    status = status == LW_OK ? lw_spec_build(spec, &mech, NULL) : status;
    if (status == LW_OK) {
        const int number[2] = {lw_get_part_count(mech), lw_spec_count(spec)};
        *hash = digest_bytes(*hash, number, sizeof number);
    }
    lw_mech_destroy(mech);
    lw_spec_destroy(spec);
    return status;
}

TEST(K28_configuring_survives_every_failed_allocation)
{
    static const char *scara[][2] = {{"class", "scara"},           {"joint2.length", "a1"},
                                     {"joint3.length", "0.25"},    {"link1.mass", "2"},
                                     {"drive1.inertia", "1e-4"},   {"link2.shape1.type", "sphere"},
                                     {"link2.shape1.radius", "1"}, {"tool.mass", "1"}};
    static const char *five_bar[][2] = {
        {"class", "five-bar"}, {"size.base", "0.3"}, {"size.arm", "0.25"}, {"size.forearm", "0.3"}};
    const fields job[] = {{scara, 8}, {five_bar, 4}};
    for (size_t i = 0; i < sizeof job / sizeof *job; ++i) {
        fail_every_allocation(configure, &job[i]);
    }
}

int main(void)
{
    RUN(K28_configuring_survives_every_failed_allocation);
    return REPORT();
}
