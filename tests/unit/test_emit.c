// Code in C and Python from tapes made at random: compiled, run, recounted.

#include "check.h"
#include "compiled.h"

#include "emit/emit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NQ = 3,
    NINPUT = 3 * NQ,
    NNUMBER = 6,
    NLINE = 60,
    NVALUE = NINPUT + NNUMBER + NLINE,
    NOUT = 5
};

/// A tape with its values, computed here line by line.
typedef struct sample {
    lwi_symbol input[NINPUT];
    double number[NNUMBER];
    lwi_line line[NLINE];
    lwi_output output[NOUT];
    lwi_tape tape;
    double value[NVALUE];
    double want[NOUT + 1];
    lwi_emit_result result;
    lwi_counts counts;
} sample;

static const double state[3 * NQ] = {0.3, -0.7, 1.25, 0.5, 0.75, -1, 2, -0.5, 0.25};

static double value_of(const sample *s, uint32_t ref)
{
    const double value = s->value[ref >> 1];
    return (ref & 1) != 0 ? -value : value;
}

static double run_line(const sample *s, const lwi_line *line)
{
    return lwi_apply(line->op, value_of(s, line->a), value_of(s, line->b));
}

static uint32_t pick(int end)
{
    return 2 * (uint32_t)check_random(0, end) + (uint32_t)check_random(0, 2);
}

// Mostly additions and multiplications; results stay moderate because every tenth line is bounded.
static lwi_line random_line(const sample *s, int i)
{
    const int end = NINPUT + NNUMBER + i;
    const int kind = (int)check_random(0, 20);
    lwi_line line = {kind < 8 ? LWI_OP_ADD : LWI_OP_MUL, pick(end), pick(end)};
    if (i % 10 == 9) {
        line = (lwi_line){LWI_OP_TANH, pick(end), 0};
    } else if (kind == 16) {
        line = (lwi_line){LWI_OP_SIN, pick(NQ), 0};
    } else if (kind == 17) {
        line = (lwi_line){LWI_OP_COS, pick(NQ), 0};
    } else if (kind == 18) {
        line.op = LWI_OP_ATAN2;
    } else if (kind == 19 && fabs(value_of(s, line.b)) > 0.1) {
        line.op = LWI_OP_DIV;
    } else if (i == 30) {
        line = (lwi_line){LWI_OP_SIGN, pick(end), 0};
    } else if (i == 31) {
        line = (lwi_line){LWI_OP_CLAMP, pick(end), 0};
    } else if (i > 20 && value_of(s, line.a) > 0) {
        line = i % 7 == 3 ? (lwi_line){LWI_OP_SQRT, line.a, 0} : line;
    }
    return line;
}

// Only lines that outputs hang on are counted, as the emitter writes no others; and none that hang
// on numbers only, which are numbers too.
static void count_lines(sample *s)
{
    bool is_live[NVALUE] = {false}, is_constant[NVALUE] = {false};
    for (int i = NINPUT; i < NVALUE; ++i) {
        const lwi_line *line = &s->line[i < NINPUT + NNUMBER ? 0 : i - NINPUT - NNUMBER];
        const bool is_binary = line->op <= LWI_OP_DIV;
        is_constant[i] =
            i < NINPUT + NNUMBER || (line->op <= LWI_OP_SQRT && is_constant[line->a >> 1] &&
                                     (!is_binary || is_constant[line->b >> 1]));
    }
    s->counts = (lwi_counts){0};
    for (int i = 0; i < NOUT; ++i) {
        is_live[s->output[i].value >> 1] = true;
    }
    for (int i = NLINE - 1; i >= 0; --i) {
        const lwi_line *line = &s->line[i];
        if (!is_live[NINPUT + NNUMBER + i] || is_constant[NINPUT + NNUMBER + i]) {
            continue;
        }
        is_live[line->a >> 1] = true;
        is_live[line->b >> 1] =
            is_live[line->b >> 1] || line->op <= LWI_OP_DIV || line->op == LWI_OP_ATAN2;
        s->counts.add += line->op == LWI_OP_ADD;
        s->counts.mul += line->op == LWI_OP_MUL;
        s->counts.div += line->op == LWI_OP_DIV;
        s->counts.sqrt += line->op == LWI_OP_SQRT;
        s->counts.sincos += line->op == LWI_OP_SIN || line->op == LWI_OP_COS;
        s->counts.other += line->op > LWI_OP_COS;
    }
}

