// The command line: one table of options, one parser and one help text for all commands.
#ifndef ARGS_H
#define ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/// Every option that any command has. An option means the same wherever it appears.
typedef enum option_id {
    OPT_Q,
    OPT_V,
    OPT_A,
    OPT_T,
    OPT_STATE,
    OPT_FRAME,
    OPT_RELATIVE_TO,
    OPT_DEPENDENT,
    OPT_EXPRESSED_IN,
    OPT_PARAMETERS,
    OPT_TO,
    OPT_JOINT_FORM,
    OPT_OUTPUT,
    OPT_VIEW,
    OPT_SIZE,
    OPT_SHOW,
    OPT_WORKSPACE,
    OPT_HOLD,
    OPT_SECONDS,
    OPT_ROBOT,
    OPT_RUN,
    OPT_TIME,
    OPT_METHOD,
    OPT_STEP,
    OPT_ACCURACY,
    OPT_EVERY,
    OPT_STOPS,
    OPT_PLOT,
    OPT_SPECTRUM,
    OPT_LEVELS,
    OPT_SAMPLES,
    OPT_FUNCTIONS,
    OPT_FORM,
    OPT_FORMAT,
    OPT_UNBALANCE,
    OPT_LANGUAGE,
    OPT_SYMBOLIC,
    OPT_INPUTS,
    OPT_PRODUCTS,
    OPT_FLOAT,
    OPT_KEEP_SMALL,
    OPT_VECTOR,
    OPT_SINCOS,
    OPT_SINCOS_INPUT,
    OPT_JOIN,
    OPT_DICTIONARY,
    OPT_SPLIT,
    OPT_COST,
    OPT_EFFORT,
    OPT_ROUND,
    OPT_PREFIX,
    OPT_STATES,
    OPT_TOLERANCE,
    OPT_ENGINES,
    OPT_LEVEL,
    OPT_STAGE,
    OPT_FREE_BASE,
    OPT_IDEAL,
    OPT_FRICTION_SPEED,
    OPT_PATH,
    OPT_SILENCE,
    OPT_JSON,
    OPT_HELP,
    OPT_COUNT
} option_id;

#define OPTION(id) ((uint64_t)1 << (id))

typedef struct command_line command_line;

/// What an option is for in one command, where the text for all of them says too little or too
/// much.
typedef struct option_note {
    option_id id;
    const char *help; ///< null ends a list
} option_note;

enum { MOST_NOTES = 4 };

/// A command: what it is called, what it takes, what it does.
typedef struct command_def {
    const char *name;
    const char *operands; ///< as in the usage line: "MODEL", "MODEL OUT"; empty for none
    int noperand;
    uint64_t options;    ///< OPTION(...) of each option it has; --help is always there
    bool is_picture;     ///< its --output is an SVG file
    const char *summary; ///< one line
    const char *about;   ///< paragraphs, separated by empty lines; wrapped when printed
    const char *keys;    ///< keys of its --json output; null where it has none
    const char *example; ///< command lines, one a line, without the leading "linkwork "
    option_note note[MOST_NOTES + 1];
    int (*run)(const command_line *args); ///< returns the exit code
} command_def;

typedef struct given_option {
    option_id id;
    const char *value; ///< null for a flag
} given_option;

enum { ARGS_MAX_OPERAND = 2 };

/// What stands on the command line, borrowed from argv.
struct command_line {
    const command_def *command;
    const char *operand[ARGS_MAX_OPERAND];
    given_option *given; ///< in the order of the line
    int ngiven;
};

/// Reads argv[0 .. argc), which follows the command's name. Complains and returns EXIT_USAGE where
/// it makes no sense; operands are not counted where --help is among the options.
int args_parse(command_line *args, const command_def *command, int argc, char *const *argv);
void args_free(command_line *args);

/// Whether an option was given; its value (null where it was not); how often it was given, and the
/// value of the k-th time.
bool args_has(const command_line *args, option_id id);
const char *args_value(const command_line *args, option_id id);
int args_count(const command_line *args, option_id id);
const char *args_value_at(const command_line *args, option_id id, int k);

/// The number among `word` (null-terminated) of an option's value; 0, the default, where it was not
/// given. Complains and returns -1 where it is none of them.
int args_choice(const command_line *args, option_id id, const char *const *word);

/// The same, and where the option was not given, the word whose ending the file of -o has: ".tex"
/// for ending[i] "tex". A file without one of these endings takes the first word.
int args_choice_by_ending(const command_line *args, option_id id, const char *const *word,
                          const char *const *ending);

/// The words of an option's value, with commas between them, as bits 1u << i of name(i), or all for
/// `count` of them; *bits stays where the option was not given. Complains and returns an exit code.
int args_list(const command_line *args, option_id id, const char *(*name)(int), int count,
              unsigned *bits);

/// The value of --friction-speed; *speed stays as it is where it was not given. Complains and
/// returns EXIT_USAGE where it is no number of at least 0.
int args_friction_speed(const command_line *args, double *speed);

/// As the user writes it: "--frame" or "-q".
const char *option_name(option_id id);

/// The command line as it may be given again, with names of files without their folders, in lines
/// of at most 90 letters; null where memory is short. Free it.
char *args_again(const command_line *args);

/// Prints the help of one command.
void args_help(const command_def *command, FILE *file);

#endif
