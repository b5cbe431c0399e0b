#include "args.h"

#include "message.h"
#include "number.h"
#include "suggest.h"

#include <stdlib.h>
#include <string.h>

typedef struct option_def {
    const char *name;   ///< "--state"; null where there is only a letter
    const char *letter; ///< "-q"; null where there is none
    const char *value;  ///< what stands for the value in help; null for a flag
    bool is_repeatable;
    const char *help;
} option_def;

static const option_def option[OPT_COUNT] = {
    [OPT_Q] = {NULL, "-q", "LIST", true,
               "Positions: numbers in the order of 'linkwork info', separated by commas, or "
               "name=value pairs; what is not named stays at the reference configuration, "
               "and motors behind elastic shafts follow their joints."},
    [OPT_V] = {NULL, "-v", "LIST", true, "Velocities, likewise; what is not named is zero."},
    [OPT_A] = {NULL, "-a", "LIST", true, "Accelerations, likewise; what is not named is zero."},
    [OPT_T] = {NULL, "-t", "LIST", true,
               "Joint forces and torques, likewise; what is not named is zero."},
    [OPT_STATE] = {"--state", NULL, "FILE", false,
                   "Reads the state as JSON, from standard input where FILE is '-': an object with "
                   "the keys q, v, a, tau, each an array or an object by name, or an array of such "
                   "objects, which gives an array of results in the same order."},
    [OPT_FRAME] = {"--frame", NULL, "FRAME", true,
                   "The frame: a name as in 'linkwork info', JOINT.a or JOINT.b; where it stands "
                   "only once the last part of the name is enough."},
    [OPT_DEPENDENT] =
        {"--dependent", NULL, NULL, false,
         "Prints the positions of dependent joints too, in radians or metres; quaternions of "
         "spherical and free joints."},
    [OPT_RELATIVE_TO] = {"--relative-to", NULL, "FRAME", false,
                         "Gives poses in this frame instead of the world."},
    [OPT_EXPRESSED_IN] = {"--expressed-in", NULL, "world|frame", false,
                          "Axes of the Jacobian; it is about the origin of the frame either way. "
                          "Default: world."},
    [OPT_PARAMETERS] = {"--parameters", NULL, "NAME,...", true,
                        "LINK.mass, LINK.center.x (y, z), LINK.inertia.xx (yy, zz, xy, xz, yz), "
                        "LINK.first_moment.x (y, z); LINK for the first ten of these, or all for "
                        "those of every link."},
    [OPT_TO] = {"--to", NULL, "linkwork|urdf", false,
                "Format to write; by default as OUT ends: .xml or .urdf."},
    [OPT_JOINT_FORM] = {"--form", NULL, "transform|zero|paul|craig", false,
                        "How joints are placed: by homogeneous transforms, by axes and points at "
                        "the zero position, or by Denavit-Hartenberg rows after Paul or after "
                        "Craig. Joints that cannot be are listed. Default: as they are."},
    [OPT_OUTPUT] = {"--output", "-o", "FILE", false,
                    "Where to write, whole or not at all; '-' is standard output."},
    [OPT_VIEW] = {"--view", NULL, "iso|front|side|top", false,
                  "Where to look from: isometric; or from +x, from -y, from above. Default: iso."},
    [OPT_SIZE] = {"--size", NULL, "WxH", false, "Size of the picture in pixels. Default: 900x720."},
    [OPT_SHOW] = {"--show", NULL, "LAYER,...", false,
                  "What to show besides links, joints, covers and ground: tips (the frame at the "
                  "end of each chain), frames (all of them), joints (their names), coordinates (q1 "
                  "and so on, at the joints), skeleton (joints within covers, through these); all, "
                  "or none. Default: tips."},
    [OPT_WORKSPACE] = {"--workspace", NULL, "FRAME", false,
                       "Draws where the frame can go within the limits of the independent joints, "
                       "from many samples, and tells how far it reaches."},
    [OPT_HOLD] = {"--hold", NULL, "JOINT", true,
                  "This joint stays where -q has it while the workspace is sampled; may be given "
                  "more than once."},
    [OPT_SECONDS] = {"--seconds", NULL, "S", false, "Time spent on each function. Default: 0.1."},
    [OPT_ROBOT] = {"--robot", NULL, "palletiser|ur5", false,
                   "Which robot to show: a palletiser, which has two loops, or an arm without any. "
                   "Default: palletiser."},
    [OPT_LEVELS] = {"--levels", NULL, "SPEC,...", false,
                    "What to compare: high, middle, low; or assemblies and their levels joined by "
                    "'+', the rest as the file says: wrist=low+base=high, or high+wrist=low. "
                    "Default: high,middle,low."},
    [OPT_SAMPLES] = {"--samples", NULL, "N", false,
                     "Points along the motion, 2 to 100000. Default: 201."},
    [OPT_FUNCTIONS] = {"--functions", NULL, "NAME,...", false,
                       "Which functions: poses, jacobian, inverse_dynamics, mass_matrix, "
                       "coriolis_matrix, christoffel, gravity, forward_dynamics, energy, "
                       "regressor, elements, loads; or all."},
    [OPT_FORM] = {"--form", NULL, "cheapest|recursive|lagrange|uicker", false,
                  "How equations are derived: Newton and Euler's recursion written out, Lagrange's "
                  "equations, or Uicker and Kahn's, both in closed form. Default: the one that "
                  "costs least."},
    [OPT_FORMAT] = {"--format", NULL, "txt|md|tex", false,
                    "Plain text, Markdown or LaTeX. Default: by the ending of -o, else txt."},
    [OPT_UNBALANCE] = {"--unbalance", NULL, "FRAME,M,R,W", false,
                       "A rotor of mass M (kg) at radius R (m) that turns about z of FRAME with W "
                       "(rad/s): its pull is a load that depends on time."},
    [OPT_LANGUAGE] = {"--language", NULL, "c|python", false,
                      "Language to write. Default: by the ending of -o (.py), else c."},
    [OPT_SYMBOLIC] =
        {"--symbolic", NULL, NULL, false,
         "Keeps the numbers of the machine as symbols, given to the code in an array; "
         "by default they are folded in. Those of bodies are along the axes of the body's "
         "frame, which has z along the joint's axis; the code says how these stand in "
         "the frame of the link."},
    [OPT_INPUTS] =
        {"--inputs", NULL, "NAME,...", false,
         "These parameters (m_BODY, rx_BODY, b_JOINT, ...) are inputs of the code, also "
         "where they are zero or equal to others. rx, Ixx and so on are along the axes of "
         "the body's frame, which has z along the joint's axis; the code says how these "
         "stand in the frame of the link."},
    [OPT_PRODUCTS] = {"--products", NULL, "tensor|integral", false,
                      "Products of inertia in the document: entries of the tensor, or integrals, "
                      "Ixy = integral of x y dm, so that the tensor has -Ixy. Default: tensor."},
    [OPT_FLOAT] = {"--float", NULL, NULL, false, "Computes in float; leaves out tiny terms."},
    [OPT_KEEP_SMALL] = {"--keep-small", NULL, NULL, false, "With --float: keeps tiny terms."},
    [OPT_VECTOR] = {"--vector", NULL, "N", false,
                    "Computes N states side by side, 2, 4, 8 or 16, in a vector type of GCC and "
                    "Clang."},
    [OPT_SINCOS] = {"--sincos", NULL, "library|inline", false,
                    "Sines and cosines from <math.h>, or from a faster function in the file, good "
                    "for angles up to 1.6e6. Default: library; inline for vectors."},
    [OPT_SINCOS_INPUT] = {"--sincos-input", NULL, NULL, false,
                          "Sines and cosines of the angles are arguments of the code."},
    [OPT_JOIN] = {"--join", NULL, NULL, false,
                  "One function for all that is asked for, which computes what they share once."},
    [OPT_DICTIONARY] = {"--dictionary", NULL, NULL, false,
                        "Each function in two: one fills a sorted dictionary of products of sines "
                        "and cosines, one computes the results from it."},
    [OPT_SPLIT] = {"--split", NULL, NULL, false,
                   "A header that declares, FILE, and a source file that defines, with .c for .h: "
                   "for a program of several files."},
    [OPT_COST] = {"--cost", NULL, "operations|products|instructions", false,
                  "What is made small; an instruction may be a product and a sum together. "
                  "Default: operations."},
    [OPT_EFFORT] = {"--effort", NULL, "0|1|2|3", false,
                    "How long to search for cheaper equations: not at all, seconds, or minutes. "
                    "Default: 1."},
    [OPT_ROUND] = {"--round", NULL, "X", false,
                   "Entries of a rotation within X of 0 or 1 are these, and lengths and moments "
                   "that are smaller than X beside the largest are zero: for files that write a "
                   "right angle as 1.5708. Default: 1e-13."},
    [OPT_PREFIX] = {"--prefix", NULL, "NAME", false,
                    "What names in the code begin with. Default: the model's name."},
    [OPT_STATES] = {"--states", NULL, "N", false,
                    "How many random states, up to 1000000. Default: 100."},
    [OPT_TOLERANCE] = {"--tolerance", NULL, "X", false,
                       "Largest difference that is accepted, relative to the largest number of an "
                       "answer, or to what is usual for the machine. Default: 1e-9."},
    [OPT_ENGINES] = {"--engines", NULL, "NAME,...", false,
                     "Which engines: numeric, symbolic, generated. Default: all."},
    [OPT_LEVEL] = {"--level", NULL, "ASSEMBLY=LEVEL", true,
                   "Level of detail of an assembly and all within it: high, middle or low; "
                   "'*' is the whole machine. May be given more than once; the nearest counts."},
    [OPT_STAGE] = {"--stage", NULL, "NAME", false,
                   "Prints what one stage of the compile leaves, a line each: elaborate, levels, "
                   "simplify, resolve, span, axes, merge, number, close, lump, springs, check or "
                   "pack."},
    [OPT_RUN] = {"--run", NULL, "FILE", true,
                 "A run file: start, motion, controller, loads, duration and accuracy of a "
                 "simulation (docs/simulate.md). Given more than once, runs are overlaid in "
                 "plots."},
    [OPT_TIME] = {"--time", NULL, "T", false, "How long, in seconds."},
    [OPT_METHOD] = {"--method", NULL, "dopri853|dopri5|rk4|euler|cvode|ida", false,
                    "How to step: with order 8 or 5 and steps that adapt, with fixed steps, or by "
                    "the implicit methods of SUNDIALS for stiff machines, where this build has "
                    "them. Default: dopri853."},
    [OPT_STEP] = {"--step", NULL, "S", false,
                  "Length of fixed steps, or of the first one, in seconds. Default: 0.001."},
    [OPT_ACCURACY] =
        {"--accuracy", NULL, "X", false,
         "Error of a step that adapts, relative and absolute. Default: 1e-13 and 1e-14; 1e-9 "
         "where a controller acts, and of cvode and ida."},
    [OPT_EVERY] = {"--every", NULL, "S", false,
                   "Time between two rows of output; 0 for every step. Default: 500 rows."},
    [OPT_STOPS] = {"--stops", NULL, NULL, false, "Joints stop at their limits of position."},
    [OPT_PLOT] = {"--plot", NULL, "FILE.svg", false,
                  "Draws what was computed over time: positions, velocities, forces, errors "
                  "against the motion, and energy."},
    [OPT_SPECTRUM] = {"--spectrum", NULL, "FILE.svg", false,
                      "Draws the amplitudes of the drives' forces over frequency, from the rows "
                      "of output (--every)."},
    [OPT_FREE_BASE] = {"--free-base", NULL, NULL, false,
                       "Puts a root link that the file leaves fixed on a free joint named 'root'."},
    [OPT_IDEAL] = {"--ideal", NULL, NULL, false,
                   "Leaves out joint friction, damping, stiffness and rotor inertia, and springs."},
    [OPT_FRICTION_SPEED] =
        {"--friction-speed", NULL, "V", false,
         "Smooths the jump of Coulomb friction at rest over this speed, in rad/s or m/s; 0 keeps "
         "the jump. Default: 0.001."},
    [OPT_PATH] = {"--path", NULL, "DIR", true,
                  "Looks for package:// addresses, meshes and mounted files in DIR too; may be "
                  "given more than once."},
    [OPT_SILENCE] = {"--silence", NULL, "CODE", true,
                     "Drops warnings and notes with this code, such as mesh-missing, which stands "
                     "in brackets behind each (docs/diagnostics.md); may be given more than once."},
    [OPT_JSON] = {"--json", NULL, NULL, false,
                  "Prints JSON with stable keys and numbers that read back as the same bits."},
    [OPT_HELP] = {"--help", "-h", NULL, false, "Prints this text."},
};

