// A picture of the page, drawn by Chromium.
#ifndef STUDIO_SCREENSHOT_H
#define STUDIO_SCREENSHOT_H

typedef struct screenshot {
    const char *chromium, *folder, *address, *path;
    int width, height; ///< in pixels
} screenshot;

/// Starts Chromium with its profile in the folder, waits until the page is drawn and no panel waits
/// for an answer, and writes the picture, whole or not at all. Complains and returns an exit code.
int screenshot_take(const screenshot *s);

#endif
