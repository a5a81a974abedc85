/* Kernels over the panels of a map. */
#ifndef LEVEL
#include <stdint.h>

#define GRID_CELLS 96 /* whole blocks of WIDE_BLOCK */

/* Rows of cells: `count` of them, GRID_CELLS in the arrays. */
typedef struct {
  int32_t width, count;
  int32_t west[GRID_CELLS], east[GRID_CELLS]; /* -1 if the row goes on in this direction, else 0 */
} battleship_grid;

typedef struct {
  const char *name; /* of the CPU level */

  /* Add shares[k] to the sum of each cell of a set of k cells, for sets of two words each; if `anew`, the sums are 0
   * before. Return the first cell with the highest sum. `count` is at most GRID_CELLS; sums fill whole blocks, with 0
   * after the last cell, and are not negative. */
  int32_t (*share)(int32_t count, int32_t num_sets, const uint64_t *sets, const int32_t *shares, int32_t anew,
                   int32_t *sums);

  /* Write the highest value around each cell, in eight directions, and with `own` of the cell itself. Return the first cell
   * where it is highest. Values are as the sums of `share`; `found` has room for whole blocks. */
  int32_t (*highest)(const battleship_grid *grid, int32_t own, const int32_t *values, int32_t *found);
} battleship_level;

/* Return the kernels of a CPU level, by its name. */
const battleship_level *battleship_pick(const char *name);

#else /* for each CPU level */
#define ROOM(name) battleship_##name

#ifdef VECTOR_BYTES
INLINE INTS LEVEL(ints)(const int32_t *values) {
  INTS v;
  memcpy(&v, values, sizeof v);
  return v;
}

INLINE INTS LEVEL(higher)(INTS v, INTS w) {
#ifdef HIGHER
  return HIGHER(v, w);
#else
  return (v & (v > w)) | (w & (v <= w));
#endif
}

INLINE int32_t LEVEL(first_highest)(int32_t count, const int32_t *values) {
  INTS most = {0};
  int32_t highest = 0, i = 0;
  uint32_t found;
  for (; i < count; i += LANES) most = LEVEL(higher)(most, LEVEL(ints)(values + i));
  for (int32_t k = 0; k < LANES; k++) highest = most[k] > highest ? most[k] : highest;
  for (i = 0; !(found = LEVEL(bits_of)((BYTES)(LEVEL(ints)(values + i) == highest)));) i += LANES;
  return i + __builtin_ctz(found) / 4;
}

static TARGET int32_t LEVEL(share)(int32_t count, int32_t num_sets, const uint64_t *sets, const int32_t *shares,
                                   int32_t anew, int32_t *sums) {
  for (int32_t i = 0; i < count; i += WIDE_BLOCK) {
    INTS sum[WIDE_BLOCK / LANES] = {{0}};
    if (!anew) memcpy(sum, sums + i, sizeof sum);
    for (int32_t n = 0; n < num_sets; n++) {
      const uint64_t *set = sets + 2 * n;
      const VECTOR word = (VECTOR){0} + (uint32_t)(set[i / 64] >> i % 64);
      const INTS part = (INTS){0} + shares[__builtin_popcountll(set[0]) + __builtin_popcountll(set[1])];
#pragma GCC unroll 8
      for (int32_t k = 0; k < WIDE_BLOCK / LANES; k++) {
        const VECTOR bits = LEVEL(single_bits)(k * LANES);
        sum[k] += part & (INTS)((word & bits) == bits);
      }
    }
    memcpy(sums + i, sum, sizeof sum);
  }
  return LEVEL(first_highest)(count, sums);
}

static TARGET int32_t LEVEL(highest)(const battleship_grid *grid, int32_t own, const int32_t *values, int32_t *found) {
  enum { MARGIN = 16 }; /* at least the width, and the lanes of a vector */
  const int32_t count = grid->count, width = grid->width;
  int32_t padded[1 + GRID_CELLS + 1], rows[MARGIN + GRID_CELLS + MARGIN];
  int32_t *row = rows + MARGIN, end = 0; /* row: the highest of a cell and those beside it */
  for (; end < count; end += LANES) {
    const INTS v = LEVEL(ints)(values + end);
    memcpy(padded + 1 + end, &v, sizeof v);
  }
  padded[0] = padded[1 + end] = 0;
  for (int32_t i = 0; i < count; i += LANES) {
    const int32_t *cells = padded + 1 + i;
    const INTS sides = LEVEL(higher)(LEVEL(ints)(cells - 1) & LEVEL(ints)(grid->west + i),
                                     LEVEL(ints)(cells + 1) & LEVEL(ints)(grid->east + i));
    const INTS all = LEVEL(higher)(sides, LEVEL(ints)(cells)), kept = own ? all : sides;
    memcpy(row + i, &all, sizeof all);
    memcpy(found + i, &kept, sizeof kept);
  }
  memset(rows, 0, MARGIN * sizeof *rows);
  memset(row + count, 0, MARGIN * sizeof *rows);
  for (int32_t i = 0; i < count; i += LANES) {
    const INTS beside = LEVEL(higher)(LEVEL(ints)(row + i - width), LEVEL(ints)(row + i + width));
    const INTS v = LEVEL(higher)(LEVEL(ints)(found + i), beside);
    memcpy(found + i, &v, sizeof v);
  }
  memset(found + count, 0, (size_t)(end - count) * sizeof *found);
  return LEVEL(first_highest)(count, found);
}
#else
static int32_t LEVEL(first_highest)(int32_t count, const int32_t *values) {
  int32_t first = 0;
  for (int32_t i = 1; i < count; i++)
    if (values[i] > values[first]) first = i;
  return first;
}

static int32_t LEVEL(share)(int32_t count, int32_t num_sets, const uint64_t *sets, const int32_t *shares, int32_t anew,
                            int32_t *sums) {
  if (anew) memset(sums, 0, (size_t)(count + WIDE_BLOCK - 1) / WIDE_BLOCK * WIDE_BLOCK * sizeof *sums);
  for (; num_sets > 0; num_sets--, sets += 2) {
    const int32_t part = shares[wide_ones(sets[0]) + wide_ones(sets[1])];
    for (int32_t i = 0; i < count; i++) sums[i] += sets[i / 64] >> i % 64 & 1 ? part : 0;
  }
  return LEVEL(first_highest)(count, sums);
}

static int32_t LEVEL(highest)(const battleship_grid *grid, int32_t own, const int32_t *values, int32_t *found) {
  for (int32_t i = 0; i < grid->count; i++) {
    found[i] = own ? values[i] : 0;
    for (int32_t row = i - grid->width; row <= i + grid->width; row += grid->width)
      for (int32_t side = -1; side <= 1; side++) {
        if (row < 0 || row >= grid->count || (side < 0 && !grid->west[i]) || (side > 0 && !grid->east[i])) continue;
        if (row + side != i && values[row + side] > found[i]) found[i] = values[row + side];
      }
  }
  return LEVEL(first_highest)(grid->count, found);
}
#endif

static const battleship_level LEVEL(level) = {LEVEL_NAME, LEVEL(share), LEVEL(highest)};
#endif
