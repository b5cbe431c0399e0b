#define _XOPEN_SOURCE 700 // readlink()

#include "sweep/team.h"

#include "support/message.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long long take_alone(team *t)
{
    return t->counter++;
}

static int meet_alone(team *t, int code)
{
    (void)t;
    return code;
}

static int number_of(const char *const *name)
{
    for (int i = 0; name[i]; ++i) {
        const char *text = getenv(name[i]);
        if (text && *text) {
            return atoi(text);
        }
    }
    return -1;
}

// The module is beside the program, or where it is installed.
static void *open_module(void)
{
#ifdef LINKWORK_MPI_MODULE
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
    if (length > 0) {
        path[length] = '\0';
        char *slash = strrchr(path, '/');
        strcpy(slash + 1, LINKWORK_MPI_MODULE);
        void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (module) {
            return module;
        }
        strcpy(slash + 1, LINKWORK_MPI_INSTALLED);
        return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
#endif
    return NULL;
}

int team_begin(team *t)
{
    // Of mpirun, and of srun, which may start processes that MPI does not know of each other.
    static const char *const size[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS",
                                       NULL};
    static const char *const rank[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                       "SLURM_PROCID", NULL};
    const team alone = {.size = 1, .take = take_alone, .meet = meet_alone};
    *t = alone;
    if (number_of(size) <= 1) {
        return EXIT_GOOD;
    }
    t->module = open_module();
    team_begin_function *begin = NULL;
    if (t->module) {
        *(void **)&begin = dlsym(t->module, "linkwork_mpi_begin");
    }
    const bool has_mpi = begin && begin(t) == 0;
    if (has_mpi && t->size > 1) {
        return EXIT_GOOD;
    }
    team_end(t);
    *t = alone;
    if (number_of(rank) > 0) {
        return -1;
    }
    fprintf(stderr, "linkwork: %s: the first of %d processes does all the work\n",
            has_mpi ? "MPI joins none of these processes" : "this build has no MPI",
            number_of(size));
    return EXIT_GOOD;
}

void team_end(team *t)
{
    if (t->end) {
        t->end(t);
    }
}
