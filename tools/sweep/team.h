// Processes that work on one sweep together. One alone is a team too; several are ranks of MPI,
// which a module of the program loads where it was started by mpirun, so that the program itself
// needs no MPI.
#ifndef TEAM_H
#define TEAM_H

typedef struct team {
    int rank, size;
    void *module;  ///< of MPI, or NULL
    void *context; ///< the module's own
    /// Numbers from 0 on, each once in all of the team.
    long long (*take)(struct team *t);
    /// Waits for all, and returns the largest of their codes.
    int (*meet)(struct team *t, int code);
    void (*end)(struct team *t);
    long long counter; ///< of a process alone
} team;

/// What the module exports by the name "linkwork_mpi_begin": fills a team, and returns 0.
typedef int team_begin_function(team *t);

/// Joins the team that the process was started in, or makes one of its own. Says on standard error
/// where ranks cannot work together. Returns an exit code, or -1 where this rank has nothing to do.
int team_begin(team *t);
void team_end(team *t);

#endif
