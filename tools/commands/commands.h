// The commands; main.c finds them by name.
#ifndef COMMANDS_H
#define COMMANDS_H

#include "support/args.h"

#define GROUP(title)
#define COMMAND(name) extern const command_def command_##name;
#include "commands/commands.def"
#undef GROUP
#undef COMMAND

#endif
