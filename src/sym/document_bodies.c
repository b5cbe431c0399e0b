// The frames that equations are written in, and the masses in them: with these numbers, and the
// joints of the document's first table, all that follows can be computed again.
#include "document_parts.h"

#include "machine.h"
#include "print.h"

#include <math.h>
#include <stdio.h>

static double cleaned(double x, double noise)
{
    return fabs(x) < noise ? 0.0 : x;
}

const char *lwi_vector_text(lw_vec3 v, double noise, char text[LWI_VECTOR_ROOM])
{
    char x[LWI_NUMBER_SIZE], y[LWI_NUMBER_SIZE], z[LWI_NUMBER_SIZE];
    lwi_short_number(cleaned(v.x, noise), x);
    lwi_short_number(cleaned(v.y, noise), y);
    lwi_short_number(cleaned(v.z, noise), z);
    snprintf(text, LWI_VECTOR_ROOM, "(%s, %s, %s)", x, y, z);
    return text;
}

static double largest3(lw_vec3 v)
{
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

static void placements(lwi_page *p, const lw_model *m, double noise)
{
    static const char *const head[] = {LWI_SYMBOL("i"), "origin", "x axis", "y axis", "z axis"};
    double size = 0.0;
    for (int i = 0; i < m->nbody; ++i) {
        size = fmax(size, largest3(m->X_PJ[i].p));
    }
    lwi_page_heading(p, "Frames of the bodies");
    lwi_page_say(p, "The equations are written in these: at zero position, the frame of body i in "
                    "the frame of the body that it hangs on, or in the world's. The joint acts "
                    "about or along its z axis. The x axis is the model's, and need not be that "
                    "of a table of Denavit and Hartenberg. Metres.");
    lwi_page_table(p, 5, head);
    for (int i = 0; i < m->nbody; ++i) {
        const lw_mat3 *R = &m->X_PJ[i].R;
        char number[LWI_NUMBER_SIZE], at[4][LWI_VECTOR_ROOM];
        snprintf(number, sizeof number, "%d", i + 1);
        const char *cell[] = {
            number, lwi_vector_text(m->X_PJ[i].p, noise * size, at[0]),
            lwi_vector_text(lw_vec3_of(R->row[0].x, R->row[1].x, R->row[2].x), noise, at[1]),
            lwi_vector_text(lw_vec3_of(R->row[0].y, R->row[1].y, R->row[2].y), noise, at[2]),
            lwi_vector_text(lw_vec3_of(R->row[0].z, R->row[1].z, R->row[2].z), noise, at[3])};
        lwi_page_row(p, cell);
    }
    lwi_page_table_end(p);
}

static void masses(lwi_page *p, const lw_model *m, double noise)
{
    static const char *const head[] = {LWI_SYMBOL("i"), LWI_SYMBOL("m"), "(mx, my, mz)",
                                       "(Jxx, Jyy, Jzz)", "(Jxy, Jxz, Jyz)"};
    lwi_page_say(p, "Mass (kg), first moment (kg m) and tensor " LWI_SYMBOL(
                        "J") " about the origin (kg m^2) of body "
                             "i, in its frame; what is fixed to a body is part of it:");
    lwi_page_table(p, 5, head);
    for (int i = 0; i < m->nbody; ++i) {
        const lw_inertia *I = &m->inertia[i];
        const lw_vec3 main = lw_vec3_of(I->tensor.xx, I->tensor.yy, I->tensor.zz);
        const lw_vec3 side = lw_vec3_of(I->tensor.xy, I->tensor.xz, I->tensor.yz);
        char number[LWI_NUMBER_SIZE], mass[LWI_NUMBER_SIZE], at[3][LWI_VECTOR_ROOM];
        snprintf(number, sizeof number, "%d", i + 1);
        lwi_short_number(I->mass, mass);
        const char *cell[] = {
            number, mass,
            lwi_vector_text(I->first_moment, noise * largest3(I->first_moment), at[0]),
            lwi_vector_text(main, 0.0, at[1]),
            lwi_vector_text(side, noise * largest3(main), at[2])};
        lwi_page_row(p, cell);
    }
    lwi_page_table_end(p);
}

void lwi_document_bodies(lwi_page *p, const lw_derivation *d)
{
    const double noise = lwi_rounding(&d->options);
    placements(p, d->model, noise);
    if (!d->options.is_symbolic) {
        masses(p, d->model, noise);
    }
}