static bool has_option(const command_def *command, option_id id)
{
    return id == OPT_HELP || (command->options & OPTION(id)) != 0;
}

const char *option_name(option_id id)
{
    return option[id].name ? option[id].name : option[id].letter;
}

// --- Parsing ----------------------------------------------------------------------------------

static int bad_usage(const command_def *command)
{
    fprintf(stderr, "usage: linkwork %s%s%s [options]; all of them: linkwork %s --help\n",
            command->name, *command->operands ? " " : "", command->operands, command->name);
    return EXIT_USAGE;
}

// The option that a word names, with where a value joined to it begins: "--frame=tip", "-q=1",
// "-q1,2". OPT_COUNT where the command has no such option.
static option_id find_option(const command_def *command, const char *word, const char **joined)
{
    const size_t length = strcspn(word, "=");
    for (int i = 0; i < OPT_COUNT; ++i) {
        const option_def *def = &option[i];
        if (!has_option(command, (option_id)i)) {
            continue;
        }
        if (def->name && strncmp(word, def->name, length) == 0 && def->name[length] == '\0') {
            *joined = word[length] == '=' ? word + length + 1 : NULL;
            return (option_id)i;
        }
        if (def->letter && word[1] == def->letter[1] && (def->value || word[2] == '\0')) {
            *joined = word[2] == '\0' ? NULL : word + (word[2] == '=' ? 3 : 2);
            return (option_id)i;
        }
    }
    return OPT_COUNT;
}

