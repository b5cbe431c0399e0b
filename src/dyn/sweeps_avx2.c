// For processors with AVX2 and fused products. Where the build does not compile for them, there is
// nothing here.
#if defined(__AVX2__) && defined(__FMA__)
#define LWI_REAL_LANES 4
#include "kernel_derivatives.h"

lwi_sweep *lwi_get_sweep_avx2(void)
{
    return sweep;
}
#else
#include "sweeps.h"

lwi_sweep *lwi_get_sweep_avx2(void)
{
    return NULL;
}
#endif
