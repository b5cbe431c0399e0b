// Threads of the BLAS that LAPACKE calls.
#ifndef BLAS_H
#define BLAS_H

/// OpenBLAS starts as many threads as there are cores, which at the sizes of this program wait for
/// each other longer than they compute.
void use_one_blas_thread(void);

#endif
