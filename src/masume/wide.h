/* Kernels for all rooms, one source compiled for several CPU levels, of which one is selected at import. Those of a single
 * room are in cython/masume/<room>/kernels.h.
 *
 * A bit stream is uint32_t words, bit i of the stream = bit i % 32 of word i / 32.
 */
#ifndef MASUME_WIDE_H
#define MASUME_WIDE_H
#include "masume/game.h"
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define WIDE_TAIL 7
#define WIDE_BLOCK 32

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

  /* Write out[i] = 1 if bit i of the stream is set, else 0, for i < count, and nothing else. */
  void (*bytes)(const uint32_t *stream, int32_t count, uint8_t *out);
} wide_level;

/* Return the level of this name, or the best one if name is NULL; NULL if this build or this CPU lacks it. */
const wide_level *wide_pick(const char *name);

#ifdef __cplusplus
}
#endif
#endif
