// Evaluations without any timing, for a tool that counts instructions.
#ifndef BENCH_COUNT_CALLS_H
#define BENCH_COUNT_CALLS_H

#include <cstring>
#include <initializer_list>

/// Evaluates every state once with each engine, by the function of this name.
template <typename Functions, typename Engine>
bool count_calls(const Functions &functions, const char *name, int nstate,
                 std::initializer_list<Engine *> engines)
{
    for (const auto &f : functions) {
        if (std::strcmp(f.name, name) == 0) {
            for (int i = 0; i < nstate; ++i) {
                for (Engine *e : engines) {
                    f.call(e, i);
                }
            }
            return true;
        }
    }
    return false;
}

#endif
