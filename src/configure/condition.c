// Evaluates a condition: operators by precedence on two stacks (Dijkstra's shunting yard), truth
// values after Kleene, with unknown beside true and false.

#include "condition.h"

#include "../base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 24, MOST_OPERATORS = 32 };

typedef enum operation {
    OP_OR,
    OP_AND,
    OP_NOT,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_AT_MOST,
    OP_GREATER,
    OP_AT_LEAST,
    OP_IN,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MINUS,
    OP_OPEN,
    OP_CALL, ///< an open parenthesis that a function stands before
    OP_NONE
} operation;

static const int precedence[] = {1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 5, 5, 6, 6, 7, 0, 0, 0};

typedef struct machine {
    lwi_context *context;
    lwi_result value[MOST_VALUES];
    int nvalue;
    struct {
        operation what;
        int function, narg;
    } stack[MOST_OPERATORS];
    int nstack;
    const char *begin, *at;
    bool wants_value; ///< an operand comes next
    bool failed;
} machine;

static bool fail(machine *m, const char *what, const char *which, int length)
{
    if (!m->failed) {
        snprintf(m->context->message, sizeof m->context->message, "%.80s%.*s", what,
                 length < 60 ? length : 60, which);
        m->context->column = (int)(m->at - m->begin);
        m->failed = true;
    }
    return false;
}

static bool push(machine *m, lwi_result value)
{
    if (m->nvalue == MOST_VALUES) {
        return fail(m, "the condition is too long", "", 0);
    }
    m->value[m->nvalue++] = value;
    return true;
}

static lwi_result truth(bool is_true)
{
    return (lwi_result){.kind = LWI_TRUTH, .number = is_true ? 1.0 : 0.0};
}

static bool is_truth(const lwi_result *r)
{
    return r->kind == LWI_TRUTH || r->kind == LWI_UNKNOWN;
}

static bool is_number(const lwi_result *r)
{
    return r->kind == LWI_NUMBER || r->kind == LWI_UNKNOWN;
}

// --- Operators --------------------------------------------------------------------------------

static bool same_words(const lwi_result *a, const lwi_result *b)
{
    return a->length == b->length && memcmp(a->words, b->words, (size_t)a->length) == 0;
}

// Whether the first is one of the words of the second.
static bool is_word_in(const lwi_result *a, const lwi_result *b)
{
    for (int i = 0; i < b->length;) {
        int end = i;
        while (end < b->length && b->words[end] != ' ') {
            ++end;
        }
        const lwi_result one = {LWI_WORDS, 0.0, b->words + i, end - i};
        if (end > i && same_words(a, &one)) {
            return true;
        }
        i = end + 1;
    }
    return false;
}

static bool compare_words(machine *m, operation what, const lwi_result *a, const lwi_result *b,
                          lwi_result *out)
{
    if (a->kind == LWI_UNKNOWN || b->kind == LWI_UNKNOWN) {
        *out = (lwi_result){LWI_UNKNOWN, 0, "", 0};
        return true;
    }
    if (a->kind != LWI_WORDS || b->kind != LWI_WORDS) {
        return fail(m, "a text is compared with a number", "", 0);
    }
    *out = truth(what == OP_IN      ? is_word_in(a, b)
                 : what == OP_EQUAL ? same_words(a, b)
                                    : !same_words(a, b));
    return true;
}

static lwi_result compute(operation what, double a, double b)
{
    switch (what) {
    case OP_EQUAL:
        return truth(a == b);
    case OP_UNEQUAL:
        return truth(a != b);
    case OP_LESS:
        return truth(a < b);
    case OP_AT_MOST:
        return truth(a <= b);
    case OP_GREATER:
        return truth(a > b);
    case OP_AT_LEAST:
        return truth(a >= b);
    case OP_ADD:
        return (lwi_result){.kind = LWI_NUMBER, .number = a + b};
    case OP_SUB:
        return (lwi_result){.kind = LWI_NUMBER, .number = a - b};
    case OP_MUL:
        return (lwi_result){.kind = LWI_NUMBER, .number = a * b};
    default: // nothing is known of a quotient by zero
        return (lwi_result){.kind = b == 0.0 ? LWI_UNKNOWN : LWI_NUMBER,
                            .number = b == 0.0 ? 0.0 : a / b};
    }
}

static bool connect_truths(machine *m, operation what, const lwi_result *a, const lwi_result *b,
                           lwi_result *out)
{
    if (!is_truth(a) || !is_truth(b)) {
        return fail(m, "and, or and not connect comparisons", "", 0);
    }
    // One false decides "and", one true decides "or", whatever the other is.
    const double decides = what == OP_OR ? 1.0 : 0.0;
    const bool known = a->kind == LWI_TRUTH && b->kind == LWI_TRUTH;
    if ((a->kind == LWI_TRUTH && a->number == decides) ||
        (b->kind == LWI_TRUTH && b->number == decides)) {
        *out = truth(decides != 0.0);
    } else {
        *out = known ? truth(decides == 0.0) : (lwi_result){LWI_UNKNOWN, 0, "", 0};
    }
    return true;
}

