// Fortran 2008: a module that needs nothing else.
//
// Statements are those of the other languages, with parentheses for brackets: arrays begin at 0, so
// that indices are the same. Fortran does not tell X from x: the forces Q of loads are called Q_out
// beside positions q, and loops of code, whose state is x, are left to the other languages.

#include "emit.h"

#include <ctype.h>
#include <string.h>

enum { MOST_COLUMNS = 100 };

static const lwi_syntax syntax = {
    .declare = "    ",
    .indent = "    ",
    .end = "\n",
    .suffix = "_dp",
    .function = {[LWI_OP_SQRT] = "sqrt",
                 [LWI_OP_SIN] = "sin",
                 [LWI_OP_COS] = "cos",
                 [LWI_OP_ATAN2] = "atan2",
                 [LWI_OP_TANH] = "tanh",
                 [LWI_OP_CLAMP] = "clamp",
                 [LWI_OP_SIGN] = "sign_of"},
};

static const char helpers[] =
    "\n"
    "    elemental function clamp(x) result(y)\n"
    "    real(dp), intent(in) :: x\n"
    "    real(dp) :: y\n"
    "    y = max(-1.0_dp, min(x, 1.0_dp))\n"
    "    end function\n"
    "\n"
    "    elemental function sign_of(x) result(y)\n"
    "    real(dp), intent(in) :: x\n"
    "    real(dp) :: y\n"
    "    y = merge(1.0_dp, 0.0_dp, x > 0) - merge(1.0_dp, 0.0_dp, x < 0)\n"
    "    end function\n";

// Adds a text, with long lines broken at blanks; a line is a statement.
static void add_broken(lwi_text *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        bool is_first = true;
        while (length > MOST_COLUMNS) {
            size_t at = MOST_COLUMNS - 10;
            while (at > 0 && text[at] != ' ') {
                --at;
            }
            if (at < 10) {
                break; // no place to break at, which no statement has
            }
            lwi_text_add(out, is_first ? "" : "        ");
            lwi_text_add_bytes(out, text, at);
            lwi_text_add(out, " &\n");
            text += at + 1;
            length -= at + 1;
            is_first = false;
        }
        lwi_text_add(out, is_first ? "" : "        ");
        lwi_text_add_bytes(out, text, length);
        lwi_text_add(out, "\n");
        text += length + (text[length] == '\n');
    }
}

static void use_parentheses(lwi_text *text)
{
    for (char *at = text->at; at && *at; ++at) {
        *at = *at == '[' ? '(' : *at == ']' ? ')' : *at;
    }
}

// A declaration of what statements set that is no element of an array.
static void declare_locals(lwi_text *out, const char *body)
{
    lwi_text list = {0};
    for (const char *line = body; *line; line += strcspn(line, "\n") + 1) {
        const char *name = line + strspn(line, " ");
        const size_t length = strcspn(name, " (");
        if (name[length] == ' ') {
            lwi_text_add(&list, list.used > 0 ? ", " : "    real(dp) :: ");
            lwi_text_add_bytes(&list, name, length);
        }
    }
    if (list.at) {
        add_broken(out, list.at);
    }
    out->is_short = out->is_short || list.is_short;
    lwi_text_free(&list);
}

static void declare(lwi_text *out, const char *intent, const char *name, int n)
{
    lwi_text_format(out, "    real(dp), intent(%s) :: %s(0:%d)\n", intent, name, n - 1);
}

/// An argument that is an array.
typedef struct argument {
    const char *name;
    int size;
    bool is_there;
} argument;

enum { NARGUMENT = 7 };

static void arguments_of(const lwi_emit_source *source, const lwi_emit_function *function,
                         int nkept, argument list[NARGUMENT])
{
    const argument all[NARGUMENT] = {
        {"p", source->nparameter, source->nparameter > 0},
        {"k", nkept, nkept > 0},
        {"q", source->nq, !function->reads_pose},
        {"X", 12, function->reads_pose},
        {"v", source->nv, function->reads_v},
        {"a", source->nv, function->reads_a},
        {"tau", source->nv, function->reads_tau},
    };
    memcpy(list, all, sizeof all);
}

// (p, q, v, a, tau)
static void write_arguments(const argument *list, const lwi_emit_function *function,
                            const char *behind, lwi_text *out)
{
    const char *comma = "(";
    for (int i = 0; i < NARGUMENT; ++i) {
        if (list[i].is_there) {
            lwi_text_format(out, "%s%s", comma, list[i].name);
            comma = ", ";
        }
    }
    if (lwi_tape_has(function->tape, LWI_TIME)) {
        lwi_text_format(out, "%stime", comma);
    }
    for (int r = 0; r < function->nresult; ++r) {
        lwi_text_format(out, ", %s%s", function->result[r].name, behind);
    }
    lwi_text_add(out, ")\n");
}

