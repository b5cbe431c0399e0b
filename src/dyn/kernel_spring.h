// The force of a spring or torsion for its length or twist, over the scalar of real.h.
#ifndef LWI_KERNEL_SPRING_H
#define LWI_KERNEL_SPRING_H

#include "../loop/kernel_law.h"
#include "float_model.h"

#if defined(LWI_REAL_FLOAT)
typedef lwi_spring32 spring_constants;
#else
typedef lw_spring_info spring_constants;
#endif

typedef struct spring_response {
    bool acts;            ///< it is not slack, nor within its backlash
    number stretch;       ///< what its law is of
    number elastic;       ///< force without damping
    number force;         ///< that pulls, or turns back
    number by_x, by_rate; ///< its derivatives
} spring_response;

static inline spring_response spring_responds(const spring_constants *spring, number x, number rate)
{
    spring_response r = {.acts = false};
    const number half = spring->backlash / 2, s = x - spring->free;
    const number stretch = s > half ? s - half : s < -half ? s + half : 0;
    const bool is_one_sided = spring->side != LW_SPRING_BOTH || half > 0;
    if ((spring->side == LW_SPRING_TENSION && stretch <= 0) ||
        (spring->side == LW_SPRING_COMPRESSION && stretch >= 0) || (half > 0 && stretch == 0)) {
        return r;
    }
    number f[4];
    curve_at(spring->law, spring->coefficient, spring->ncoefficient, stretch, f);
    r.acts = true;
    r.stretch = stretch;
    r.elastic = spring->preload + f[0];
    r.by_x = f[1];
    const number damping = spring->damping * rate;
    if (is_one_sided && number_size(damping) > number_size(r.elastic)) {
        // Without this bound a cord would begin to act, and end, by a jump.
        const number share = damping * r.elastic > 0 ? 2 : 0;
        r.force = share * r.elastic;
        r.by_x *= share;
        return r;
    }
    r.force = r.elastic + damping;
    r.by_rate = spring->damping;
    return r;
}

#endif
