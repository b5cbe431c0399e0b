// For processors with AVX2 and fused products; the build compiles this file for them. Where it does
// not, there is nothing here.
#if defined(__AVX2__) && defined(__FMA__)
#include "closure_text.h"

const lwi_closure_kernels *lwi_closure_kernels_avx2(void)
{
    return &kernels;
}
#else
#include "closure.h"

const lwi_closure_kernels *lwi_closure_kernels_avx2(void)
{
    return NULL;
}
#endif