static void write_once(const lwi_emit_source *source, const lwi_emit_function *function, int nkept,
                       const char *once, lwi_text *out)
{
    lwi_text_format(out,
                    "\n    ! What depends on parameters only, to be computed once.\n"
                    "    pure subroutine %s_once(p, k)\n",
                    function->name);
    declare(out, "in", "p", source->nparameter);
    declare(out, "out", "k", nkept);
    declare_locals(out, once);
    add_broken(out, once);
    lwi_text_add(out, "    end subroutine\n");
}

static lw_status write_function(const lwi_emit_source *source, const lwi_emit_function *function,
                                int *nkept, lwi_text *out)
{
    lwi_text once = {0}, body = {0};
    argument list[NARGUMENT];
    const lw_status status = lwi_emit_lines(function->tape, function->nresult, function->result,
                                            &syntax, &once, &body, nkept);
    use_parentheses(&once);
    use_parentheses(&body);
    if (status == LW_OK && *nkept > 0) {
        write_once(source, function, *nkept, once.at ? once.at : "", out);
    }
    if (status == LW_OK) {
        const lwi_counts *c = &function->counts;
        arguments_of(source, function, *nkept, list);
        lwi_text_add(out, "\n");
        lwi_emit_about(out, "    ! ", function);
        lwi_text_format(out,
                        "    ! Cost: %d multiplications, %d additions, %d divisions, %d square "
                        "roots, %d sines and cosines.\n    pure subroutine %s",
                        c->mul, c->add, c->div, c->sqrt, c->sincos, function->name);
        write_arguments(list, function, "", out);
        for (int i = 0; i < NARGUMENT; ++i) {
            if (list[i].is_there) {
                declare(out, "in", list[i].name, list[i].size);
            }
        }
        if (lwi_tape_has(function->tape, LWI_TIME)) {
            lwi_text_add(out, "    real(dp), intent(in) :: time\n");
        }
        for (int r = 0; r < function->nresult; ++r) {
            declare(out, "out", function->result[r].name, function->result[r].size);
        }
        declare_locals(out, body.at ? body.at : "");
        add_broken(out, body.at ? body.at : "");
        lwi_text_add(out, "    end subroutine\n");
    }
    lwi_text_free(&once);
    lwi_text_free(&body);
    return status;
}

// --- Head and self check ----------------------------------------------------------------------

static void write_names(lwi_text *out, const char *array, int n, const char *const *name,
                        const char *const *about)
{
    for (int i = 0; i < n; ++i) {
        lwi_text_format(out, "! %s(%d) ", array, i);
        lwi_emit_comment(out, name[i]);
        if (about && *about[i]) {
            lwi_text_format(out, ", %s", about[i]);
        }
        lwi_text_add(out, "\n");
    }
}

static void write_head(const lwi_emit_source *source, const char *prefix, const char *behind,
                       const char *origin, lwi_text *out)
{
    lwi_text_add(out, "! The mechanism ");
    lwi_emit_comment(out, source->machine);
    lwi_text_add(out, ", generated by linkwork " LW_VERSION ". Do not edit.\n");
    lwi_emit_origin(out, "!", origin);
    lwi_text_format(out,
                    "!\n! Options: %s.\n! %s\n! Fortran 2008. SI units, radians. Arrays begin "
                    "at 0; matrices are row by row.\n! No rights are claimed in generated "
                    "code.\n!\n",
                    source->options, source->about);
    write_names(out, "q", source->nq, source->position_name, source->position_unit);
    write_names(out, "v", source->nv, source->velocity_name, source->velocity_unit);
    write_names(out, "p", source->nparameter, source->parameter_name, source->parameter_about);
    for (int i = 0; i < source->nframe; ++i) {
        lwi_text_format(out, "! X(%d:%d) the pose of ", 12 * i, 12 * i + 11);
        lwi_emit_comment(out, source->frame_name[i]);
        lwi_text_add(out, "\n");
    }
    lwi_text_format(out,
                    "module %s%s\n"
                    "    implicit none\n"
                    "    private :: clamp, sign_of\n"
                    "    integer, parameter, private :: dp = kind(1.0d0)\n",
                    prefix, behind);
}

// "    real(dp), parameter :: name(0:5) = (/ ... /)", an array of numbers.
static void write_list(lwi_text *out, const char *name, const double *value, int n)
{
    lwi_text line = {0};
    lwi_text_format(&line, "    real(dp), parameter :: %s(0:%d) = (/ real(dp) :: ", name, n - 1);
    for (int i = 0; i < n; ++i) {
        lwi_text_add(&line, i > 0 ? ", " : "");
        lwi_emit_number(&line, value[i], "_dp");
    }
    lwi_text_add(&line, " /)");
    if (line.at) {
        add_broken(out, line.at);
    }
    out->is_short = out->is_short || line.is_short;
    lwi_text_free(&line);
}

