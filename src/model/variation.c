#include "variation.h"

#include <stdlib.h>

void lw_variation_destroy(lw_variation *variation)
{
    for (int i = 0; variation && i < LWI_SIDES; ++i) {
        lw_data_destroy(variation->data[i]);
        lw_model_destroy(variation->side[i]);
    }
    free(variation ? variation->tau : NULL);
    free(variation);
}