static int unknown_option(const command_def *command, const char *word)
{
    char name[64], text[SUGGEST_ROOM];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    lw_nearest near;
    lw_nearest_init(&near, name);
    for (int i = 0; i < OPT_COUNT; ++i) {
        if (has_option(command, (option_id)i)) {
            lw_nearest_offer(&near, option_name((option_id)i));
        }
    }
    complain(EXIT_USAGE, "%s has no option \"%s\"%s", command->name, name,
             suggest_text(&near, text));
    return bad_usage(command);
}

// Pictures are SVG: "x.svg", "-", or a name without an ending.
static int check_picture(option_id id, const char *path)
{
    const char *name = strrchr(path, '/'), *ending = strrchr(name ? name : path, '.');
    if (!ending || strcmp(ending, ".svg") == 0 || strcmp(ending, ".SVG") == 0) {
        return EXIT_GOOD;
    }
    const int stem = (int)(ending - path);
    return complain(EXIT_USAGE,
                    "%s %s: pictures are written as SVG; write %.*s.svg, and convert it, for "
                    "example with rsvg-convert -o %s %.*s.svg",
                    option_name(id), path, stem, path, path, stem, path);
}

// Takes the option that stands in argv[*at], and its value where that is the next word.
static int take_option(command_line *args, int argc, char *const *argv, int *at)
{
    const char *word = argv[*at], *value = NULL;
    const option_id id = find_option(args->command, word, &value);
    if (id == OPT_COUNT) {
        return unknown_option(args->command, word);
    }
    if (!option[id].value && value) {
        complain(EXIT_USAGE, "%s takes no value", option_name(id));
        return bad_usage(args->command);
    }
    if (option[id].value && !value) {
        if (*at + 1 >= argc) {
            complain(EXIT_USAGE, "%s needs a value: %s", option_name(id), option[id].value);
            return bad_usage(args->command);
        }
        value = argv[++*at]; // even where it begins with '-': positions may be negative
    }
    if (!option[id].is_repeatable && option[id].value && args_has(args, id)) {
        complain(EXIT_USAGE, "%s is given twice", option_name(id));
        return bad_usage(args->command);
    }
    args->given[args->ngiven++] = (given_option){id, value};
    const bool is_picture = (id == OPT_OUTPUT && args->command->is_picture) ||
                            (option[id].value && strcmp(option[id].value, "FILE.svg") == 0);
    return is_picture ? check_picture(id, value) : EXIT_GOOD;
}

