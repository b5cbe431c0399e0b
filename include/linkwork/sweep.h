// linkwork/sweep.h: many cases of one plan. Part of liblinkwork_sweep.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A plan says what varies (positions of joints, parameters of parts, attributes of a run file,
// alternative structures), how (a grid, uniform, normal, Latin hypercube), and what is measured.
// docs/howto/sweeps.md describes its file. Cases are numbered from 0 and computed in blocks, whose
// size the plan fixes. A row of results is a function of the plan and the number of its case alone:
// who computes a block, in which order and on how many threads or machines, cannot change a byte.
// Random numbers are counted, not drawn one after the other (Philox4x32-10).
//
// A row has the status of its case first: 0, or the lw_status with which it failed; measures of a
// case that failed, and measures that are not finite (LW_ERR_NUMBER), are NaN.
#ifndef LINKWORK_SWEEP_H
#define LINKWORK_SWEEP_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How numbers are computed. The plan records it.
typedef enum lw_sweep_mode {
    LW_SWEEP_EXACT = 0, ///< without fused products: the same bits with every compiler and
                        ///< instruction set; of simulated runs within one build, C library and
                        ///< kind of processor, whose functions these use
    LW_SWEEP_FAST = 1   ///< with all that the processor has: the same bits within one build and
                        ///< instruction set
} lw_sweep_mode;

typedef struct lw_sweep lw_sweep;               ///< a plan with its models: shared by threads
typedef struct lw_sweep_worker lw_sweep_worker; ///< scratch of one thread

/// What a plan is, borrowed from it.
typedef struct lw_sweep_info {
    long long cases;
    long long blocks;
    int block; ///< cases of a block; the last one may have fewer
    int ncolumn;
    const char *const *column; ///< [ncolumn] names; the first is "status"
    int ninput;
    const char *const *input; ///< [ninput] names of what varies
    int nstructure;
    const char *const *structure; ///< [nstructure] files of the models
    unsigned long long seed;
    lw_sweep_mode mode;
    unsigned long long hash; ///< of the plan, the models as they were compiled, and the run file
} lw_sweep_info;

/// Reads a plan and the models that it names, beside the plan's own folder. On failure *sweep is
/// null and the report has errors with locations. Free with lw_sweep_destroy().
LW_API lw_status lw_sweep_load(const char *path, lw_sweep **sweep, lw_report *report);

/// The same from memory; `name` stands for the file in diagnostics, and its folder is where models
/// are looked for.
LW_API lw_status lw_sweep_load_text(const char *name, const char *text, size_t size,
                                    lw_sweep **sweep, lw_report *report);
LW_API void lw_sweep_destroy(lw_sweep *sweep);
LW_API lw_sweep_info lw_sweep_describe(const lw_sweep *sweep);

/// The model of a structure, as the plan has it before anything varies.
LW_API const lw_model *lw_sweep_model(const lw_sweep *sweep, int structure);

/// Kind and numbers of what varies: mean and standard deviation of a normal variate, else its
/// range. Returns false for a number out of range, and fills nothing.
typedef struct lw_sweep_variate {
    bool is_parameter; ///< of a part; else a position or an attribute of the run file
    bool is_normal;
    double a, b; ///< mean and standard deviation, or lower and upper end
} lw_sweep_variate;
LW_API bool lw_sweep_input(const lw_sweep *sweep, int input, lw_sweep_variate *variate);

/// A worker. LW_ERR_MEMORY, or what reading the models again answers; LW_ERR_MODEL where a file has
/// changed since the plan was read.
LW_API lw_status lw_sweep_worker_create(const lw_sweep *sweep, lw_sweep_worker **worker);
LW_API void lw_sweep_worker_destroy(lw_sweep_worker *worker);

/// Asks, between cases, whether to end early; null for never.
LW_API void lw_sweep_worker_cancel(lw_sweep_worker *worker, bool (*cancel)(void *context),
                                   void *context);

/// Computes the rows of a block.
/// @param out [rows*ncolumn]
/// @return LW_OK, whatever becomes of single cases; LW_ERR_ARGUMENT for a block out of range;
///         LW_ERR_BUSY where it was cancelled, with nothing of use in `out`
LW_API lw_status lw_sweep_block(const lw_sweep *sweep, lw_sweep_worker *worker, long long block,
                                double *out);

/// Computes one case alone: the same row, and what varied.
/// @param input   [ninput] or null
/// @param out     [ncolumn]
/// @param failure describes what failed; or null
LW_API lw_status lw_sweep_case(const lw_sweep *sweep, lw_sweep_worker *worker, long long number,
                               double *input, double *out, lw_failure *failure);

/// Computes a row for given values of what varies, with structure 0.
LW_API lw_status lw_sweep_evaluate(const lw_sweep *sweep, lw_sweep_worker *worker,
                                   const double *input, double *out);

#ifdef __cplusplus
}
#endif
#endif
