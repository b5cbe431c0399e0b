// Times at which what a run file describes jumps or bends: steps end there.

#include "run_file.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// A time that counts: within the run.
static void add(const lwi_run *run, double t, double *time, int *count)
{
    if (t > 0.0 && t < run->run.duration) {
        time[(*count)++] = t;
    }
}

lw_status lwi_run_find_breaks(lwi_run_reader *r)
{
    lwi_run *run = r->run;
    // Forces that are held between two looks do not follow the motion at every instant.
    const bool follows = run->controller && !run->run.sim.sampler;
    const int moves = follows ? lw_trajectory_breaks(run->trajectory, NULL, 0) : 0;
    size_t room = (size_t)moves;
    for (int i = 0; i < run->loads.count; ++i) {
        room += 2 + (size_t)run->loads.load[i].npoint;
    }
    double *time = lwi_run_take(r, room, sizeof *time), *all = lwi_run_take(r, room, sizeof *all);
    if (!time || !all) {
        return LW_ERR_MEMORY;
    }
    lw_trajectory_breaks(run->trajectory, all, moves);
    int count = 0, n = 0;
    for (int i = 0; i < moves; ++i) {
        add(run, all[i], time, &count);
    }
    for (int i = 0; i < run->loads.count; ++i) {
        const lw_timed_load *f = &run->loads.load[i];
        add(run, f->begin, time, &count);
        add(run, f->end, time, &count);
        for (int k = 0; k < f->npoint; ++k) {
            add(run, f->time[k], time, &count);
        }
    }
    qsort(time, (size_t)count, sizeof *time, compare);
    for (int i = 0; i < count; ++i) { // those that differ by a rounding are the same
        if (n == 0 || time[i] - time[n - 1] > 1e-12 * time[i]) {
            time[n++] = time[i];
        }
    }
    run->run.sim.nbreak = n;
    run->run.sim.breaks = time;
    return LW_OK;
}
