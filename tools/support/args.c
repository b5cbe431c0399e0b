#include "support/args.h"

#include "support/files.h"
#include "support/message.h"
#include "support/numeral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_def {
    const char *name;   ///< "--state"; NULL where there is only a letter
    const char *letter; ///< "-q"; NULL where there is none
    const char *value;  ///< what represents the value in help; NULL for a flag
    int use;            ///< option_use
    const char *help;
} option_def;

static const option_def option[] = {
#define OPTION(id, name, letter, value, use, help) {name, letter, value, use, help},
#include "support/options.def"
#undef OPTION
};

static bool has_option(const command_def *command, option_id id)
{
    const option_id *own = command->options;
    while (*own != OPT_END && *own != id) {
        ++own;
    }
    return id == OPT_HELP || *own != OPT_END;
}

const char *option_name(option_id id)
{
    return option[id].name ? option[id].name : option[id].letter;
}

// --- Parsing ----------------------------------------------------------------------------------

static const char *operands_of(const command_def *command)
{
    return command->operands ? command->operands : "MODEL";
}

static void print_usage(const command_def *command, FILE *file)
{
    const char *operands = operands_of(command);
    fprintf(file, "usage: linkwork %s%s%s [options]", command->name, *operands ? " " : "",
            operands);
}

static int bad_usage(const command_def *command)
{
    print_usage(command, stderr);
    fprintf(stderr, "; all of them: linkwork %s --help\n", command->name);
    return EXIT_USAGE;
}

