// For processors with AVX2 and fused products; the build compiles this file for them. Where it does
// not, there is nothing here.
#if defined(__AVX2__) && defined(__FMA__)
#include "poses_text.h"

const lwi_pose_kernels *lwi_pose_kernels_avx2(void)
{
    return &kernels;
}
#else
#include "poses.h"

const lwi_pose_kernels *lwi_pose_kernels_avx2(void)
{
    return NULL;
}
#endif
