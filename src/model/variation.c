#include "variation.h"

#include <stdlib.h>

void lwi_variation_clear(lw_variation *variation)
{
    for (int i = 0; i < LWI_SIDES; ++i) {
        lw_data_destroy(variation->data[i]);
        lw_model_destroy(variation->side[i]);
        variation->data[i] = NULL;
        variation->side[i] = NULL;
    }
}

void lw_variation_destroy(lw_variation *variation)
{
    if (variation) {
        lwi_variation_clear(variation);
    }
    free(variation ? variation->tau : NULL);
    free(variation);
}
