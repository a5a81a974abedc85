/* Kernels over bit rows, one source compiled for several CPU levels, of which one is selected at import.
 *
 * A bit row is a uint32_t, bit x = column x. A board is 4 * chunks rows, 4 <= chunks <= 8, the last of
 * which may be padding, always 0. A bit stream is uint32_t words, bit i of the stream = bit i % 32
 * of word i / 32.
 */
#ifndef MASUME_WIDE_H
#define MASUME_WIDE_H
#include "masume/game.h"
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define WIDE_MAX_ROWS 32
#define WIDE_MAX_PLAYERS 4
#define WIDE_TAIL 7
#define WIDE_BLOCK 32
#define WIDE_MAX_CELLS 96 /* of a grid: whole blocks of WIDE_BLOCK */

/* Rows of cells: `count` of them, WIDE_MAX_CELLS in the arrays. */
typedef struct {
  int32_t width, count;
  int32_t west[WIDE_MAX_CELLS], east[WIDE_MAX_CELLS]; /* -1 if the row goes on in this direction, else 0 */
} wide_grid;

/* Where a bit of the stream is set, the value (1 if there are none), else 0; without a stream, the values: `values`
 * for floats, `bytes` for compact planes. Next to a stream, the values fill whole words of 32, as it does; bytes do so
 * always. */
typedef struct {
  const uint32_t *stream;
  const float *values;
  const uint8_t *bytes;
} wide_plane;

/* Where a byte and the mask give `value`, the value's byte (1 if `values` is NULL), else 0. */
typedef struct {
  const uint8_t *values;
  uint8_t mask, value;
} wide_byte_match;

/* Where a word and the mask give `value`, the float (1 if `values` is NULL), else 0. */
typedef struct {
  const float *values;
  uint32_t mask, value;
} wide_match;

typedef struct {
  const char *name; /* "v2": portable C; "v3": AVX2; "v4": AVX-512VL; "neon": portable C on aarch64 */

  /* Territory of section 7.2, for each of `players` consecutive boards of walls (2..WIDE_MAX_PLAYERS).
   * `territory` gains the cells that the player's walls are the innermost to enclose, loses the cells
   * that are walls or that another player's walls enclose innermost, and keeps the rest. Columns 30
   * and 31 must be free of walls. */
  void (*territory)(int32_t players, int32_t chunks, const uint32_t *walls, uint32_t *territory);

  /* Sum over the planes k of weights[k] * the number of set bits that board and planes[k] share. */
  int64_t (*weigh)(int32_t chunks, const uint32_t *board, int32_t num_planes, const uint32_t *planes,
                   const int32_t *weights);

  /* Write planes of `count` floats, consecutively in address order and nothing else: a gap in the stream of
   * writes doubles the cost of a large batch. */
  void (*planes)(int32_t count, int32_t num_planes, const wide_plane *planes, float *out);

  /* The same for `count` words; up to WIDE_TAIL words and values beyond the end are read. */
  void (*matches)(int32_t count, const uint32_t *words, int32_t num_planes, const wide_match *planes, float *out);

  /* The same as MASUME_BITS, with what is known of each plane; as MASUME_BYTES if `kinds` is NULL. */
  void (*compact)(int32_t count, int32_t num_planes, const wide_plane *planes, const masume_plane *kinds, uint8_t *out);

  /* `matches` as bytes; up to WIDE_BLOCK - 1 bytes and values beyond the end are read. */
  void (*byte_matches)(int32_t count, const uint8_t *cells, int32_t num_planes, const wide_byte_match *planes,
                       uint8_t *out);

  /* `byte_matches` as MASUME_BITS, with what is known of each plane; planes of bits have no values. */
  void (*bit_matches)(int32_t count, const uint8_t *cells, int32_t num_planes, const wide_byte_match *planes,
                      const masume_plane *kinds, uint8_t *out);

  /* Write the value of each byte: byte * scale + offset if table is NULL, else table[byte]. The bytes may be the last
   * quarter of `out`. */
  void (*floats)(int32_t count, const uint8_t *bytes, const float *table, float scale, float offset, float *out);

  /* Write table[byte] for each byte. The bytes may be the second half of `out`. */
  void (*halves)(int32_t count, const uint8_t *bytes, const uint16_t *table, uint16_t *out);

  /* Add the number to each byte that is not 0; sums over 255 are 255. */
  void (*age)(int32_t count, uint8_t by, uint8_t *bytes);

  /* Write out[i] = 1 if bit i of the stream is set, else 0, for i < count, and nothing else. */
  void (*bytes)(const uint32_t *stream, int32_t count, uint8_t *out);

  /* A cell is ready if it has ways, which are bits 0 to 5 of its byte in `ways`, and an amount, and its byte in `cells`
   * and the mask give `value`. Write bits 6 and 7 of its ways: how many of 1, 2 and 4 its amount exceeds; 0 if it is not
   * ready. Set the bits of the cells that are ready, in whole words, and return the sum of (1 + that number) * the
   * number of ways over them. `count` is at most 352; amounts are not negative; up to WIDE_BLOCK - 1 amounts and cells
   * beyond the end are read, and as many ways read and written, which are 0. Write `count` zeros to `cleared`. */
  int32_t (*offers)(int32_t count, const int32_t *amounts, const uint8_t *cells, uint8_t mask, uint8_t value,
                    uint8_t *ways, int32_t *cleared, uint64_t *set);

  /* Add shares[k] to the sum of each cell of a set of k cells, for sets of two words each; if `anew`, the sums are 0
   * before. Return the first cell with the highest sum. `count` is at most WIDE_MAX_CELLS; sums fill whole blocks, with 0
   * after the last cell, and are not negative. */
  int32_t (*share)(int32_t count, int32_t num_sets, const uint64_t *sets, const int32_t *shares, int32_t anew,
                   int32_t *sums);

  /* Write the highest value around each cell, in eight directions, and with `own` of the cell itself. Return the first cell
   * where it is highest. Values are as the sums of `share`; `found` has room for whole blocks. */
  int32_t (*highest)(const wide_grid *grid, int32_t own, const int32_t *values, int32_t *found);

  /* Add factors[k] * row rows[k] of a matrix of `width` columns to the sums, for each k < count, in this order. */
  void (*add_rows)(int32_t count, const int32_t *rows, const float *factors, int32_t width, const float *matrix,
                   float *sums);
} wide_level;

/* Return the level of this name, or the best one if name is NULL; NULL if this build or this CPU lacks it. */
const wide_level *wide_pick(const char *name);

#ifdef __cplusplus
}
#endif
#endif