static int check_operands(const command_line *args, int count)
{
    const command_def *command = args->command;
    if (count == command->noperand || args_has(args, OPT_HELP)) {
        return EXIT_GOOD;
    }
    if (count < command->noperand) {
        complain(EXIT_USAGE, "%s needs %s", command->name, command->operands);
    } else {
        complain(EXIT_USAGE, "%s takes %s, and %d more %s given", command->name,
                 *command->operands ? command->operands : "no operand", count - command->noperand,
                 count - command->noperand == 1 ? "was" : "were");
    }
    return bad_usage(command);
}

int args_parse(command_line *args, const command_def *command, int argc, char *const *argv)
{
    *args = (command_line){.command = command};
    args->given = calloc((size_t)argc + 1, sizeof *args->given);
    if (!args->given) {
        return complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    int noperand = 0;
    bool is_option = true;
    for (int i = 0; i < argc; ++i) {
        if (is_option && strcmp(argv[i], "--") == 0) {
            is_option = false;
        } else if (is_option && argv[i][0] == '-' && argv[i][1] != '\0') {
            const int code = take_option(args, argc, argv, &i);
            if (code != EXIT_GOOD) {
                return code;
            }
        } else {
            if (noperand < ARGS_MAX_OPERAND) {
                args->operand[noperand] = argv[i];
            }
            ++noperand;
        }
    }
    return check_operands(args, noperand);
}

void args_free(command_line *args)
{
    free(args->given);
    *args = (command_line){0};
}

// --- What was given ---------------------------------------------------------------------------

int args_count(const command_line *args, option_id id)
{
    int count = 0;
    for (int i = 0; i < args->ngiven; ++i) {
        count += args->given[i].id == id;
    }
    return count;
}

const char *args_value_at(const command_line *args, option_id id, int k)
{
    for (int i = 0; i < args->ngiven; ++i) {
        if (args->given[i].id == id && k-- == 0) {
            return args->given[i].value;
        }
    }
    return NULL;
}

bool args_has(const command_line *args, option_id id)
{
    return args_count(args, id) > 0;
}

const char *args_value(const command_line *args, option_id id)
{
    return args_value_at(args, id, 0);
}

// The bit of a word of a list, 0 where it is none of `name`.
static unsigned bit_of(const char *word, size_t length, const char *(*name)(int), int count)
{
    for (int i = 0; i < count; ++i) {
        if (strlen(name(i)) == length && strncmp(word, name(i), length) == 0) {
            return 1u << i;
        }
    }
    return 0;
}

int args_list(const command_line *args, option_id id, const char *(*name)(int), int count,
              unsigned *bits)
{
    const char *text = args_value(args, id);
    if (!text) {
        return EXIT_GOOD;
    }
    *bits = 0;
    for (const char *at = text;; ++at) {
        const size_t length = strcspn(at, ",");
        const bool is_all = length == 3 && strncmp(at, "all", 3) == 0;
        const unsigned bit = is_all ? (1u << count) - 1 : bit_of(at, length, name, count);
        if (bit == 0) {
            char word[64], near_text[SUGGEST_ROOM];
            snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), at);
            lw_nearest near;
            lw_nearest_init(&near, word);
            for (int i = 0; i < count; ++i) {
                lw_nearest_offer(&near, name(i));
            }
            complain(EXIT_USAGE, "%s has no \"%s\"%s", option_name(id), word,
                     suggest_text(&near, near_text));
            fputs("it takes", stderr);
            for (int i = 0; i < count; ++i) {
                fprintf(stderr, "%s %s", i > 0 ? "," : "", name(i));
            }
            fputs(", all\n", stderr);
            return EXIT_USAGE;
        }
        *bits |= bit;
        at += length;
        if (!*at) {
            return EXIT_GOOD;
        }
    }
}

