// For any processor.
#include "recursions_text.h"

bool lwi_has_avx2(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

const lwi_recursions *lwi_get_recursions(void)
{
    const lwi_recursions *wide = lwi_has_avx2() ? lwi_recursions_avx2() : NULL;
    return wide ? wide : &recursions;
}

void lwi_joint_forces(const lw_model *m, const lw_data *d, lw_force *force)
{
    evaluation e = {.tree = {.nbody = m->nbody}, .nv = m->tree_nv};
    lay_out_work(&e, m->kernel->ngeneral, d->work);
    for (int i = 0; i < m->nbody; ++i) {
        const segment *b = &m->kernel->segment[i];
        const vec3 n = turn_z(b->cos_phi, b->sin_phi, e.force[i].ang);
        const vec3 f = turn_z(b->cos_phi, b->sin_phi, e.force[i].lin);
        force[i] = (lw_force){{n.x, n.y, n.z}, {f.x, f.y, f.z}};
    }
}
