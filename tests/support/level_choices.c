#include "level_choices.h"

#include <stdio.h>
#include <string.h>

void read_choices(const char *text, choice_list *list)
{
    static const lw_level each[3] = {LW_LEVEL_HIGH, LW_LEVEL_MIDDLE, LW_LEVEL_LOW};
    list->count = 0;
    while (*text && list->count < 8) {
        char word[16];
        int used = 0;
        if (sscanf(text, " %63[^=]=%15s%n", list->name[list->count], word, &used) != 2) {
            break;
        }
        lw_level level = LW_LEVEL_UNSET;
        for (int k = 0; k < 3; ++k) {
            level = strcmp(lw_level_name(each[k]), word) == 0 ? each[k] : level;
        }
        list->at[list->count] = (lw_level_choice){list->name[list->count], level};
        ++list->count;
        text += used;
    }
}

lw_compile_options options_at(const choice_list *list)
{
    lw_compile_options options = lw_default_compile_options();
    options.level = list->at;
    options.nlevel = list->count;
    return options;
}
