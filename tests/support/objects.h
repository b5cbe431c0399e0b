// Objects as expressions, for tests: null where the constructor fails.
#ifndef OBJECTS_H
#define OBJECTS_H

#include <linkwork/linkwork.h>

static inline lw_report *new_report(void)
{
    lw_report *report;
    return lw_report_create(&report) == LW_OK ? report : NULL;
}

static inline lw_mech *new_mech(const char *name)
{
    lw_mech *mech;
    return lw_mech_create(name, &mech) == LW_OK ? mech : NULL;
}

static inline lw_model *copy_of(const lw_model *m, void *mem)
{
    lw_model *copy;
    return lw_model_copy(m, mem, &copy) == LW_OK ? copy : NULL;
}

static inline lw_data *new_data(const lw_model *m)
{
    lw_data *d;
    return lw_data_create(m, &d) == LW_OK ? d : NULL;
}

static inline lw_data *data_in(const lw_model *m, void *mem)
{
    lw_data *d;
    return lw_data_init(m, mem, &d) == LW_OK ? d : NULL;
}

static inline lw_model32 *new_model32(const lw_model *m)
{
    lw_model32 *copy;
    return lw_model32_create(m, &copy, NULL) == LW_OK ? copy : NULL;
}

static inline lw_data32 *new_data32(const lw_model32 *m)
{
    lw_data32 *d;
    return lw_data32_create(m, &d) == LW_OK ? d : NULL;
}

static inline lw_batch *new_batch(const lw_model *m, const lw_batch_runner *runner)
{
    lw_batch *b;
    return lw_batch_create(m, runner, &b) == LW_OK ? b : NULL;
}

static inline lw_sim *new_sim(const lw_model *m, const lw_sim_def *def)
{
    lw_sim *sim;
    return lw_sim_create(m, def, &sim) == LW_OK ? sim : NULL;
}

#endif
