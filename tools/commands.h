// The commands; main.c has the table that names them.
#ifndef COMMANDS_H
#define COMMANDS_H

#include "args.h"

int command_info(const command_line *args);
int command_check(const command_line *args);
int command_explain(const command_line *args);
int command_fk(const command_line *args);
int command_jacobian(const command_line *args);
int command_id(const command_line *args);
int command_fd(const command_line *args);
int command_mass(const command_line *args);
int command_gravity(const command_line *args);
int command_energy(const command_line *args);
int command_sensitivity(const command_line *args);
int command_convert(const command_line *args);
int command_draw(const command_line *args);
int command_derive(const command_line *args);
int command_generate(const command_line *args);
int command_verify(const command_line *args);
int command_simulate(const command_line *args);
int command_linearize(const command_line *args);
int command_bench(const command_line *args);
int command_compare(const command_line *args);
int command_demo(const command_line *args);

#endif
