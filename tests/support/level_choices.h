// Levels of detail as a test writes them: "base=high wrist=low".
#ifndef LEVEL_CHOICES_H
#define LEVEL_CHOICES_H

#include <linkwork/linkwork.h>

typedef struct choice_list {
    lw_level_choice at[8];
    char name[8][64];
    int count;
} choice_list;

void read_choices(const char *text, choice_list *list);

/// The options of a compile with these levels, which borrow from the list.
lw_compile_options options_at(const choice_list *list);

#endif
