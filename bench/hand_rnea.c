// Inverse dynamics of an arm, written by hand: Luh, Walker and Paul (1980) in link
// coordinates, with angular velocity w, angular acceleration e and acceleration a of each origin.
//
// What a careful engineer does here and was measured to pay: all sines and cosines first, so that
// no call stands between the products; the first joint by itself, because its parent rests; e x r
// and w x (w x r) joined in one matrix U r, which serves both the centre of mass and the next
// joint.
#define _GNU_SOURCE // sincos, which is one call of libm for both
#include "hand_rnea.h"

#include <math.h>

#ifndef JOINTS
#define JOINTS HAND_JOINTS
#endif
#ifdef OWN_SINE
#include "../src/model/kernels.h"
#endif

void hand_rnea(const hand_arm *arm, const double *q, const double *v, const double *a, double *tau)
{
    double s[JOINTS], c[JOINTS];
    double R[JOINTS][9], F[JOINTS][3], N[JOINTS][3];
#ifdef OWN_SINE
    lwi_select_kernels()->lane->sincos(JOINTS, q, s, c);
#else
    for (int i = 0; i < JOINTS; ++i) {
#ifdef __GLIBC__
        sincos(q[i], &s[i], &c[i]);
#else
        s[i] = sin(q[i]);
        c[i] = cos(q[i]);
#endif
    }
#endif

    // The first link turns about z of a resting base that accelerates against gravity.
    const hand_link *L = &arm->link[0];
    const double *G = arm->gravity;
    const double gx = -(L->R[0] * G[0] + L->R[3] * G[1] + L->R[6] * G[2]);
    const double gy = -(L->R[1] * G[0] + L->R[4] * G[1] + L->R[7] * G[2]);
    double ax = c[0] * gx + s[0] * gy;
    double ay = c[0] * gy - s[0] * gx;
    double az = -(L->R[2] * G[0] + L->R[5] * G[1] + L->R[8] * G[2]);
    double wx = 0.0, wy = 0.0, wz = v[0];
    double ex = 0.0, ey = 0.0, ez = a[0];
    double Uxx = -wz * wz, Uxy = -ez, Uxz = 0.0;
    double Uyx = ez, Uyy = Uxx, Uyz = 0.0;
    double Uzx = 0.0, Uzy = 0.0, Uzz = 0.0;
    const double F0x = L->mass * (ax + Uxx * L->center[0] + Uxy * L->center[1]);
    const double F0y = L->mass * (ay + Uyx * L->center[0] + Uyy * L->center[1]);
    const double N0z = L->I[2] * ez + L->center[0] * F0y - L->center[1] * F0x;

    // Outward: the motion of each link, and the force F and moment N that this motion needs.
    for (int i = 1; i < JOINTS; ++i) {
        L = &arm->link[i];
        const double *A = L->R;
        const double Rxx = A[0] * c[i] + A[1] * s[i], Rxy = A[1] * c[i] - A[0] * s[i], Rxz = A[2];
        const double Ryx = A[3] * c[i] + A[4] * s[i], Ryy = A[4] * c[i] - A[3] * s[i], Ryz = A[5];
        const double Rzx = A[6] * c[i] + A[7] * s[i], Rzy = A[7] * c[i] - A[6] * s[i], Rzz = A[8];
        R[i][0] = Rxx, R[i][1] = Rxy, R[i][2] = Rxz;
        R[i][3] = Ryx, R[i][4] = Ryy, R[i][5] = Ryz;
        R[i][6] = Rzx, R[i][7] = Rzy, R[i][8] = Rzz;

        const double px = L->p[0], py = L->p[1], pz = L->p[2];
        const double bx = ax + Uxx * px + Uxy * py + Uxz * pz;
        const double by = ay + Uyx * px + Uyy * py + Uyz * pz;
        const double bz = az + Uzx * px + Uzy * py + Uzz * pz;
        ax = Rxx * bx + Ryx * by + Rzx * bz;
        ay = Rxy * bx + Ryy * by + Rzy * bz;
        az = Rxz * bx + Ryz * by + Rzz * bz;

        const double tx = Rxx * wx + Ryx * wy + Rzx * wz;
        const double ty = Rxy * wx + Ryy * wy + Rzy * wz;
        const double tz = Rxz * wx + Ryz * wy + Rzz * wz;
        const double rx = Rxx * ex + Ryx * ey + Rzx * ez;
        const double ry = Rxy * ex + Ryy * ey + Rzy * ez;
        const double rz = Rxz * ex + Ryz * ey + Rzz * ez;
        wx = tx, wy = ty, wz = tz + v[i];
        ex = rx + ty * v[i], ey = ry - tx * v[i], ez = rz + a[i];

        const double xx = wx * wx, yy = wy * wy, zz = wz * wz;
        const double xy = wx * wy, xz = wx * wz, yz = wy * wz;
        Uxx = -yy - zz, Uxy = xy - ez, Uxz = xz + ey;
        Uyx = xy + ez, Uyy = -xx - zz, Uyz = yz - ex;
        Uzx = xz - ey, Uzy = yz + ex, Uzz = -xx - yy;

        const double cx = L->center[0], cy = L->center[1], cz = L->center[2];
        const double Fx = L->mass * (ax + Uxx * cx + Uxy * cy + Uxz * cz);
        const double Fy = L->mass * (ay + Uyx * cx + Uyy * cy + Uyz * cz);
        const double Fz = L->mass * (az + Uzx * cx + Uzy * cy + Uzz * cz);
        F[i][0] = Fx, F[i][1] = Fy, F[i][2] = Fz;

        const double *I = L->I;
        const double hx = I[0] * wx + I[3] * wy + I[4] * wz;
        const double hy = I[3] * wx + I[1] * wy + I[5] * wz;
        const double hz = I[4] * wx + I[5] * wy + I[2] * wz;
        N[i][0] = I[0] * ex + I[3] * ey + I[4] * ez + wy * hz - wz * hy + cy * Fz - cz * Fy;
        N[i][1] = I[3] * ex + I[1] * ey + I[5] * ez + wz * hx - wx * hz + cz * Fx - cx * Fz;
        N[i][2] = I[4] * ex + I[5] * ey + I[2] * ez + wx * hy - wy * hx + cx * Fy - cy * Fx;
    }

    // Inward: each joint carries its own link and everything beyond it.
    double fx = F[JOINTS - 1][0], fy = F[JOINTS - 1][1], fz = F[JOINTS - 1][2];
    double nx = N[JOINTS - 1][0], ny = N[JOINTS - 1][1], nz = N[JOINTS - 1][2];
    tau[JOINTS - 1] = nz;
    for (int i = JOINTS - 1; i > 1; --i) {
        const double *r = R[i], *p = arm->link[i].p;
        const double tx = r[0] * fx + r[1] * fy + r[2] * fz;
        const double ty = r[3] * fx + r[4] * fy + r[5] * fz;
        const double tz = r[6] * fx + r[7] * fy + r[8] * fz;
        const double mx = r[0] * nx + r[1] * ny + r[2] * nz;
        const double my = r[3] * nx + r[4] * ny + r[5] * nz;
        const double mz = r[6] * nx + r[7] * ny + r[8] * nz;
        nx = N[i - 1][0] + mx + p[1] * tz - p[2] * ty;
        ny = N[i - 1][1] + my + p[2] * tx - p[0] * tz;
        nz = N[i - 1][2] + mz + p[0] * ty - p[1] * tx;
        fx = F[i - 1][0] + tx, fy = F[i - 1][1] + ty, fz = F[i - 1][2] + tz;
        tau[i - 1] = nz;
    }
    const double *r = R[1], *p = arm->link[1].p;
    const double tx = r[0] * fx + r[1] * fy + r[2] * fz;
    const double ty = r[3] * fx + r[4] * fy + r[5] * fz;
    tau[0] = N0z + r[6] * nx + r[7] * ny + r[8] * nz + p[0] * ty - p[1] * tx;
}
