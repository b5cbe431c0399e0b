// What the processor has.
#ifndef LWI_CPU_H
#define LWI_CPU_H

/// Each has all that those before it have.
typedef enum lwi_cpu {
    LWI_CPU_ANY,
    LWI_CPU_AVX2,  ///< registers of four doubles, fused products
    LWI_CPU_AVX512 ///< twice as many of them (AVX-512 F, DQ and VL)
} lwi_cpu;

/// Asks the processor; a few loads and comparisons.
lwi_cpu lwi_cpu_level(void);

#endif
