// The command line: one table of options, one parser and one help text for all commands.
#ifndef ARGS_H
#define ARGS_H

#include "support/memory.h"

#include <jansson.h>

#include <float.h>
#include <stdbool.h>
#include <stdio.h>

/// Every option that any command has: options.def has one row each.
typedef enum option_id {
#define OPTION(id, name, letter, value, use, help) OPT_##id,
#include "support/options.def"
#undef OPTION
    OPT_END ///< ends a list of options
} option_id;

/// How an option is used.
enum option_use {
    ONCE = 0,
    REPEATS = 1, ///< may be given more than once
    READS = 2,   ///< its value is a file that is read
    WRITES = 4,  ///< its value is a file that is written
    PICTURE = 8  ///< ... as SVG
};

typedef struct command_line command_line;
typedef struct job job;

/// What an option is for in one command, if the text for all of them has too little or too
/// much.
typedef struct option_note {
    option_id id;
    const char *help;
} option_note;

/// Lists of options, and of notes on them, in the definition of a command.
#define OPTIONS(...) ((const option_id[]){__VA_ARGS__, OPT_END})
#define NOTES(...) ((const option_note[]){__VA_ARGS__, {OPT_END, NULL}})

// Options that go together.
#define OPTIONS_FILE OPT_PATH, OPT_SILENCE
#define OPTIONS_MODEL                                                                              \
    OPT_LEVEL, OPT_BRANCH, OPT_FREE_BASE, OPT_IDEAL, OPT_FRICTION_SPEED, OPTIONS_FILE
#define OPTIONS_RESULT OPTIONS_MODEL, OPT_JSON
#define OPTIONS_EQUATIONS OPT_FUNCTIONS, OPT_FRAME, OPT_COST, OPT_EFFORT
#define OPTIONS_POSITION OPT_Q, OPT_STATE, OPT_SRDF
#define OPTIONS_MOTION OPTIONS_POSITION, OPT_V, OPT_A

/// A command: what it is called, what it takes, what it does.
typedef struct command_def {
    const char *name;
    const char *operands;     ///< as in the usage line: "MODEL", "MODEL OUT"; empty for none
    const option_id *options; ///< OPTIONS(...); --help is always there
    bool is_picture;          ///< its --output is an SVG file
    const char *summary;      ///< one line
    const char *about;        ///< paragraphs, separated by empty lines; wrapped when printed
    const char *keys;         ///< keys of its --json output; NULL if it has none
    const char *example;      ///< command lines, one per line, without the leading "linkwork "
    const option_note *notes; ///< NOTES(...), or NULL

    // What it does, in this order; each may be NULL, and returns an exit code.
    bool opens_itself;                      ///< MODEL is not opened before run()
    size_t context_size;                    ///< of job.context, which is zeroed
    int (*check)(const command_line *args); ///< options, before the model is opened
    int (*run)(job *work);                  ///< computes and prints, or prepares evaluate()
    int (*evaluate)(job *work, int i, json_t *result); ///< at state i; text where result is NULL
    void (*end)(job *work);                            ///< frees what the library made
} command_def;

typedef struct given_option {
    option_id id;
    const char *value; ///< NULL for a flag
} given_option;

enum { ARGS_MAX_OPERAND = 2 };

/// The contents of the command line, borrowed from argv.
struct command_line {
    const command_def *command;
    const char *operand[ARGS_MAX_OPERAND];
    int noperand;
    given_option *given; ///< in the order of the line
    int ngiven;
    memory *pool; ///< of the command
};

/// Reads argv[0 .. argc), which follows the command's name. Complains and returns EXIT_USAGE where
/// it makes no sense; operands are not counted where --help is among the options.
int args_parse(command_line *args, const command_def *command, memory *pool, int argc,
               char *const *argv);

/// Whether the command has an option.
bool args_takes(const command_line *args, option_id id);

/// Whether an option was given; its value (NULL where it was not); how often it was given, and the
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

/// Reads a number from `low` to `high`, or above zero where low is ARGS_ABOVE_ZERO; or a whole
/// number. *value stays where the option was not given. Complains and returns an exit code.
#define ARGS_ABOVE_ZERO DBL_MIN
int args_number(const command_line *args, option_id id, double low, double high, double *value);
int args_whole(const command_line *args, option_id id, int low, int high, int *value);
/// Width and height of a picture in pixels, of --size: both stay where it was not given.
int args_size(const command_line *args, int *width, int *height);
/// The same of numbers up to 2^53, which may be written as 1e8.
int args_whole_large(const command_line *args, option_id id, double low, double high,
                     double *value);

/// Reads `count` numbers with commas between them. Complains and returns an exit code.
int args_numbers(const command_line *args, option_id id, int count, double *out);

/// The value of --friction-speed; *speed stays as it is where it was not given. Complains and
/// returns EXIT_USAGE where it is no number of at least 0.
int args_friction_speed(const command_line *args, double *speed);

/// As the user writes it: "--frame" or "-q".
const char *option_name(option_id id);

/// Refuses to write a file in the place of one that is read, or of another that is written.
int args_check_files(const command_line *args);

/// The command line as it may be given again, with names of files without their folders, in lines
/// of at most 90 characters.
char *args_again(const command_line *args);

/// Prints the help of one command.
void args_help(const command_def *command, FILE *file);

#endif
