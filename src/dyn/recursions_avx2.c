// For processors with AVX2 and fused products; the build compiles this file, and few others, for
// them. Where it does not, there is nothing here.
#if defined(__AVX2__) && defined(__FMA__)
#include "recursions_text.h"

const lwi_recursions *lwi_recursions_avx2(void)
{
    return &recursions;
}
#else
#include "recursions.h"

const lwi_recursions *lwi_recursions_avx2(void)
{
    return NULL;
}
#endif
