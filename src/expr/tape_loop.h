// Loops of code: what straight-line code cannot solve is found before it begins, by Newton's method
// on tapes. A program is such loops, one after the other, and then a tape that reads what they
// found. The interpreter is here; emitters write the same in their languages.
//
// The state x of a program is what the next call begins with: x[0] is 1 once there is one, then
// come the positions q for which it holds, and for each loop its unknowns and the pseudo-inverse P
// [ndof * nrow] of the rows' derivatives J there. All zeros: the reference configuration.
//
// The branch is kept by the rules of src/loop/newton_block.c: positions go the straight way from
// those of the state, in pieces; a piece is accepted where Newton's method contracts and |P0 J1 -
// 1| is at most a half, for P0 at its begin and J1 at its end. A piece that fails is made shorter.
#ifndef LWI_TAPE_LOOP_H
#define LWI_TAPE_LOOP_H

#include "tape.h"

typedef struct lwi_tape_loop {
    const char *name;    ///< of what it closes
    int nx, ndof, nrow;  ///< unknown positions, their degrees of freedom, conditions
    int first;           ///< in the state: its unknowns, then P
    const double *start; ///< [nx] the unknowns in the reference configuration
    const double *unit;  ///< [ndof] what changes are judged against
    double size;         ///< what residuals are judged against
    lwi_tape *rows; ///< reads parameters, positions and the state: "r" [nrow], "J" [nrow * ndof]
    lwi_tape *move; ///< reads the state and changes, LWI_OTHER [ndof]: "y" [nx], unknowns moved
} lwi_tape_loop;

typedef struct lwi_tape_loops {
    int nq, nstate, nloop;
    const double *q;     ///< [nq] the reference configuration
    const double *reach; ///< [nq] how far each may go in a piece; infinite where no loop reads it
    lwi_tape_loop *loop; ///< [nloop], each after those that it reads
} lwi_tape_loops;

// Judgements, relative to units: the longest first change, and of the Jacobian; changes that end an
// iteration, or do where rounding allows no less; and residuals of a closed loop.
#define LWI_LOOP_STRIDE 0.5
#define LWI_LOOP_ALIKE 0.5
#define LWI_LOOP_WANTED 0.35
#define LWI_LOOP_ENOUGH 1e-13
#define LWI_LOOP_LEAST 1e-10
#define LWI_LOOP_CLOSED 1e-11
#define LWI_LOOP_SINGULAR 1e-12 ///< square of a sine
#define LWI_LOOP_SHORTEST 1e-9
enum {
    LWI_LOOP_PIECES = 200, ///< that are tried at most
    LWI_LOOP_ITERATIONS = 10
};

/// Doubles of scratch that a run needs.
size_t lwi_tape_loops_work(const lwi_tape_loops *loops);

/// Closes the loops at q; false where that cannot be done, and the state stays. No allocation.
/// @param parameter [..] values by the index of their symbol
/// @param work      [lwi_tape_loops_work()]
/// @param x         [nstate]
bool lwi_tape_loops_close(const lwi_tape_loops *loops, const double *q, const double *parameter,
                          double *work, double *x);

void lwi_tape_loops_destroy(lwi_tape_loops *loops);

#endif