static void make_sample(sample *s, unsigned seed)
{
    static const lwi_symbol_kind kind[3] = {LWI_POSITION, LWI_VELOCITY, LWI_ACCELERATION};
    check_seed(seed);
    *s = (sample){0};
    for (int i = 0; i < NINPUT; ++i) {
        s->input[i] = (lwi_symbol){"x", kind[i / NQ], i % NQ};
        s->value[i] = state[i];
    }
    for (int i = 0; i < NNUMBER; ++i) {
        s->number[i] = check_random(-2, 2);
        s->value[NINPUT + i] = s->number[i];
    }
    for (int i = 0; i < NLINE; ++i) {
        s->line[i] = random_line(s, i);
        s->value[NINPUT + NNUMBER + i] = run_line(s, &s->line[i]);
    }
    for (int i = 0; i < NOUT; ++i) {
        const int from = i == 0 ? NINPUT : NVALUE - 8; // the first may be a number
        s->output[i] = (lwi_output){"tau", i, 2 * (uint32_t)(from + i) + (uint32_t)(i % 2)};
        s->want[i] = value_of(s, s->output[i].value);
    }
    s->tape = (lwi_tape){.ninput = NINPUT,
                         .nnumber = NNUMBER,
                         .nline = NLINE,
                         .noutput = NOUT,
                         .input = s->input,
                         .number = s->number,
                         .line = s->line,
                         .output = s->output};
    count_lines(s);
}

static const char *const plain_names[NQ] = {"shoulder", "elbow", "wrist"};

// The source of a file around one function, of one result more than there are outputs.
static lwi_emit_source source_of(sample *s, lwi_emit_function *f)
{
    s->result = (lwi_emit_result){
        .name = "tau", .about = "Something.", .size = NOUT + 1, .want = s->want, .scale = 1};
    for (int i = 0; i < NOUT; ++i) {
        s->result.scale = fmax(s->result.scale, fabs(s->want[i]));
    }
    *f = (lwi_emit_function){.name = "inverse_dynamics",
                             .nresult = 1,
                             .result = &s->result,
                             .reads_v = true,
                             .reads_a = true,
                             .counts = s->counts,
                             .tape = &s->tape};
    return (lwi_emit_source){.machine = "arm",
                             .about = "Nothing.",
                             .options = "none",
                             .nq = NQ,
                             .nv = NQ,
                             .position_name = plain_names,
                             .velocity_name = plain_names,
                             .nfunction = 1,
                             .function = f,
                             .q = state,
                             .v = state + NQ,
                             .a = state + 2 * NQ,
                             .tau = state};
}

static char folder[64];

static void check_compiled(const char *compiler, const char *flags, const char *text,
                           const char *tolerance)
{
    if (!compiled_has(compiler)) {
        check_skip("%s is not installed", compiler);
        return;
    }
    compiled_self_check(folder, compiler, flags, text, tolerance);
}

static void check_kinds(const char *compiler)
{
    static const struct {
        lw_generate_options options;
        const char *flags, *tolerance;
    } kinds[] = {
        {{.lanes = 1}, "-O2 -Wpedantic", "1e-9"},
        {{.lanes = 1, .sincos = LW_SINCOS_INLINE}, "-O2 -Wpedantic", "1e-9"},
        {{.lanes = 1, .real = LW_REAL_FLOAT}, "-O2 -Wpedantic -Wdouble-promotion", "1e-3f"},
        {{.lanes = 1, .real = LW_REAL_FLOAT, .sincos = LW_SINCOS_INLINE}, "-O1", "1e-3f"},
        {{.lanes = 4, .sincos = LW_SINCOS_INLINE}, "-O2", "1e-9"},
        {{.lanes = 16, .real = LW_REAL_FLOAT, .sincos = LW_SINCOS_INLINE}, "-O1", "1e-3f"},
    };
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        sample s;
        lwi_emit_function f;
        lwi_text text = {0};
        make_sample(&s, 7 + k);
        const lwi_emit_source source = source_of(&s, &f);
        check_case("%s, kind %u", compiler, k);
        CHECK_INT(lwi_emit_c(&source, &kinds[k].options, NULL, &text), LW_OK);
        // Vectors go by value between inlined functions; gcc notes that their passing in
        // registers would change with the processor.
        char flags[128];
        snprintf(flags, sizeof flags, "%s%s", kinds[k].flags,
                 kinds[k].options.lanes > 1 ? " -Wno-psabi" : "");
        check_compiled(compiler, flags, text.at, kinds[k].tolerance);
        lwi_text_free(&text);
    }
}