static bool apply(machine *m, operation what)
{
    const int needs = what == OP_NOT || what == OP_MINUS ? 1 : 2;
    if (m->nvalue < needs) {
        return fail(m, "an operand is missing", "", 0);
    }
    const lwi_result b = m->value[--m->nvalue];
    lwi_result out = {LWI_UNKNOWN, 0, "", 0};
    if (needs == 1) {
        if (what == OP_NOT ? !is_truth(&b) : !is_number(&b)) {
            return fail(m, "and, or and not connect comparisons", "", 0);
        }
        if (b.kind != LWI_UNKNOWN) {
            out = what == OP_NOT ? truth(b.number == 0.0)
                                 : (lwi_result){.kind = LWI_NUMBER, .number = -b.number};
        }
        return push(m, out);
    }
    const lwi_result a = m->value[--m->nvalue];
    const bool has_words = a.kind == LWI_WORDS || b.kind == LWI_WORDS;
    bool is_good = true;
    if (what == OP_AND || what == OP_OR) {
        is_good = connect_truths(m, what, &a, &b, &out);
    } else if (what == OP_IN || (has_words && (what == OP_EQUAL || what == OP_UNEQUAL))) {
        is_good = compare_words(m, what, &a, &b, &out);
    } else if (!is_number(&a) || !is_number(&b)) {
        is_good = fail(m, "a number is missing beside an operator", "", 0);
    } else if (a.kind == LWI_NUMBER && b.kind == LWI_NUMBER) {
        out = compute(what, a.number, b.number);
    }
    return is_good && push(m, out);
}

// --- Stacks -----------------------------------------------------------------------------------

static bool call(machine *m)
{
    const int n = m->stack[m->nstack - 1].narg, function = m->stack[m->nstack - 1].function;
    lwi_result out;
    if (m->nvalue < n || !lwi_call(m->context, function, n, &m->value[m->nvalue - n], &out)) {
        return fail(m, "wrong arguments of ", lwi_function_name_at(function),
                    (int)strlen(lwi_function_name_at(function)));
    }
    m->nvalue -= n;
    return push(m, out);
}

// Applies operators down to the open parenthesis.
static bool close_parenthesis(machine *m, bool is_end)
{
    while (m->nstack > 0 && m->stack[m->nstack - 1].what < OP_OPEN) {
        if (!apply(m, m->stack[--m->nstack].what)) {
            return false;
        }
    }
    if (is_end) {
        return m->nstack == 0 || fail(m, "a parenthesis is not closed", "", 0);
    }
    return m->nstack > 0 || fail(m, "a parenthesis is not opened", "", 0);
}

static bool push_operator(machine *m, operation what, int function)
{
    const bool is_prefix = what == OP_NOT || what == OP_MINUS || what >= OP_OPEN;
    while (!is_prefix && m->nstack > 0 && m->stack[m->nstack - 1].what < OP_OPEN &&
           precedence[m->stack[m->nstack - 1].what] >= precedence[what]) {
        if (!apply(m, m->stack[--m->nstack].what)) {
            return false;
        }
    }
    if (m->nstack == MOST_OPERATORS) {
        return fail(m, "the condition is too long", "", 0);
    }
    m->stack[m->nstack].what = what;
    m->stack[m->nstack].function = function;
    m->stack[m->nstack].narg = 1;
    ++m->nstack;
    m->wants_value = true;
    return true;
}

// --- Tokens -----------------------------------------------------------------------------------

static const struct {
    const char *text;
    operation what;
    bool is_word;
} operators[] = {{"and", OP_AND, true},      {"or", OP_OR, true},       {"in", OP_IN, true},
                 {"==", OP_EQUAL, false},    {"!=", OP_UNEQUAL, false}, {"<=", OP_AT_MOST, false},
                 {">=", OP_AT_LEAST, false}, {"<", OP_LESS, false},     {">", OP_GREATER, false},
                 {"+", OP_ADD, false},       {"-", OP_SUB, false},      {"*", OP_MUL, false},
                 {"/", OP_DIV, false}};

static size_t name_length(const char *at)
{
    return strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
}

static operation operator_at(const char *at, size_t *length)
{
    const size_t name = name_length(at);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; ++i) {
        *length = strlen(operators[i].text);
        if (strncmp(at, operators[i].text, *length) == 0 &&
            (!operators[i].is_word || name == *length)) {
            return operators[i].what;
        }
    }
    return OP_NONE;
}

