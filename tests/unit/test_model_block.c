// A model and its data as blocks of memory: copied, hashed, and laid into the caller's.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Whatever word of a copy is an address within the original is a pointer that was forgotten.
static void check_copy(const lw_model *m)
{
    const size_t size = lw_model_size(m);
    const uintptr_t first = (uintptr_t)m;
    char *mem = malloc(size);
    CHECK(copy_of(m, mem) != NULL);
    int forgotten = 0, pointers = 0;
    for (size_t at = 0; at + sizeof(uintptr_t) <= size; at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, mem + at, sizeof word);
        forgotten += word >= first && word < first + size;
        pointers += word >= (uintptr_t)mem && word < (uintptr_t)mem + size;
    }
    CHECK_INT(forgotten, 0);
    CHECK(pointers > 40);
    free(mem);
}

TEST(C05_a_copy_points_nowhere_else)
{
    random_mech_options options = random_mech_default();
    options.nload = 2;
    options.coupled = 0.5;
    for (unsigned long long seed = 1; seed <= 20; ++seed) {
        lw_model *m = random_model(seed, &options);
        check_copy(m);
        lw_model_destroy(m);
    }
    // Loops, gears, springs, drives, shapes and user laws, as far as files have them.
    static const char *const shipped[] = {"closed/palletiser.xml", "closed/stewart.xml",
                                          "closed/planetary.xml", "hr120/hr120.xml"};
    for (size_t k = 0; k < sizeof shipped / sizeof *shipped; ++k) {
        lw_model *m = shipped_model(shipped[k]);
        check_case("%s", shipped[k]);
        if (CHECK(m)) {
            check_copy(m);
        }
        lw_model_destroy(m);
    }
}

TEST(C24_the_hash_tells_of_any_change)
{
    const random_mech_options options = random_mech_default();
    lw_model *m = random_model(3, &options);
    const unsigned long long hash = lw_model_hash(m);
    CHECK(hash == lw_model_hash(m));
    double *mass = (double *)&m->inertia[m->nbody - 1].mass;
    const double before = *mass;
    *mass = nextafter(before, 100);
    CHECK(hash != lw_model_hash(m));
    *mass = before;
    CHECK(hash == lw_model_hash(m));
    void *mem = aligned_alloc(64, (lw_model_size(m) + 63) / 64 * 64);
    lw_model *copy = copy_of(m, mem);
    CHECK(copy && hash == lw_model_hash(copy)); // wherever it lies
    free(mem);
    lw_model_destroy(m);
}

TEST(D41_data_may_lie_in_memory_of_the_caller)
{
    const random_mech_options options = random_mech_default();
    lw_model *m = random_model(5, &options);
    const size_t size = lw_data_size(m);
    char *mem = aligned_alloc(64, size + 64);
    memset(mem, 0x77, size + 64);
    lw_data *d = data_in(m, mem);
    double q[80], v[80], a[80];
    random_state(m, q, v, a);
    CHECK_INT(lw_data_stage(d), LW_STAGE_NONE);
    CHECK_INT(lw_forward_acceleration(m, d, q, v, a), LW_OK);
    CHECK_INT(lw_data_stage(d), LW_STAGE_ACCELERATION);
    for (int i = 0; i < 64; ++i) {
        CHECK(mem[size + (size_t)i] == 0x77);
    }
    CHECK(data_in(m, NULL) == NULL && data_in(NULL, mem) == NULL);
    free(mem);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(C05_a_copy_points_nowhere_else);
    RUN(C24_the_hash_tells_of_any_change);
    RUN(D41_data_may_lie_in_memory_of_the_caller);
    return REPORT();
}
