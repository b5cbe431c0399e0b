#include "support/blas.h"

// There only where the BLAS is OpenBLAS.
extern void openblas_set_num_threads(int count) __attribute__((weak));

void use_one_blas_thread(void)
{
    if (openblas_set_num_threads) {
        openblas_set_num_threads(1);
    }
}
