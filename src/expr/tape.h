// A tape: straight-line code, chosen from a graph. Everything that leaves the symbolic side (C,
// other languages, the interpreter, the counts) is made from a tape and from nothing else.
//
// Values are numbered: first the inputs, then the numbers, then one for each line. A reference is
// twice that number, plus one where the value is negated.
#ifndef LWI_TAPE_H
#define LWI_TAPE_H

#include "expr.h"

typedef struct lwi_line {
    lwi_op op;     ///< LWI_OP_ADD and what follows it
    uint32_t a, b; ///< references to earlier values; b is unused (0) by functions of one argument
} lwi_line;

typedef struct lwi_output {
    const char *name; ///< "tau", "M", ...
    int index;        ///< within that array
    uint32_t value;   ///< reference
} lwi_output;

typedef struct lwi_counts {
    int mul, add, div, sqrt, sincos,
        other; ///< lines that depend on parameters only are not counted
} lwi_counts;

typedef struct lwi_tape {
    int ninput, nnumber, nline, noutput;
    int nonce;                ///< the first lines, which depend on parameters only: computed once
    const lwi_symbol *input;  ///< [ninput]
    const double *number;     ///< [nnumber]
    const lwi_line *line;     ///< [nline], each after what it reads
    const lwi_output *output; ///< [noutput]
    int nslot;                ///< slots that hold all lines' values, when dead ones are reused
    const int *slot;          ///< [nline]
} lwi_tape;

typedef enum lwi_cost {
    LWI_COST_OPERATIONS,      ///< multiplications, divisions and additions
    LWI_COST_MULTIPLICATIONS, ///< multiplications first, additions second
    LWI_COST_INSTRUCTIONS     ///< a product that only one sum reads is fused with it, and free
} lwi_cost;

typedef struct lwi_select_options {
    lwi_cost cost;
    int effort; ///< 0: as written; 1: default; up to 3. Decides how long, never whether it is
                ///< right.
} lwi_select_options;

/// The cheapest way that was found to compute the outputs. Deterministic: the same graph and
/// options give the same tape on every computer. Free with lwi_tape_destroy().
lw_status lwi_select(const lwi_graph *g, int noutput,
                     const lwi_output *output /* value: lwi_expr */,
                     const lwi_select_options *options, lwi_tape **tape);
/// The outputs by the ways by which they were made, in the order of making: quick, for
/// evaluation.
lw_status lwi_tape_as_made(const lwi_graph *g, int noutput,
                           const lwi_output *output /* value: lwi_expr */, lwi_tape **tape);
void lwi_tape_destroy(lwi_tape *tape);

lwi_counts lwi_tape_counts(const lwi_tape *tape);

/// Whether it has an input of that kind.
bool lwi_tape_has(const lwi_tape *tape, lwi_symbol_kind kind);

/// What an operation gives; b is not read by functions of one argument.
double lwi_apply(lwi_op op, double a, double b);

/// Runs the tape. No allocation. LW_ERR_NUMBER where a result is not finite.
/// @param input  [ninput]
/// @param work   [nslot]
/// @param result [noutput]
lw_status lwi_tape_run(const lwi_tape *tape, const double *input, double *work, double *result);

/// Lines that some of the outputs need, each after what it reads.
/// @param output [noutput] numbers of these outputs
/// @param line   [nline]
/// @return how many there are
int lwi_tape_needs(const lwi_tape *tape, int noutput, const int *output, int *line);

/// Runs these lines alone, and gives the value of an output then.
void lwi_tape_run_lines(const lwi_tape *tape, const double *input, int nline, const int *line,
                        double *work);
double lwi_tape_output(const lwi_tape *tape, const double *input, double *work, int output);

#endif
