/* Kernels over bit rows, one text compiled for several CPU levels and picked once, at import.
 *
 * A bit row is a uint32_t, bit x = column x. A board is 4 * chunks rows, 4 <= chunks <= 8, of which
 * the last may be padding, always 0. A bit stream is uint32_t words, bit i of the stream = bit i % 32
 * of word i / 32.
 */
#ifndef MASUME_WIDE_H
#define MASUME_WIDE_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define WIDE_MAX_ROWS 32
#define WIDE_MAX_PLAYERS 4
#define WIDE_TAIL 7

/* The values, or 1 where they are NULL, where a bit of the stream is set, else 0; where stream is NULL, the values.
 * Beside a stream the values fill whole words, as it does. */
typedef struct {
  const uint32_t *stream;
  const float *values;
} wide_plane;

/* The values, or 1 where they are NULL, where a word and the mask make this value, else 0. */
typedef struct {
  const float *values;
  uint32_t mask, value;
} wide_match;

typedef struct {
  const char *name; /* "v2": portable C; "v3": AVX2; "v4": AVX-512VL; "neon": portable C on aarch64 */

  /* Territory of section 7.2: for each of `players` boards (2..WIDE_MAX_PLAYERS) of walls, one after
   * the other, `territory` gets the cells that its walls are the innermost to enclose, loses the cells
   * that are walls or that another's walls enclose innermost, and keeps the rest. Columns 30 and 31
   * must be free of walls. */
  void (*territory)(int32_t players, int32_t chunks, const uint32_t *walls, uint32_t *territory);

  /* Sum over the planes k of weights[k] * the number of ones that board and planes[k] share. */
  int64_t (*weigh)(int32_t chunks, const uint32_t *board, int32_t num_planes, const uint32_t *planes,
                   const int32_t *weights);

  /* Planes of `count` floats one after the other, and nothing else, in the order of addresses: a gap in
   * the stream of writes doubles the cost of a large batch. */
  void (*planes)(int32_t count, int32_t num_planes, const wide_plane *planes, float *out);

  /* The same of `count` words; they and the values are read up to WIDE_TAIL behind their end. */
  void (*matches)(int32_t count, const uint32_t *words, int32_t num_planes, const wide_match *planes, float *out);

  /* out[i] = 1 where bit i of the stream is set, else 0, for i < count; nothing else is written. */
  void (*bytes)(const uint32_t *stream, int32_t count, uint8_t *out);
} wide_level;

/* The level of this name, or the best one if name is NULL; NULL where this build or this CPU has none. */
const wide_level *wide_pick(const char *name);

#ifdef __cplusplus
}
#endif
#endif
