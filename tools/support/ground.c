#include "support/ground.h"

#include "support/message.h"

int ground_open(job *work, lw_terrain **terrain)
{
    double cell = 0.05;
    if (args_number(work->args, OPT_CELL, ARGS_ABOVE_ZERO, 1e6, &cell) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    if (!args_has(work->args, OPT_SCENE)) {
        const lw_status made =
            lw_terrain_create_plane(lw_vec3_of(0, 0, 0), lw_vec3_of(0, 0, 1), terrain);
        return made == LW_OK ? EXIT_GOOD : no_memory();
    }
    const int first = lw_report_count(work->robot.report);
    const lw_status status = lw_terrain_create_of_model(work->m, cell, terrain, work->robot.report);
    print_diagnostics(work->robot.report, first);
    if (status == LW_ERR_NAME) {
        return complain(EXIT_INPUT, "the scene has no mesh, height field or box to stand on");
    }
    return status == LW_OK ? EXIT_GOOD : status == LW_ERR_MEMORY ? no_memory() : EXIT_INPUT;
}
