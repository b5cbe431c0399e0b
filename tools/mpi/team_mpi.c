// The module that makes a team of MPI ranks: blocks are handed out by fetch-and-add on a counter
// that rank 0 holds. The program loads it where mpirun has started it.

#include "../sweep/team.h"

#include <mpi.h>

#include <stdlib.h>

typedef struct ranks {
    MPI_Win window;
    long long *counter;
} ranks;

static long long take(team *t)
{
    ranks *r = t->context;
    const long long one = 1;
    long long number = 0;
    MPI_Fetch_and_op(&one, &number, MPI_LONG_LONG, 0, 0, MPI_SUM, r->window);
    MPI_Win_flush(0, r->window);
    return number;
}

static int meet(team *t, int code)
{
    int worst = code;
    (void)t;
    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

static void end(team *t)
{
    ranks *r = t->context;
    MPI_Win_unlock_all(r->window);
    MPI_Win_free(&r->window);
    free(r);
    MPI_Finalize();
}

int linkwork_mpi_begin(team *t);

__attribute__((visibility("default"))) int linkwork_mpi_begin(team *t)
{
    int provided = 0;
    ranks *r = calloc(1, sizeof *r);
    // Threads of a rank take turns: the program has a lock around all calls.
    if (!r || MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
        free(r);
        return 1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &t->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t->size);
    const MPI_Aint bytes = t->rank == 0 ? (MPI_Aint)sizeof(long long) : 0;
    MPI_Win_allocate(bytes, sizeof(long long), MPI_INFO_NULL, MPI_COMM_WORLD, &r->counter,
                     &r->window);
    if (t->rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, r->window);
        *r->counter = 0;
        MPI_Win_unlock(0, r->window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, r->window);
    t->context = r;
    t->take = take;
    t->meet = meet;
    t->end = end;
    return 0;
}