TEST(K20_emitted_C_is_clean_and_right_under_gcc)
{
    check_kinds("gcc");
}

TEST(K20_emitted_C_is_clean_and_right_under_clang)
{
    check_kinds("clang-14");
}

TEST(V25_emitted_Python_is_right)
{
    if (!compiled_has("python3")) {
        check_skip("python3 is not installed");
        return;
    }
    for (unsigned seed = 1; seed <= 3; ++seed) {
        sample s;
        lwi_emit_function f;
        lwi_text text = {0};
        make_sample(&s, seed);
        const lwi_emit_source source = source_of(&s, &f);
        const lw_generate_options options = {.language = LW_LANGUAGE_PYTHON, .lanes = 1};
        CHECK_INT(lwi_emit_script(&source, &options, NULL, &text), LW_OK);
        CHECK(compiled_write(folder, "arm.py", text.at));
        if (!CHECK_INT(compiled_run(folder, "python3 -B -W error -c 'import arm, sys; "
                                            "sys.exit(not arm.self_check() < 1e-9)'"),
                       0)) {
            compiled_show_log(folder);
        }
        lwi_text_free(&text);
    }
}

// As the file promises; also where a result is an input, or an input's sum with something.
TEST(results_may_lie_where_the_inputs_do)
{
    for (unsigned seed = 1; seed <= 8; ++seed) {
        sample s;
        lwi_emit_function f;
        lwi_text text = {0};
        make_sample(&s, seed);
        s.output[0].value = 2 * NQ + 2;                                       // v[1]
        s.line[NLINE - 8] = (lwi_line){LWI_OP_ADD, 2 * (NINPUT - 1), 2 * NQ}; // a[2] + v[0]
        s.output[1].value = 2 * (NVALUE - 8);
        for (int i = NLINE - 8; i < NLINE; ++i) {
            s.value[NINPUT + NNUMBER + i] = run_line(&s, &s.line[i]);
        }
        const lwi_emit_source source = source_of(&s, &f);
        const lw_generate_options options = {.lanes = 1, .sincos = LW_SINCOS_INLINE};
        check_case("seed %u", seed);
        CHECK_INT(lwi_emit_c(&source, &options, NULL, &text), LW_OK);
        CHECK(compiled_write(folder, "arm.h", text.at));
        CHECK(compiled_write(
            folder, "arm.c",
            "#include \"arm.h\"\n#include <string.h>\n"
            "static const double state[9] = {0.3, -0.7, 1.25, 0.5, 0.75, -1, 2, -0.5, 0.25};\n"
            "int main(void)\n{\n    double want[6];\n    int bad = 0;\n"
            "    arm_inverse_dynamics(state, state + 3, state + 6, want);\n"
            "    for (int i = 0; i < 4; ++i) {\n        double x[15];\n"
            "        memcpy(x, state, sizeof state);\n"
            "        arm_inverse_dynamics(x, x + 3, x + 6, x + 2 * i);\n"
            "        bad |= memcmp(x + 2 * i, want, sizeof want);\n    }\n"
            "    return bad != 0;\n}\n"));
        // One order of rounding for both calls.
        if (!CHECK_INT(compiled_run(folder, "gcc -std=c99 -O1 -ffp-contract=off -o arm arm.c -lm "
                                            "&& ./arm"),
                       0)) {
            compiled_show_log(folder);
        }
        lwi_text_free(&text);
    }
}

