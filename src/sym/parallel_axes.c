#include "parallel_axes.h"

bool lwi_is_parallel(const lwi_robot_body *body)
{
    return body->R[2] == LWI_ZERO && body->R[5] == LWI_ZERO && body->R[6] == LWI_ZERO &&
           body->R[7] == LWI_ZERO;
}

int lwi_only_child(const lwi_robot *robot, int i)
{
    int child = -1;
    for (int k = i + 1; k < robot->nbody; k++) {
        if (robot->body[k].parent == i) {
            if (child >= 0) {
                return -1;
            }
            child = k;
        }
    }
    return child;
}

/// Whether body i + 1 is the only one on body i, and turns about the same direction.
static bool goes_on(const lwi_robot *robot, int i)
{
    return lwi_only_child(robot, i) == i + 1 && robot->body[i + 1].type == LW_TREE_REVOLUTE &&
           lwi_is_parallel(&robot->body[i + 1]);
}

static bool has_angle(const lwi_robot_body *body)
{
    return body->type == LW_TREE_REVOLUTE && !body->is_turned;
}

int lwi_end_of_run(const lwi_robot *robot, int first)
{
    int last = first;
    while (has_angle(&robot->body[first]) && goes_on(robot, last) &&
           has_angle(&robot->body[last + 1]) && robot->body[last + 1].R[0] == LWI_ONE &&
           robot->body[last + 1].R[8] == LWI_ONE) {
        last++;
    }
    return last;
}

lwi_run lwi_find_run(const lwi_robot *robot)
{
    const lwi_run none = {0, 1, 0};
    if (robot->nbody == 0 || robot->body[0].type != LW_TREE_REVOLUTE) {
        return none;
    }
    int base = 0;
    while (goes_on(robot, base)) {
        base++;
    }
    if (lwi_only_child(robot, base) != base + 1) {
        return none;
    }
    const int last = lwi_end_of_run(robot, base + 1);
    return last > base + 1 ? (lwi_run){base, base + 1, last} : none;
}
