// One leg that holds a distance, one dependent joint that this distance gives, and the two passive
// joints of the leg (RSSR, RSSP and loops with a universal joint in place of a ball joint): the
// closed form of a rod (rod_closure.c), and then two rotations (leg_swivel.c).
#include "closed_form_loops.h"
#include "torn_block.h"

lw_status lwi_single_leg_position(const lw_model *m, const lwi_program *program,
                                  const lwi_step *step, const lwi_loop_work *work, double *q,
                                  lwi_closure_fault *fault)
{
    const lwi_legs *legs = step->reduced->legs;
    const lwi_torn_leg *leg = legs->leg;
    lwi_loop rod = program->loop[leg->loop];
    lwi_legs_walk(m, program, step->reduced, work, q, false, false);
    rod.npath[leg->side] = leg->swivel;
    rod.X[leg->side].p = leg->foot_point;
    rod.length = work->leg[legs->first_leg].length;
    const lw_status status = lwi_rod_position(m, &rod, step, q, fault);
    return status == LW_OK ? lwi_legs_passive(m, program, step, work, m->tree_q_reference, q, fault)
                           : status;
}
