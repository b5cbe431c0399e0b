// Chains of instructions that wait for each other, so that they take a known number of cycles each.
// The program and the benchmark find the clock of the processor as it runs from them.
#ifndef CYCLE_CHAIN_H
#define CYCLE_CHAIN_H

#if defined __GNUC__
#define CYCLE_CHAIN_WORKS 1

/// n exclusive-ors, a cycle each. The second operand is hidden from the compiler: recent processors
/// make additions of a constant while they rename registers, in no cycle at all.
static inline unsigned long cycle_chain(unsigned long x, int n)
{
    unsigned long y = 3;
    __asm__ volatile("" : "+r"(y));
    for (int i = 0; i < n; i += 10) {
        for (int k = 0; k < 10; ++k) {
            x ^= y;
            __asm__ volatile("" : "+r"(x)); // so that no compiler joins them
        }
    }
    return x;
}

/// n multiplications, three cycles each on most processors, for comparison.
static inline unsigned long cycle_chain_of_products(unsigned long x, int n)
{
    unsigned long y = 3;
    __asm__ volatile("" : "+r"(y));
    for (int i = 0; i < n; i += 10) {
        for (int k = 0; k < 10; ++k) {
            x *= y;
            __asm__ volatile("" : "+r"(x));
        }
    }
    return x;
}
#endif

/// Cycles per ns from the times of both chains in ns per instruction; 0 where they contradict each
/// other, or where no processor has such a clock: then something was eliminated or interrupted.
static inline double cycle_rate(double chain, double products)
{
    const double rate = chain > 0.0 ? 1.0 / chain : 0.0, ratio = rate * products;
    return rate > 0.05 && rate < 8.0 && ratio > 1.8 && ratio < 6.5 ? rate : 0.0;
}

#endif