// The option that a word names, with where a value joined to it begins: "--frame=tip", "-q=1",
// "-q1,2". OPT_END where the command has no such option.
static option_id find_option(const command_def *command, const char *word, const char **joined)
{
    const size_t length = strcspn(word, "=");
    for (int i = 0; i < OPT_END; ++i) {
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
    return OPT_END;
}

static int unknown_option(const command_def *command, const char *word)
{
    char name[64], text[SUGGEST_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    lw_nearest near;
    lw_nearest_init(&near, name);
    for (int i = 0; i < OPT_END; ++i) {
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

// Takes the option in argv[*at], and its value where that is the next word.
static int take_option(command_line *args, int argc, char *const *argv, int *at)
{
    const char *word = argv[*at], *value = NULL;
    const option_id id = find_option(args->command, word, &value);
    if (id == OPT_END) {
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
    if (!(option[id].use & REPEATS) && option[id].value && args_has(args, id)) {
        complain(EXIT_USAGE, "%s is given twice", option_name(id));
        return bad_usage(args->command);
    }
    args->given[args->ngiven++] = (given_option){id, value};
    const bool is_picture =
        (id == OPT_OUTPUT && args->command->is_picture) || (option[id].use & PICTURE) != 0;
    return is_picture ? check_picture(id, value) : EXIT_GOOD;
}

static int check_operands(const command_line *args, int count)
{
    const char *operands = operands_of(args->command), *name = args->command->name;
    if (count == args->noperand || args_has(args, OPT_HELP) ||
        (count == 0 && args_has(args, OPT_LIST))) {
        return EXIT_GOOD;
    }
    const int more = count - args->noperand;
    if (more < 0) {
        complain(EXIT_USAGE, "%s needs %s", name, operands);
    } else {
        complain(EXIT_USAGE, "%s takes %s, and %d more %s given", name,
                 *operands ? operands : "no operand", more, more == 1 ? "was" : "were");
    }
    return bad_usage(args->command);
}

int args_parse(command_line *args, const command_def *command, memory *pool, int argc,
               char *const *argv)
{
    *args = (command_line){.command = command, .pool = pool};
    args->given = memory_get(pool, (size_t)argc, sizeof *args->given);
    const char *operands = operands_of(command);
    args->noperand = *operands ? 1 + (strchr(operands, ' ') != NULL) : 0;
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
    const int code = check_operands(args, noperand);
    args->noperand = noperand < args->noperand ? noperand : args->noperand;
    return code;
}

bool args_takes(const command_line *args, option_id id)
{
    return has_option(args->command, id);
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

static int unknown_word(option_id id, const char *word, const char *(*name)(int), int count)
{
    char text[SUGGEST_SIZE];
    lw_nearest near;
    lw_nearest_init(&near, word);
    for (int i = 0; i < count; ++i) {
        lw_nearest_offer(&near, name(i));
    }
    complain(EXIT_USAGE, "%s has no \"%s\"%s", option_name(id), word, suggest_text(&near, text));
    fputs("it takes", stderr);
    for (int i = 0; i < count; ++i) {
        fprintf(stderr, "%s %s", i > 0 ? "," : "", name(i));
    }
    fputs(", all\n", stderr);
    return EXIT_USAGE;
}

int args_list(const command_line *args, option_id id, const char *(*name)(int), int count,
              unsigned *bits)
{
    const char *text = args_value(args, id);
    int given = 0;
    char **word = text ? memory_split(args->pool, text, ',', &given) : NULL;
    *bits = text ? 0 : *bits;
    for (int k = 0; k < given; ++k) {
        unsigned bit = strcmp(word[k], "all") == 0 ? (1u << count) - 1 : 0;
        for (int i = 0; i < count; ++i) {
            bit |= strcmp(word[k], name(i)) == 0 ? 1u << i : 0;
        }
        if (bit == 0) {
            return unknown_word(id, word[k], name, count);
        }
        *bits |= bit;
    }
    return EXIT_GOOD;
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
    char text[SUGGEST_SIZE];
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

int args_number(const command_line *args, option_id id, double low, double high, double *value)
{
    const char *text = args_value(args, id);
    double x = 0.0;
    if (!text) {
        return EXIT_GOOD;
    }
    if (number_parse(text, strlen(text), &x) && x >= low && x <= high) {
        *value = x;
        return EXIT_GOOD;
    }
    if (high >= DBL_MAX && low != ARGS_ABOVE_ZERO) {
        return complain(EXIT_USAGE, "%s is a number from %g on, not \"%s\"", option_name(id), low,
                        text);
    }
    return low == ARGS_ABOVE_ZERO
               ? complain(EXIT_USAGE, "%s is a number above 0 and up to %g, not \"%s\"",
                          option_name(id), high, text)
               : complain(EXIT_USAGE, "%s is a number from %g to %g, not \"%s\"", option_name(id),
                          low, high, text);
}

int args_whole(const command_line *args, option_id id, int low, int high, int *value)
{
    const char *text = args_value(args, id);
    int x = 0;
    if (!text) {
        return EXIT_GOOD;
    }
    if (!number_parse_count(text, strlen(text), high, &x) || x < low) {
        return complain(EXIT_USAGE, "%s is a whole number from %d to %d, not \"%s\"",
                        option_name(id), low, high, text);
    }
    *value = x;
    return EXIT_GOOD;
}

int args_size(const command_line *args, int *width, int *height)
{
    const char *text = args_value(args, OPT_SIZE);
    const size_t first = text ? strcspn(text, "x") : 0;
    const char *rest = text ? text + first + 1 : NULL;
    const int most = 20000;
    if (text &&
        (text[first] != 'x' || !number_parse_count(text, first, most, width) ||
         !number_parse_count(rest, strlen(rest), most, height) || *width < 200 || *height < 200)) {
        return complain(EXIT_USAGE, "--size is WIDTHxHEIGHT in pixels, 200 to 20000, not \"%s\"",
                        text);
    }
    return EXIT_GOOD;
}

int args_whole_large(const command_line *args, option_id id, double low, double high, double *value)
{
    const int code = args_number(args, id, low, high, value);
    return code != EXIT_GOOD || floor(*value) == *value
               ? code
               : complain(EXIT_USAGE, "%s is a whole number, not \"%s\"", option_name(id),
                          args_value(args, id));
}

int args_numbers(const command_line *args, option_id id, int count, double *out)
{
    const char *text = args_value(args, id);
    int given, n = 0;
    char **part = memory_split(args->pool, text, ',', &given);
    if (given != count) {
        return complain(EXIT_USAGE, "%s takes %d number%s with commas between them, not %d: \"%s\"",
                        option_name(id), count, count == 1 ? "" : "s", given, text);
    }
    while (n < count && number_parse(part[n], strlen(part[n]), &out[n])) {
        ++n;
    }
    return n == count ? EXIT_GOOD
                      : complain(EXIT_USAGE, "%s: \"%s\" is not a finite number", option_name(id),
                                 part[n]);
}

int args_friction_speed(const command_line *args, double *speed)
{
    return args_number(args, OPT_FRICTION_SPEED, 0, 1e6, speed);
}

// A file that another option, or an operand, reads or wrote before option number `last` of the
// line.
static const char *other_use(const command_line *args, const char *path, int last)
{
    for (int k = 0; k < args->noperand; ++k) {
        if (file_is_same(path, args->operand[k])) {
            return args->operand[k];
        }
    }
    for (int k = 0; k < args->ngiven; ++k) {
        const given_option *other = &args->given[k];
        const int use = option[other->id].use;
        if (((use & READS) || ((use & WRITES) && k < last)) && file_is_same(path, other->value)) {
            return other->value;
        }
    }
    return NULL;
}

int args_check_files(const command_line *args)
{
    for (int i = 0; i < args->ngiven; ++i) {
        const given_option *own = &args->given[i];
        const char *other = option[own->id].use & WRITES ? other_use(args, own->value, i) : NULL;
        if (other) {
            return complain(EXIT_USAGE, "%s would overwrite %s", option_name(own->id), other);
        }
        // Now, and not after minutes of computing.
        if (option[own->id].use & WRITES &&
            file_check_folder(own->value, args->pool) != EXIT_GOOD) {
            return EXIT_FILE;
        }
    }
    return EXIT_GOOD;
}

// --- Again ------------------------------------------------------------------------------------

// An option or a file of the command, on a new line where this one is full. What a shell would not
// take unchanged is quoted.
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
        exit(no_memory());
    }
    add_words(file, "linkwork", args->command->name, &column);
    for (int i = 0; i < args->noperand; ++i) {
        add_words(file, "", without_folder(args->operand[i]), &column);
    }
    for (int i = 0; i < args->ngiven; ++i) {
        const option_id id = args->given[i].id;
        if (id == OPT_JSON || id == OPT_PATH) {
            continue; // of no moment for what is written, or of this mechanism alone
        }
        const char *value = args->given[i].value;
        value = id == OPT_OUTPUT ? without_folder(value) : value;
        add_words(file, option_name(id), value, &column);
    }
    if (fclose(file) != 0) {
        exit(no_memory());
    }
    char *kept = memory_text(args->pool, "%s", text);
    free(text);
    return kept;
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
    for (const option_note *note = command->notes; note && note->help; ++note) {
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
    print_usage(command, file);
    fputs("\n\n", file);
    print_wrapped(file, command->about, 0, 0);
    if (strncmp(operands_of(command), "MODEL", 5) == 0) {
        fputc('\n', file);
        print_wrapped(file,
                      "MODEL is a file in linkwork XML or URDF, detected from content; '-' reads "
                      "it from standard input.",
                      0, 0);
    }
    fputs("\nOptions:\n", file);
    for (int i = 0; i < OPT_END; ++i) {
        if (has_option(command, (option_id)i)) {
            print_option(command, (option_id)i, file);
        }
    }
    if (command->keys) {
        fputs("\nKeys of --json:\n", file);
        print_wrapped(file, command->keys, 2, 0);
    }
    print_examples(command, file);
    fputs("\n" EXIT_CODES, file);
}