int args_choice(const command_line *args, option_id id, const char *const *word)
{
    const char *value = args_value(args, id);
    if (!value) {
        return 0;
    }
    lw_nearest near;
    lw_nearest_init(&near, value);
    for (int i = 0; word[i]; ++i) {
        if (strcmp(word[i], value) == 0) {
            return i;
        }
        lw_nearest_offer(&near, word[i]);
    }
    char text[SUGGEST_ROOM];
    complain(EXIT_USAGE, "%s is one of %s, not \"%s\"%s", option_name(id), option[id].value, value,
             suggest_text(&near, text));
    return -1;
}

int args_choice_by_ending(const command_line *args, option_id id, const char *const *word,
                          const char *const *ending)
{
    const char *file = args_value(args, OPT_OUTPUT), *dot = file ? strrchr(file, '.') : NULL;
    for (int i = 0; dot && !args_has(args, id) && ending[i]; ++i) {
        if (strcmp(dot + 1, ending[i]) == 0) {
            return i;
        }
    }
    return args_choice(args, id, word);
}

int args_friction_speed(const command_line *args, double *speed)
{
    const char *value = args_value(args, OPT_FRICTION_SPEED);
    double x = 0.0;
    if (value && (!number_parse(value, strlen(value), &x) || !(x >= 0.0 && x <= 1e6))) {
        return complain(EXIT_USAGE, "--friction-speed is a number from 0 to 1e6, not \"%s\"",
                        value);
    }
    *speed = value ? x : *speed;
    return EXIT_GOOD;
}

// --- Again ------------------------------------------------------------------------------------