static void check_counts(const char *text, const char *head, const lwi_counts *want)
{
    lw_counts counts;
    CHECK(compiled_recount(text, head, &counts));
    CHECK_INT(counts.mul, want->mul);
    CHECK_INT(counts.add, want->add);
    CHECK_INT(counts.div, want->div);
    CHECK_INT(counts.sqrt, want->sqrt);
    CHECK_INT(counts.sincos, want->sincos);
    CHECK_INT(counts.other, want->other);
}

TEST(operations_recounted_from_the_text)
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        sample s;
        lwi_emit_function f;
        lwi_text c = {0}, python = {0};
        make_sample(&s, seed);
        const lwi_emit_source source = source_of(&s, &f);
        const lw_generate_options options = {.lanes = 1};
        const lw_generate_options script = {.language = LW_LANGUAGE_PYTHON, .lanes = 1};
        check_case("seed %u", seed);
        CHECK_INT(lwi_emit_c(&source, &options, NULL, &c), LW_OK);
        CHECK_INT(lwi_emit_script(&source, &script, NULL, &python), LW_OK);
        check_counts(c.at, "arm_inverse_dynamics(", &s.counts);
        check_counts(python.at, "def inverse_dynamics(", &s.counts);
        lwi_text_free(&c);
        lwi_text_free(&python);
    }
}

// Every number of the body, changed by a part in a thousand, must be noticed.
TEST(self_check_fails_when_a_number_is_changed)
{
    sample s;
    lwi_emit_function f;
    lwi_text text = {0};
    // One number that matters by its size.
    make_sample(&s, 3);
    for (int i = 0; i < NLINE; ++i) {
        s.line[i] =
            (lwi_line){LWI_OP_MUL, 2 * NINPUT, 2 * (uint32_t)(i == 0 ? 0 : NINPUT + NNUMBER)};
        s.value[NINPUT + NNUMBER + i] = run_line(&s, &s.line[i]);
    }
    s.number[0] = 1.5;
    s.value[NINPUT] = 1.5;
    for (int i = 0; i < NLINE; ++i) {
        s.value[NINPUT + NNUMBER + i] = run_line(&s, &s.line[i]);
    }
    for (int i = 0; i < NOUT; ++i) {
        s.want[i] = value_of(&s, s.output[i].value);
    }
    const lwi_emit_source source = source_of(&s, &f);
    const lw_generate_options options = {.lanes = 1};
    CHECK_INT(lwi_emit_c(&source, &options, NULL, &text), LW_OK);
    check_compiled("gcc", "-O1", text.at, "1e-9");
    char *number = strstr(strstr(text.at, "_inverse_dynamics("), "1.5 *");
    CHECK(number != NULL);
    if (number) {
        number[2] = '6';
        CHECK(compiled_write(folder, "arm.h", text.at));
        CHECK_INT(compiled_run(folder, "gcc -std=c99 -o arm arm.c -lm"), 0);
        CHECK_INT(compiled_run(folder, "./arm"), 1);
    }
    lwi_text_free(&text);
}

TEST(names_of_any_kind_harm_nobody)
{
    static const char *const names[NQ] = {"x; system(\"touch harm\")", "x; system('touch harm')",
                                          "\xe8\x82\xa9\\"};
    static const char *const machines[] = {
        "*/ int main(void) { system(\"touch harm\"); } /*",
        "a\nimport os\nos.system('touch harm')\n",
        "\"\"\"\nharm?\?/",
        "",
        "\xff\xfe\x80",
        "int",
        "\xe2\x80\xae reversed \xe2\x80\xac",
        "123",
    };
    for (unsigned k = 0; k < sizeof machines / sizeof *machines; ++k) {
        sample s;
        lwi_emit_function f;
        lwi_text c = {0}, python = {0};
        make_sample(&s, 1);
        lwi_emit_source source = source_of(&s, &f);
        source.machine = machines[k];
        source.position_name = names;
        source.velocity_name = names;
        lw_generate_options options = {.lanes = 1};
        CHECK_INT(lwi_emit_c(&source, &options, NULL, &c), LW_OK);
        check_case("machine %u", k);
        CHECK(compiled_write(folder, "arm.h", c.at));
        CHECK(
            compiled_write(folder, "arm.c", "#include \"arm.h\"\nint main(void) { return 0; }\n"));
        if (!CHECK_INT(compiled_run(folder, "gcc " COMPILED_STRICT " -Wpedantic -o arm arm.c -lm"
                                            " && ./arm && ! test -e harm"),
                       0)) {
            compiled_show_log(folder);
        }
        options.language = LW_LANGUAGE_PYTHON;
        CHECK_INT(lwi_emit_script(&source, &options, NULL, &python), LW_OK);
        CHECK(compiled_write(folder, "arm.py", python.at));
        if (compiled_has("python3") &&
            !CHECK_INT(compiled_run(folder, "python3 -B -c 'import arm' && ! test -e harm"), 0)) {
            compiled_show_log(folder);
        }
        lwi_text_free(&c);
        lwi_text_free(&python);
    }
}

