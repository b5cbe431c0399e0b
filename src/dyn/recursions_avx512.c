// For processors with AVX-512: the recursions keep more numbers at hand than 16 registers hold, and
// these have 32. Vectors stay as wide as they are, so that the results are those of AVX2.
#if defined(__AVX512VL__) && defined(__AVX512DQ__)
#include "recursions_text.h"

const lwi_recursions *lwi_recursions_avx512(void)
{
    return &recursions;
}
#else
#include "recursions.h"

const lwi_recursions *lwi_recursions_avx512(void)
{
    return NULL;
}
#endif
