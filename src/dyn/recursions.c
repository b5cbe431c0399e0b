// For any processor.
#include "../base/cpu.h"
#include "recursions_text.h"

const lwi_recursions *lwi_recursions_generic(void)
{
    return &recursions;
}

const lwi_recursions *lwi_get_recursions(void)
{
    const lwi_cpu cpu = lwi_cpu_level();
    const lwi_recursions *fitting = cpu == LWI_CPU_AVX512 ? lwi_recursions_avx512() : NULL;
    if (!fitting && cpu >= LWI_CPU_AVX2) {
        fitting = lwi_recursions_avx2();
    }
    return fitting ? fitting : &recursions;
}

void lwi_joint_forces(const lw_model *m, const lw_data *d, lw_force *force)
{
    evaluation e = {.tree = {.nbody = m->nbody}, .nv = m->tree_nv};
    lay_out_work(&e, m->kernel->ngeneral, d->work);
    for (int i = 0; i < m->nbody; ++i) {
        const segment *b = &m->kernel->segment[i];
        const vec3 n = rotate_z(b->cos_phi, b->sin_phi, e.force[i].ang);
        const vec3 f = rotate_z(b->cos_phi, b->sin_phi, e.force[i].lin);
        force[i] = (lw_force){{n.x, n.y, n.z}, {f.x, f.y, f.z}};
    }
}