static void check_function(const lwi_emit_source *source, const lwi_emit_function *function,
                           int nkept, lwi_text *out)
{
    argument list[NARGUMENT];
    arguments_of(source, function, nkept, list);
    lwi_text_add(out, "    block\n");
    for (int r = 0; r < function->nresult; ++r) {
        const lwi_emit_result *result = &function->result[r];
        lwi_text want = {0};
        lwi_text_format(&want, "%s_want", result->name);
        write_list(out, want.at ? want.at : "", result->want, result->size);
        lwi_text_format(out, "    real(dp) :: %s_got(0:%d)\n", result->name, result->size - 1);
        out->is_short = out->is_short || want.is_short;
        lwi_text_free(&want);
    }
    if (nkept > 0) {
        lwi_text_format(out, "    real(dp) :: k(0:%d)\n    call %s_once(p, k)\n", nkept - 1,
                        function->name);
    }
    lwi_text_format(out, "    call %s", function->name);
    write_arguments(list, function, "_got", out);
    for (int r = 0; r < function->nresult; ++r) {
        const char *name = function->result[r].name;
        lwi_text_format(out, "    if (size(%s_got) > 0) then\n", name);
        // Not by max(), which may drop a NaN.
        lwi_text_format(out, "    error = sum(abs(%s_got - %s_want)) / ", name, name);
        lwi_emit_number(out, function->result[r].scale, "_dp");
        lwi_text_add(out, "\n    if (.not. error <= worst) worst = error\n    end if\n");
    }
    lwi_text_add(out, "    end block\n");
}

static void write_self_check(const lwi_emit_source *source, const int *nkept, lwi_text *out)
{
    lwi_emit_array list[LWI_STATE_ARRAYS];
    lwi_emit_state(source, list);
    lwi_text_add(out, "\n    ! The largest relative error against known answers; good below 1e-9.\n"
                      "    function self_check() result(worst)\n"
                      "    real(dp), parameter :: time = 0.5_dp\n");
    for (int i = 0; i < LWI_STATE_ARRAYS; ++i) {
        if (list[i].value) { // of no positions too
            write_list(out, list[i].name, list[i].value, list[i].n);
        }
    }
    write_list(out, "p", source->parameter, source->nparameter);
    lwi_text_add(out, "    real(dp) :: worst, error\n    worst = 0\n");
    for (int i = 0; i < source->nfunction; ++i) {
        check_function(source, &source->function[i], nkept[i], out);
    }
    lwi_text_add(out, "    end function\n");
}

/// The functions with names of results that differ from those of arguments by more than case.
typedef struct renamed {
    lwi_emit_function function[LW_FUNCTION_COUNT];
    lwi_emit_result result[LW_FUNCTION_COUNT];
} renamed;

static lwi_emit_source rename_results(const lwi_emit_source *source, renamed *names)
{
    lwi_emit_source out = *source;
    lwi_emit_result *result = names->result;
    for (int i = 0; i < source->nfunction; ++i) {
        lwi_emit_function *function = &names->function[i];
        *function = source->function[i];
        for (int r = 0; r < function->nresult; ++r) {
            result[r] = function->result[r];
            if (strcmp(result[r].name, "Q") == 0 && !function->reads_pose) {
                result[r].output = result[r].name;
                result[r].name = "Q_out";
            }
        }
        function->result = result;
        result += function->nresult;
    }
    out.function = names->function;
    return out;
}

/// Whether something in the module has this name, which the module then cannot have.
static bool is_inside(const lwi_emit_source *source, const char *name)
{
    static const char *const own[] = {"dp", "clamp", "sign_of", "parameters", "self_check"};
    bool is_found = false;
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i) {
        is_found = is_found || strcmp(name, own[i]) == 0;
    }
    for (int i = 0; i < source->nfunction; ++i) {
        const char *function = source->function[i].name;
        const size_t length = strlen(function);
        is_found = is_found || (strncmp(name, function, length) == 0 &&
                                (!name[length] || strcmp(name + length, "_once") == 0));
    }
    return is_found;
}

lw_status lwi_emit_fortran(const lwi_emit_source *given, const lw_generate_options *options,
                           lwi_text *out)
{
    renamed names;
    const lwi_emit_source own = rename_results(given, &names), *source = &own;
    int nkept[LW_FUNCTION_COUNT] = {0};
    char prefix[LWI_IDENTIFIER_SIZE];
    lw_status status = LW_OK;
    lw_identifier(options->prefix ? options->prefix : source->machine, prefix, sizeof prefix);
    for (char *at = prefix; *at; ++at) {
        *at = (char)tolower((unsigned char)*at);
    }
    write_head(source, prefix, is_inside(source, prefix) ? "_module" : "", options->origin, out);
    if (source->nparameter > 0) {
        write_list(out, "parameters", source->parameter, source->nparameter);
    }
    lwi_text_format(out, "contains\n%s", helpers);
    for (int i = 0; i < source->nfunction && status == LW_OK; ++i) {
        status = write_function(source, &source->function[i], &nkept[i], out);
    }
    if (status == LW_OK) {
        write_self_check(source, nkept, out);
        lwi_text_add(out, "end module\n");
    }
    return status == LW_OK && out->is_short ? LW_ERR_MEMORY : status;
}