TEST(identifiers_are_different_and_safe)
{
    static const char *const names[] = {"a b", "a_b", "a-b", "7", "_x", "", "\xc3\xa9", "a b"};
    char id[8][LWI_IDENTIFIER_SIZE];
    CHECK_INT(lwi_emit_identifiers(8, names, id), LW_OK);
    CHECK_TEXT(id[0], "a_b");
    CHECK_TEXT(id[1], "a_b_2");
    CHECK_TEXT(id[2], "a_b_3");
    CHECK_TEXT(id[3], "m7");
    CHECK_TEXT(id[6], "m_u00e9");
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < i; ++k) {
            CHECK(strcmp(id[i], id[k]) != 0);
        }
        CHECK(strspn(id[i], "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(id[i]));
    }
    char room[LWI_IDENTIFIER_SIZE];
    lw_identifier("a name that is a good deal longer than any identifier may be", room,
                  sizeof room);
    CHECK(strlen(room) < sizeof room);
}

TEST(numbers_beyond_float_are_refused)
{
    sample s;
    lwi_emit_function f;
    lwi_text text = {0};
    make_sample(&s, 1);
    s.number[2] = 1e300;
    const lwi_emit_source source = source_of(&s, &f);
    const lw_generate_options options = {.lanes = 1, .real = LW_REAL_FLOAT};
    CHECK_INT(lwi_emit_c(&source, &options, NULL, &text), LW_ERR_NUMBER);
    lwi_text_free(&text);
}

// 4e-16 for double as the file says: against long double over angles of all sizes it promises.
// One sum, 5 c + x, or its root; what it has left is what float can see.
static int lines_left(lwi_symbol_kind kind, double number, bool is_squared, bool has_root)
{
    const lwi_symbol input[] = {{"q", LWI_COSINE, 0}, {"x", kind, 0}};
    const double numbers[] = {5, number};
    const lwi_line line[] = {{LWI_OP_MUL, 0, 4},
                             {LWI_OP_MUL, 2, is_squared ? 2 : 6},
                             {LWI_OP_MUL, 10, 6},
                             {LWI_OP_ADD, 8, is_squared ? 13 : 11},
                             {LWI_OP_SQRT, 14, 0}};
    const lwi_output output = {"tau", 0, has_root ? 16 : 14};
    const lwi_tape tape = {.ninput = 2,
                           .nnumber = 2,
                           .nline = has_root ? 5 : 4,
                           .noutput = 1,
                           .input = input,
                           .number = numbers,
                           .line = line,
                           .output = &output};
    lwi_arena arena = {0};
    lwi_tape out;
    CHECK_INT(lwi_emit_round(&arena, &tape, &out), LW_OK);
    CHECK_INT(out.nnumber, out.nline > 1 ? 2 : 1);
    CHECK(out.output[0].value >> 1 == (uint32_t)(2 + out.nnumber + out.nline - 1));
    const int n = out.nline;
    lwi_arena_free(&arena);
    return n;
}

