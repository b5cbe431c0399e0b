// States that a command is evaluated at: from -q, -v, -a, -t and --state.
#ifndef STATE_H
#define STATE_H

#include <linkwork/model.h>

#include "support/args.h"

/// Any number of states, one after the other.
typedef struct state_list {
    int count;
    bool is_array; ///< they were given as an array; so are the results
    bool is_given; ///< any option gave a position
    int nq, nv;
    double *q;           ///< [count*nq]
    double *v, *a, *tau; ///< [count*nv]
} state_list;

/// Reads what the options give; what they leave open is at the reference configuration or zero.
/// Complains and returns an exit code. The memory is that of the command.
int states_read(state_list *states, const command_line *args, const lw_model *m);

/// Positions of another option, given as those of -q; what it does not name stays as q [nq] has it.
int states_read_positions(const command_line *args, option_id option, const lw_model *m, double *q);

const double *states_q(const state_list *states, int i);
const double *states_v(const state_list *states, int i);
const double *states_a(const state_list *states, int i);
const double *states_tau(const state_list *states, int i);

#endif
