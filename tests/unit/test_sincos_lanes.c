// Sine and cosine of two doubles side by side: the error in ulp that src/math/sincos.h states.
#define LWI_REAL_LANES 2
#include "sincos_checks.h"

TEST(D52_sine_and_cosine_keep_the_stated_error)
{
    error_over_all_ranges(0.82, 1000000);
}

TEST(D52_sine_and_cosine_next_to_quarter_turns)
{
    error_next_to_quarter_turns(0.82, 200000);
}

TEST(D51_sine_and_cosine_of_special_values)
{
    special_values();
}

int main(void)
{
    RUN(D52_sine_and_cosine_keep_the_stated_error);
    RUN(D52_sine_and_cosine_next_to_quarter_turns);
    RUN(D51_sine_and_cosine_of_special_values);
    return REPORT();
}
