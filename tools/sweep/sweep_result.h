// The blocks of a sweep as one result, and what is in its columns.
#ifndef SWEEP_RESULT_H
#define SWEEP_RESULT_H

#include "report/output.h"
#include "sweep/store.h"

enum { MERGE_BINS = 50, MERGE_ERRORS = 1000 };

/// A column over all cases that did not fail.
typedef struct column_summary {
    double mean, squares; ///< squares: sum of squared differences from the mean
    double low, high;
    long long count, low_case, high_case;
    long long bin[MERGE_BINS]; ///< cells of equal width from low to high, half open but the last
    double quantile[3];        ///< 5 %, 50 %, 95 %, from the cells
} column_summary;

typedef struct merged {
    long long failed;
    column_summary *column; ///< [ncolumn]; that of the status is not used
} merged;

/// Standard deviation of a column.
double column_deviation(const column_summary *c);

/// Writes result.npy or result.csv, errors.csv, hist.csv, hist.svg and summary.json, each whole or
/// not at all, when all blocks are finished; then removes the parts. Complains and returns an exit
/// code.
int merge_write(store *s, bool is_csv, merged *result);

/// Why cases with this status failed.
const char *merge_reason(lw_status status);

/// The name of the result that a folder has already; NULL for none.
const char *merge_result_name(const store *s);

/// Prints counts, files and columns: what merge_write() left in summary.json.
int merge_print(const store *s, output *out);

#endif
