// What varies in each case.

#include "plan.h"

#include "../base/philox.h"
#include "../base/splitmix.h"
#include "variate.h"

int lwi_sweep_structure(const lw_sweep *s, long long number, long long *end)
{
    const long long each = s->info.cases / s->info.nstructure;
    const int structure = (int)(number / each);
    *end = (structure + 1) * each;
    return structure;
}

// A random share as a value, for a case that is the `repeat`-th of its point of the grid.
static double value_of(const lw_sweep *s, const lwi_input *input, double low, double high,
                       long long repeat, double u)
{
    switch (input->law) {
    case LWI_LAW_NORMAL:
        // Shares are multiples of 2^-53 from 0 on; the middle of each is never 0.
        return low + high * lwi_normal_quantile(u + 0x1p-54);
    case LWI_LAW_LHS: {
        const uint64_t n = (uint64_t)s->repeats;
        const uint64_t key = lwi_splitmix(s->info.seed ^ ((uint64_t)input->draw << 32));
        const double stratum = (double)lwi_permuted((uint64_t)repeat, n, key);
        return low + (high - low) * ((stratum + u) / (double)n);
    }
    default:
        return low + (high - low) * u;
    }
}

// Variates come in pairs.
static void draw_pair(const lw_sweep *s, const lwi_structure *m, int pair, long long first,
                      int count, double *value)
{
    double u[LWI_SWEEP_CHUNK][2];
    for (int k = 0; k < count; ++k) {
        lwi_philox_pair(s->info.seed, (uint64_t)(first + k), (uint32_t)pair, 0, u[k]);
    }
    for (int i = 0; i < s->info.ninput; ++i) {
        const lwi_input *input = &s->input[i];
        if (input->draw < 0 || input->draw / 2 != pair) {
            continue;
        }
        double *to = value + (size_t)i * LWI_SWEEP_CHUNK;
        const double low = m->low[i], high = m->high[i];
        const int half = input->draw % 2;
        if (input->law == LWI_LAW_UNIFORM) {
            for (int k = 0; k < count; ++k) {
                to[k] = low + (high - low) * u[k][half];
            }
            continue;
        }
        for (int k = 0; k < count; ++k) {
            const long long repeat = (first + k) % s->repeats;
            to[k] = value_of(s, input, low, high, repeat, u[k][half]);
        }
    }
}

void lwi_sweep_draw(const lw_sweep *s, int structure, long long first, int count, double *value)
{
    const lwi_structure *m = &s->structure[structure];
    for (int i = 0; i < s->info.ninput; ++i) {
        const lwi_input *input = &s->input[i];
        double *to = value + (size_t)i * LWI_SWEEP_CHUNK;
        for (int k = 0; k < count && input->draw < 0; ++k) {
            long long point = (first + k) / s->repeats; // the last input changes fastest
            for (int j = s->info.ninput - 1; j > i; --j) {
                point /= s->input[j].count;
            }
            to[k] = m->low[i] + (double)(point % input->count) * input->step;
        }
    }
    for (int pair = 0; 2 * pair < s->ndraw; ++pair) {
        draw_pair(s, m, pair, first, count, value);
    }
}