// An option or a file of the command, on a new line where this one is full. What a shell would not
// take as it is stands in quotes.
static void add_words(FILE *file, const char *option_text, const char *value, int *column)
{
    const bool is_plain =
        !value || strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./,=+-:") == strlen(value);
    const char *quote = is_plain ? "" : "'";
    const size_t length = strlen(option_text) + (value ? strlen(value) : 0) + 3;
    if (*column > 0 && *column + (int)length > 90) {
        fputs("\n   ", file);
        *column = 3;
    }
    *column += fprintf(file, "%s%s%s%s%s%s", *column > 0 ? " " : "", option_text,
                       value && *option_text ? " " : "", quote, value ? value : "", quote);
}

static const char *without_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

char *args_again(const command_line *args)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    int column = 0;
    if (!file) {
        return NULL;
    }
    add_words(file, "linkwork", args->command->name, &column);
    for (int i = 0; i < args->command->noperand; ++i) {
        add_words(file, "", without_folder(args->operand[i]), &column);
    }
    for (int i = 0; i < args->ngiven; ++i) {
        const option_id id = args->given[i].id;
        if (id == OPT_JSON || id == OPT_PATH) {
            continue; // of no moment for what is written, or of this machine alone
        }
        const char *value = args->given[i].value;
        value = id == OPT_OUTPUT ? without_folder(value) : value;
        add_words(file, option_name(id), value, &column);
    }
    if (fclose(file) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

// --- Help -------------------------------------------------------------------------------------

enum { LINE_WIDTH = 80 };

// Prints a text wrapped to the width of a terminal, with every line indented. `column` is where
// the first line begins already.
static void print_wrapped(FILE *file, const char *text, int indent, int column)
{
    bool is_line_start = true;
    fprintf(file, "%*s", indent > column ? indent - column : 0, "");
    column = indent > column ? indent : column;
    for (const char *word = text; *word;) {
        const size_t length = strcspn(word, " \n");
        if (!is_line_start && column + 1 + (int)length > LINE_WIDTH) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
            is_line_start = true;
        }
        fprintf(file, "%s%.*s", is_line_start ? "" : " ", (int)length, word);
        column += (int)length + !is_line_start;
        is_line_start = false;
        word += length;
        while (*word == ' ') {
            ++word;
        }
        while (*word == '\n') {
            fputc('\n', file);
            column = 0;
            is_line_start = true;
            ++word;
            if (*word && *word != '\n') {
                fprintf(file, "%*s", indent, "");
                column = indent;
            }
        }
    }
    fputc('\n', file);
}

static const char *help_of(const command_def *command, option_id id)
{
    for (const option_note *note = command->note; note->help; ++note) {
        if (note->id == id) {
            return note->help;
        }
    }
    return option[id].help;
}

static void print_option(const command_def *command, option_id id, FILE *file)
{
    const option_def *def = &option[id];
    char head[64];
    snprintf(head, sizeof head, "  %s%s%s%s%s", def->letter ? def->letter : "",
             def->letter && def->name ? ", " : "", def->name ? def->name : "",
             def->value ? " " : "", def->value ? def->value : "");
    const int indent = 24;
    int column = fprintf(file, "%s", head);
    if (column > indent - 2) {
        fputc('\n', file);
        column = 0;
    }
    print_wrapped(file, help_of(command, id), indent, column);
}

static void print_examples(const command_def *command, FILE *file)
{
    fputs("\nExamples:\n", file);
    for (const char *line = command->example; *line;) {
        const size_t length = strcspn(line, "\n");
        fprintf(file, "  linkwork %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void args_help(const command_def *command, FILE *file)
{
    fprintf(file, "usage: linkwork %s%s%s [options]\n\n", command->name,
            *command->operands ? " " : "", command->operands);
    print_wrapped(file, command->about, 0, 0);
    if (command->noperand > 0) {
        fputc('\n', file);
        print_wrapped(file,
                      "MODEL is a file in linkwork XML or URDF, told apart by content; '-' reads "
                      "it from standard input.",
                      0, 0);
    }
    fputs("\nOptions:\n", file);
    for (int i = 0; i < OPT_COUNT; ++i) {
        if (has_option(command, (option_id)i)) {
            print_option(command, (option_id)i, file);
        }
    }
    if (command->keys) {
        fputs("\nKeys of --json:\n", file);
        print_wrapped(file, command->keys, 2, 0);
    }
    print_examples(command, file);
    fputs("\nExit codes: 0 good, 1 bad input, 2 bad usage, 3 file or device trouble,\n"
          "4 numeric failure.\n",
          file);
}
