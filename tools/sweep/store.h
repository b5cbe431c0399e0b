// The folder of a sweep: its plan, the blocks that are finished, and what they are merged to.
//
//   plan.json            what the plan is, and its text
//   part-KKKK-RRRR.dat   rows of finished blocks, by shard K and rank R
//   part-KKKK-RRRR.jnl   a journal: a record of 64 bytes for each of these blocks
//
// A record is written when the rows of its block are on the disk, and has their CRC and its own.
// Whatever ends a process, each block is either in a journal, whole, or not there.
#ifndef STORE_H
#define STORE_H

#include <linkwork/sweep.h>

#include "support/memory.h"

#include <stdbool.h>
#include <stdint.h>

/// Where a finished block is.
typedef struct store_entry {
    long long offset;
    int part; ///< number of its file, from 1 on; 0 where the block is not finished
    uint32_t crc;
    unsigned long long time; ///< when it was written: a block is computed again if its rows changed
} store_entry;

enum { STORE_PENDING = 256 };

typedef struct store {
    memory *pool;
    const char *dir;
    long long cases, blocks;
    int block, ncolumn;
    const char *const *column; ///< [ncolumn]
    unsigned long long hash;
    store_entry *entry; ///< [blocks]
    long long ndone;
    char **part; ///< [npart] paths of data files
    int npart, space;

    // The part that this process writes.
    int dat, jnl; ///< -1 for none
    long long offset;
    int npending; ///< records whose rows may not be on the disk yet
    unsigned char pending[STORE_PENDING][64];
    double next_sync; ///< when the next one is due
} store;

/// Opens a folder for a plan, and makes it where it is new. Complains and returns an exit code,
/// also where it has another plan; store_close() is due either way.
/// @param plan     text of the plan
/// @param is_first this process writes plan.json; others find it there
int store_open(store *s, memory *pool, const char *dir, const lw_sweep *sweep, const char *plan,
               bool is_first);

/// Opens a folder by its plan.json alone.
int store_open_folder(store *s, memory *pool, const char *dir);

/// Reads all journals, and drops what is torn. With `verifies` the rows of every block are read.
int store_scan(store *s, bool verifies);

/// Begins to write, as one shard and rank. Refuses where another process is at it.
int store_begin(store *s, int shard, int rank);

/// Adds a block; it is on the disk after the next store_sync(), which happens every few blocks.
int store_add(store *s, long long block, const double *rows, long long failed);
int store_sync(store *s);
void store_close(store *s);

/// Cases of a block.
int store_rows(const store *s, long long block);

/// Reads the rows of a finished block, and checks them.
int store_read(store *s, long long block, double *rows);

/// Removes the parts, which the result has all of.
int store_remove_parts(store *s);

/// "DIR/name".
char *store_path(const store *s, const char *name);

#endif