static bool read_literal(machine *m)
{
    if (*m->at == '\'' || *m->at == '"') {
        const char *end = strchr(m->at + 1, *m->at);
        if (!end) {
            return fail(m, "a text is not closed", "", 0);
        }
        const lwi_result words = {LWI_WORDS, 0.0, m->at + 1, (int)(end - m->at - 1)};
        m->at = end + 1;
        return push(m, words);
    }
    lwi_result number = {.kind = LWI_NUMBER};
    size_t length = strspn(m->at, "0123456789.");
    if (m->at[length] == 'e' || m->at[length] == 'E') {
        length += 1 + strspn(m->at + length + 1, "+-");
        length += strspn(m->at + length, "0123456789");
    }
    if (!lwi_parse_double(m->at, length, &number.number)) {
        return fail(m, "not a number: ", m->at, (int)length);
    }
    m->at += length;
    return push(m, number);
}

// given(path), known(path), component(path, k): they take a path, not its value.
static bool read_of_path(machine *m, int function)
{
    const char *at = m->at + 1;
    at += strspn(at, " ");
    const size_t length = name_length(at);
    int k = 1;
    const char *end = at + length;
    end += strspn(end, " ");
    if (*end == ',') {
        end += 1 + strspn(end + 1, " ");
        k = *end - '0';
        end += *end ? 1 + strspn(end + 1, " ") : 0;
    }
    lwi_result out;
    if (*end != ')' || !lwi_call_of_path(m->context, function, at, length, k, &out)) {
        return fail(m, "no field ", at, (int)length);
    }
    m->at = end + 1;
    return push(m, out);
}

static bool read_name(machine *m)
{
    const size_t length = name_length(m->at);
    const char *name = m->at;
    if (length == 0) {
        return fail(m, "not understood: ", m->at, 1);
    }
    m->at += length;
    if (length == 3 && memcmp(name, "not", 3) == 0) {
        return push_operator(m, OP_NOT, 0);
    }
    m->at += strspn(m->at, " ");
    if (*m->at == '(') {
        const int function = lwi_find_function(name, length);
        if (function < 0) {
            m->at = name;
            return fail(m, "no function ", name, (int)length);
        }
        m->wants_value = false;
        if (lwi_takes_path(function)) {
            return read_of_path(m, function);
        }
        ++m->at;
        return push_operator(m, OP_CALL, function);
    }
    lwi_result value;
    if (!lwi_read_path(m->context, name, length, &value)) {
        m->at = name;
        return fail(m, "no field ", name, (int)length);
    }
    m->wants_value = false;
    return push(m, value);
}

static bool read_operand(machine *m)
{
    if (*m->at == '(') {
        ++m->at;
        return push_operator(m, OP_OPEN, 0);
    }
    if (*m->at == '-') {
        ++m->at;
        return push_operator(m, OP_MINUS, 0);
    }
    if (*m->at == '\'' || *m->at == '"' || (*m->at >= '0' && *m->at <= '9') || *m->at == '.') {
        m->wants_value = false;
        return read_literal(m);
    }
    return read_name(m);
}

static bool read_operator(machine *m)
{
    size_t length;
    if (*m->at == ')' || *m->at == ',') {
        if (!close_parenthesis(m, false)) {
            return false;
        }
        const bool is_call = m->stack[m->nstack - 1].what == OP_CALL;
        if (*m->at == ',') {
            m->stack[m->nstack - 1].narg += is_call;
            ++m->at;
            m->wants_value = true;
            return is_call || fail(m, "a comma outside of a function", "", 0);
        }
        ++m->at;
        if (is_call && !call(m)) {
            return false;
        }
        --m->nstack;
        return true;
    }
    const operation what = operator_at(m->at, &length);
    if (what == OP_NONE) {
        return fail(m, "an operator is missing before ", m->at, (int)strcspn(m->at, " "));
    }
    m->at += length;
    return push_operator(m, what, 0);
}

bool lwi_evaluate(lwi_context *context, const char *condition, lwi_result *result)
{
    machine m = {.context = context, .begin = condition, .at = condition, .wants_value = true};
    context->message[0] = '\0';
    context->column = 0;
    if (strlen(condition) >= LWI_SPEC_CONDITION) {
        return fail(&m, "the condition is too long", "", 0);
    }
    for (m.at += strspn(m.at, " \t\n"); *m.at; m.at += strspn(m.at, " \t\n")) {
        if (m.wants_value ? !read_operand(&m) : !read_operator(&m)) {
            return false;
        }
    }
    if (m.wants_value) {
        return fail(&m, "an operand is missing at the end", "", 0);
    }
    if (!close_parenthesis(&m, true)) {
        return false;
    }
    *result = m.value[0];
    return m.nvalue == 1 || fail(&m, "an operator is missing", "", 0);
}