TEST(V05_float_leaves_out_what_it_cannot_see_and_nothing_else)
{
    CHECK_INT(lines_left(LWI_SINE, 1e-7, false, false), 1); // below 5 * 2^-25 = 1.49e-7
    CHECK_INT(lines_left(LWI_SINE, 2e-7, false, false), 3);
    CHECK_INT(lines_left(LWI_SINE, -1e-7, false, false), 1);
    CHECK_INT(lines_left(LWI_SINE, 1e-7, false, true), 4); // a root may be of little
    CHECK_INT(lines_left(LWI_PARAMETER, 1e-30, false, false), 3);
    CHECK_INT(lines_left(LWI_POSITION, 1e-30, false, false), 3);
    CHECK_INT(lines_left(LWI_ACCELERATION, 1e-9, false, false), 3); // seen at 1000 rad/s^2
    CHECK_INT(lines_left(LWI_ACCELERATION, 1e-11, false, false), 1);
    CHECK_INT(lines_left(LWI_VELOCITY, 1e-11, false, false), 1);
    CHECK_INT(lines_left(LWI_VELOCITY, 1e-11, true, false), 4); // 1e6 of the square
    CHECK_INT(lines_left(LWI_VELOCITY, 1e-14, true, false), 1);
}

TEST(own_sine_and_cosine_keep_the_stated_error)
{
    lwi_text text = {0};
    lwi_text_add(&text, "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                        "\n");
    lwi_emit_sincos(&text, "m", "double", false, 1);
    lwi_emit_sincos_many(&text, "m", "double", false, true, true, true);
    lwi_text_add(&text,
                 "int main(void)\n{\n    long double worst = 0;\n    srand(1);\n"
                 "    for (int i = 0; i < 2000000; ++i) {\n"
                 "        const double size = i % 3 == 0 ? 1.6 : i % 3 == 1 ? 10 : 1.6e6;\n"
                 "        const double x = size * (2.0 * rand() / RAND_MAX - 1);\n"
                 "        m_pair r = m_sincos(x);\n"
                 "        const double y[4] = {0, x, 1, 2};\n"
                 "        double s[4], c[4];\n"
                 "        if (i % 5 == 0) {\n"
                 "            m_sincos4(y, s, c);\n"
                 "        } else if (i % 5 == 1) {\n"
                 "            m_sincos2(y, s, c);\n"
                 "        }\n"
                 "        if (i % 5 < 2) {\n"
                 "            r.s = s[1];\n            r.c = c[1];\n        }\n"
                 "        const long double es = fabsl(r.s - sinl(x)), ec = fabsl(r.c - cosl(x));\n"
                 "        worst = es > worst ? es : worst;\n"
                 "        worst = ec > worst ? ec : worst;\n"
                 "    }\n    printf(\"%Lg\\n\", worst);\n    return worst < 4e-16L ? 0 : 1;\n}\n");
    CHECK(compiled_write(folder, "own.c", text.at));
    static const char *const flags[] = {"-O2", "-O2 -mfma -ffp-contract=fast", "-O2 -mavx"};
    for (int k = 0; k < 3; ++k) {
        check_case("flags %s", flags[k]);
        if (!compiled_has("gcc") ||
            compiled_run(folder, "gcc -std=c99 %s -o own own.c -lm", flags[k]) != 0) {
            check_skip("no gcc that knows %s", flags[k]);
        } else if (!CHECK_INT(compiled_run(folder, "./own"), 0)) {
            compiled_show_log(folder);
        }
    }
    lwi_text_free(&text);
}

int main(void)
{
    if (!compiled_folder(folder)) {
        return 1;
    }
    RUN(K20_emitted_C_is_clean_and_right_under_gcc);
    RUN(K20_emitted_C_is_clean_and_right_under_clang);
    RUN(V25_emitted_Python_is_right);
    RUN(results_may_lie_where_the_inputs_do);
    RUN(operations_recounted_from_the_text);
    RUN(self_check_fails_when_a_number_is_changed);
    RUN(names_of_any_kind_harm_nobody);
    RUN(identifiers_are_different_and_safe);
    RUN(numbers_beyond_float_are_refused);
    RUN(V05_float_leaves_out_what_it_cannot_see_and_nothing_else);
    RUN(own_sine_and_cosine_keep_the_stated_error);
    compiled_remove(folder);
    return REPORT();
}
