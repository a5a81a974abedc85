/* Kernels for all rooms: those of masume/wide.h. */
#ifdef LEVEL /* for each CPU level */
#define ROOM(name) wide_##name

#ifdef VECTOR_BYTES
/* Write the lowest bits of a word as floats, `vectors` vectors of them: 1.0f or the value if set, else 0.0f. */
INLINE void LEVEL(spread)(uint32_t word, const float *values, int32_t vectors, float *out) {
  const VECTOR one = (VECTOR){0} + 0x3F800000u; /* 1.0f */
#pragma GCC unroll 8
  for (int32_t k = 0; k < vectors; k++) {
    const VECTOR bits = LEVEL(single_bits)(k * LANES);
    VECTOR cells = one;
    if (values) memcpy(&cells, values + k * LANES, sizeof cells);
    cells &= (VECTOR)((word & bits) == bits);
    memcpy(out + k * LANES, &cells, sizeof cells);
  }
}

/* Write a plane of a stream. Its last vector may write into the next plane, but not beyond `end`. */
INLINE void LEVEL(plane)(int32_t count, const uint32_t *stream, const float *values, float *out, const float *end) {
  int32_t i = 0, vectors;
  float rest[32];
  for (; i + 32 <= count; i += 32) LEVEL(spread)(stream[i / 32], values ? values + i : NULL, 32 / LANES, out + i);
  if (i == count) return;
  vectors = (count - i + LANES - 1) / LANES;
  if (out + i + vectors * LANES <= end) {
    LEVEL(spread)(stream[i / 32], values ? values + i : NULL, vectors, out + i);
  } else {
    LEVEL(spread)(stream[i / 32], values ? values + i : NULL, vectors, rest);
    memcpy(out + i, rest, (size_t)(count - i) * sizeof *out);
  }
}

static TARGET void LEVEL(planes)(int32_t count, int32_t num_planes, const wide_plane *planes, float *out) {
  const float *end = out + (int64_t)count * num_planes;
  for (int32_t p = 0; p < num_planes; p++, out += count) {
    const float *values = planes[p].values;
    int32_t i = 0;
    if (planes[p].stream && values) {
      LEVEL(plane)(count, planes[p].stream, values, out, end);
    } else if (planes[p].stream) {
      LEVEL(plane)(count, planes[p].stream, NULL, out, end);
    } else {
      for (; i + LANES <= count; i += LANES) {
        VECTOR cells;
        memcpy(&cells, values + i, sizeof cells);
        memcpy(out + i, &cells, sizeof cells);
      }
      for (; i < count; i++) out[i] = values[i];
    }
  }
}

/* Write LANES words as floats: 1.0f or the value if the word matches, else 0.0f. */
INLINE void LEVEL(match)(const uint32_t *words, const wide_match *plane, const float *values, float *out) {
  VECTOR found, cells = (VECTOR){0} + 0x3F800000u; /* 1.0f */
  memcpy(&found, words, sizeof found);
  if (values) memcpy(&cells, values, sizeof cells);
  cells &= (VECTOR)((found & plane->mask) == plane->value);
  memcpy(out, &cells, sizeof cells);
}

static TARGET void LEVEL(matches)(int32_t count, const uint32_t *words, int32_t num_planes, const wide_match *planes,
                                  float *out) {
  const float *end = out + (int64_t)count * num_planes;
  for (int32_t p = 0; p < num_planes; p++, out += count) {
    const wide_match plane = planes[p];
    const float *values = plane.values;
    int32_t i = 0;
    float rest[LANES];
    if (values) {
#pragma GCC unroll 4
      for (; i + LANES <= count; i += LANES) LEVEL(match)(words + i, &plane, values + i, out + i);
    } else {
#pragma GCC unroll 4
      for (; i + LANES <= count; i += LANES) LEVEL(match)(words + i, &plane, NULL, out + i);
    }
    if (i == count) continue;
    if (out + i + LANES <= end) { /* the next plane overwrites the excess */
      LEVEL(match)(words + i, &plane, values ? values + i : NULL, out + i);
    } else {
      LEVEL(match)(words + i, &plane, values ? values + i : NULL, rest);
      memcpy(out + i, rest, (size_t)(count - i) * sizeof *out);
    }
  }
}

/* Each of the lowest bytes of a word eight times. */
INLINE BYTES LEVEL(eight_of_each)(uint32_t word) {
#if VECTOR_BYTES == 32
  return SHUFFLE((BYTES)((VECTOR){0} + word), (BYTES){0}, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
                 18, 18, 18, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19, 19, 19, 19);
#else /* in steps of one instruction */
  const BYTES bytes = (BYTES)(VECTOR){word};
  const SHORTS two = (SHORTS)SHUFFLE(bytes, bytes, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
  const VECTOR four = (VECTOR)SHUFFLE(two, two, 0, 0, 1, 1, 4, 5, 6, 7);
  return (BYTES)SHUFFLE(four, four, 0, 0, 1, 1);
#endif
}

/* Write up to 32 cells as bytes: 1 or the value where the bit is set. */
INLINE void LEVEL(block)(uint32_t word, const uint8_t *values, int32_t count, uint8_t *out) {
#ifndef WHERE
  static const uint8_t byte_bits[32] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128,
                                        1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
#endif
  for (int32_t i = 0; i < count; i += VECTOR_BYTES) {
    BYTES value = (BYTES){0} + 1;
    if (values) memcpy(&value, values + i, sizeof value);
#ifdef WHERE
    value = WHERE(word, value);
#else
    BYTES bits, cells = LEVEL(eight_of_each)(word >> i);
    memcpy(&bits, byte_bits, sizeof bits);
    value &= (BYTES)((cells & bits) == bits);
#endif
    memcpy(out + i, &value, sizeof value);
  }
}

INLINE void LEVEL(copy)(const uint8_t *from, uint8_t *out) {
  for (int32_t i = 0; i < WIDE_BLOCK; i += VECTOR_BYTES) {
    BYTES cells;
    memcpy(&cells, from + i, sizeof cells);
    memcpy(out + i, &cells, sizeof cells);
  }
}

/* Write a plane as bytes. Its last block may write into the next plane, but not beyond `end`. */
INLINE void LEVEL(byte_plane)(int32_t count, const uint32_t *stream, const uint8_t *values, uint8_t *out,
                              const uint8_t *end) {
  const int32_t blocks = (count + WIDE_BLOCK - 1) / WIDE_BLOCK;
  const int32_t whole = out + blocks * WIDE_BLOCK <= end ? blocks : count / WIDE_BLOCK;
  uint8_t rest[WIDE_BLOCK];
#pragma GCC unroll 4
  for (int32_t n = 0; n < whole; n++)
    if (stream)
      LEVEL(block)(stream[n], values ? values + WIDE_BLOCK * n : NULL, WIDE_BLOCK, out + WIDE_BLOCK * n);
    else
      LEVEL(copy)(values + WIDE_BLOCK * n, out + WIDE_BLOCK * n);
  if (whole == blocks) return;
  if (stream)
    LEVEL(block)(stream[whole], values ? values + WIDE_BLOCK * whole : NULL, WIDE_BLOCK, rest);
  else
    LEVEL(copy)(values + WIDE_BLOCK * whole, rest);
  memcpy(out + WIDE_BLOCK * whole, rest, (size_t)(count - WIDE_BLOCK * whole));
}

static TARGET void LEVEL(bytes)(const uint32_t *stream, int32_t count, uint8_t *out) {
  const int32_t whole = count / WIDE_BLOCK, left = count % WIDE_BLOCK;
  uint8_t rest[WIDE_BLOCK];
#pragma GCC unroll 4
  for (int32_t k = 0; k < whole; k++) LEVEL(block)(stream[k], NULL, WIDE_BLOCK, out + WIDE_BLOCK * k);
  if (left == 0) return;
  LEVEL(block)(stream[whole], NULL, WIDE_BLOCK, rest);
  memcpy(out + WIDE_BLOCK * whole, rest, (size_t)left);
}

static TARGET void LEVEL(compact)(int32_t count, int32_t num_planes, const wide_plane *planes, const masume_plane *kinds,
                                  uint8_t *out) {
  const uint8_t *end = out;
  for (int32_t p = 0; p < num_planes; p++) end += kinds && kinds[p].is_bits ? (count + 7) / 8 : count;
  for (int32_t p = 0; p < num_planes; p++) {
    const uint32_t *stream = planes[p].stream;
    const uint8_t *values = planes[p].bytes;
    if (!(kinds && kinds[p].is_bits)) {
      if (stream && values)
        LEVEL(byte_plane)(count, stream, values, out, end);
      else if (stream)
        LEVEL(byte_plane)(count, stream, NULL, out, end);
      else
        LEVEL(byte_plane)(count, NULL, values, out, end);
      out += count;
    } else if (stream) { /* bit i of the stream is bit i % 8 of byte i / 8 */
      memcpy(out, stream, (size_t)(count / 8));
      if (count % 8) out[count / 8] = (uint8_t)(stream[count / 32] >> (count / 8 % 4 * 8) & ((1 << count % 8) - 1));
      out += (count + 7) / 8;
    } else {
      LEVEL(pack)(count, values, out);
      out += (count + 7) / 8;
    }
  }
}

/* Write VECTOR_BYTES bytes: 1 or the value if the byte matches, else 0. */
INLINE void LEVEL(byte_match)(const uint8_t *cells, const wide_byte_match *plane, const uint8_t *values, uint8_t *out) {
  BYTES found, value = (BYTES){0} + 1;
  memcpy(&found, cells, sizeof found);
  if (values) memcpy(&value, values, sizeof value);
  value &= (BYTES)((found & plane->mask) == plane->value);
  memcpy(out, &value, sizeof value);
}

/* Write a plane of matches. Its last vector may write into the next plane, but not beyond `end`. */
INLINE void LEVEL(byte_match_plane)(int32_t count, const uint8_t *cells, const wide_byte_match *plane,
                                    const uint8_t *values, uint8_t *out, const uint8_t *end) {
  const int32_t over = (int32_t)(-(uint32_t)count % VECTOR_BYTES);
  const int32_t whole = out + count + over <= end ? count : count - count % VECTOR_BYTES;
  uint8_t rest[VECTOR_BYTES];
  for (int32_t i = 0; i < whole; i += VECTOR_BYTES)
    LEVEL(byte_match)(cells + i, plane, values ? values + i : NULL, out + i);
  if (whole == count) return;
  LEVEL(byte_match)(cells + whole, plane, values ? values + whole : NULL, rest);
  memcpy(out + whole, rest, (size_t)(count - whole));
}

static TARGET void LEVEL(byte_matches)(int32_t count, const uint8_t *cells, int32_t num_planes,
                                       const wide_byte_match *planes, uint8_t *out) {
  const uint8_t *end = out + (int64_t)count * num_planes;
  for (int32_t p = 0; p < num_planes; p++, out += count)
    if (planes[p].values)
      LEVEL(byte_match_plane)(count, cells, planes + p, planes[p].values, out, end);
    else
      LEVEL(byte_match_plane)(count, cells, planes + p, NULL, out, end);
}

/* Write up to 8 floats; the bytes are copied first, as what is written may overlap what is read. */
INLINE void LEVEL(eight)(int32_t count, const uint8_t *bytes, const float *table, float scale, float offset,
                         float *out) {
  uint8_t given[8] = {0};
  float found[8];
  uint64_t any;
  memcpy(given, bytes, (size_t)count);
  memcpy(&any, given, sizeof any);
  if (!table)
    for (int32_t k = 0; k < 8; k++) found[k] = given[k] * scale + offset;
  else if (any)
    for (int32_t k = 0; k < 8; k++) found[k] = table[given[k]];
  else /* most often */
    for (int32_t k = 0; k < 8; k++) found[k] = table[0];
  memcpy(out, found, (size_t)count * sizeof *out);
}

static TARGET void LEVEL(floats)(int32_t count, const uint8_t *bytes, const float *table, float scale, float offset,
                                 float *out) {
  int32_t i = 0;
  if (table)
    for (; i + 8 <= count; i += 8) LEVEL(eight)(8, bytes + i, table, 0, 0, out + i);
  else
    for (; i + 8 <= count; i += 8) LEVEL(eight)(8, bytes + i, NULL, scale, offset, out + i);
  if (i < count) LEVEL(eight)(count - i, bytes + i, table, scale, offset, out + i);
}

#ifdef LOOK_UP
/* The first 16 of a table, low and high bytes, in both halves of a vector. */
typedef struct {
  BYTES low, high;
} LEVEL(half_table);

INLINE LEVEL(half_table) LEVEL(first_halves)(const uint16_t *table) {
  BYTES entries;
  memcpy(&entries, table, sizeof entries);
  return (LEVEL(half_table)){
      SHUFFLE(entries, entries, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 0, 2, 4, 6, 8, 10, 12, 14, 16,
              18, 20, 22, 24, 26, 28, 30),
      SHUFFLE(entries, entries, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 1, 3, 5, 7, 9, 11, 13, 15, 17,
              19, 21, 23, 25, 27, 29, 31)};
}

/* Write WIDE_BLOCK of the table, one by one. */
static __attribute__((noinline)) TARGET void LEVEL(any_halves)(BYTES cells, const uint16_t *table, uint16_t *out) {
  uint8_t given[WIDE_BLOCK];
  memcpy(given, &cells, sizeof given);
#pragma GCC unroll 32
  for (int32_t k = 0; k < WIDE_BLOCK; k++) out[k] = table[given[k]];
}

/* Write WIDE_BLOCK of the table. Bytes below 16, most often all, are looked up together. */
INLINE void LEVEL(block_halves)(BYTES cells, const LEVEL(half_table) *first, const uint16_t *table, uint16_t *out) {
  if (ANY(cells & 0xF0)) {
    LEVEL(any_halves)(cells, table, out);
    return;
  }
  const BYTES low = LOOK_UP(first->low, cells), high = LOOK_UP(first->high, cells);
  const BYTES even = SHUFFLE(low, high, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 16, 48, 17, 49, 18, 50,
                             19, 51, 20, 52, 21, 53, 22, 54, 23, 55); /* cells 0..7 and 16..23 */
  const BYTES odd = SHUFFLE(low, high, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47, 24, 56, 25, 57, 26,
                            58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63);
  const VECTOR lower = SHUFFLE((VECTOR)even, (VECTOR)odd, 0, 1, 2, 3, 8, 9, 10, 11);
  const VECTOR upper = SHUFFLE((VECTOR)even, (VECTOR)odd, 4, 5, 6, 7, 12, 13, 14, 15);
  memcpy(out, &lower, sizeof lower);
  memcpy(out + WIDE_BLOCK / 2, &upper, sizeof upper);
}
#else
/* The entry of 0, and the bits in which that of 1 differs from it, 8 times each. */
typedef struct {
  SHORTS zero, change;
} LEVEL(half_table);

INLINE LEVEL(half_table) LEVEL(first_halves)(const uint16_t *table) {
  return (LEVEL(half_table)){(SHORTS){0} + table[0], (SHORTS){0} + (uint16_t)(table[0] ^ table[1])};
}

/* Write VECTOR_BYTES of the table. Masks select the entry of a byte of 0 or 1, which most bytes are. */
INLINE void LEVEL(block_halves)(BYTES cells, const LEVEL(half_table) *first, const uint16_t *table, uint16_t *out) {
  SHORTS low, high;
  if (ANY(cells & 0xFE)) {
    uint8_t given[VECTOR_BYTES];
    memcpy(given, &cells, sizeof given);
    for (int32_t k = 0; k < 8; k++) low[k] = table[given[k]], high[k] = table[given[8 + k]];
  } else {
    const BYTES set = -cells;
    low = first->zero ^ (first->change & (SHORTS)SHUFFLE(set, set, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7));
    high = first->zero ^ (first->change & (SHORTS)SHUFFLE(set, set, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14,
                                                               14, 15, 15));
  }
  memcpy(out, &low, sizeof low);
  memcpy(out + 8, &high, sizeof high);
}
#endif

static TARGET void LEVEL(halves)(int32_t count, const uint8_t *bytes, const uint16_t *table, uint16_t *out) {
  const int32_t last = count - VECTOR_BYTES; /* the first cell of the last block, which overlaps the one before */
  const LEVEL(half_table) first = LEVEL(first_halves)(table);
  BYTES rest;
  if (last < 0) {
    uint8_t few[VECTOR_BYTES];
    memcpy(few, bytes, (size_t)count);
    for (int32_t i = 0; i < count; i++) out[i] = table[few[i]];
    return;
  }
  memcpy(&rest, bytes + last, sizeof rest); /* before it is overwritten */
  for (int32_t i = 0; i < last; i += VECTOR_BYTES) {
    BYTES cells;
    memcpy(&cells, bytes + i, sizeof cells);
    LEVEL(block_halves)(cells, &first, table, out + i);
  }
  LEVEL(block_halves)(rest, &first, table, out + last);
}

/* Write a plane of matches as bits, in the same way. */
INLINE void LEVEL(bit_match_plane)(int32_t count, const uint8_t *cells, const wide_byte_match *plane, uint8_t *out,
                                   const uint8_t *end) {
  const uint8_t mask = plane->mask, value = plane->value;
  for (int32_t i = 0; i < count; i += VECTOR_BYTES) {
    BYTES found;
    memcpy(&found, cells + i, sizeof found);
    uint32_t bits = LEVEL(bits_of)((BYTES)((found & mask) == value));
    if (i + VECTOR_BYTES > count) bits &= (uint32_t)(~0ull >> (64 - (count - i)));
    if (out + i / 8 + VECTOR_BYTES / 8 <= end)
      memcpy(out + i / 8, &bits, VECTOR_BYTES / 8);
    else
      for (int32_t n = i; n < count; n += 8) out[n / 8] = (uint8_t)(bits >> (n - i));
  }
}

static TARGET void LEVEL(bit_matches)(int32_t count, const uint8_t *cells, int32_t num_planes,
                                      const wide_byte_match *planes, const masume_plane *kinds, uint8_t *out) {
  const int32_t packed = (count + 7) / 8;
  const uint8_t *end = out;
  for (int32_t p = 0; p < num_planes; p++) end += kinds[p].is_bits ? packed : count;
  for (int32_t p = 0; p < num_planes; p++) {
    if (kinds[p].is_bits)
      LEVEL(bit_match_plane)(count, cells, planes + p, out, end);
    else if (planes[p].values)
      LEVEL(byte_match_plane)(count, cells, planes + p, planes[p].values, out, end);
    else
      LEVEL(byte_match_plane)(count, cells, planes + p, NULL, out, end);
    out += kinds[p].is_bits ? packed : count;
  }
}
#else
#include "wide_plain.h"
#endif

static const wide_level LEVEL(level) = {
    LEVEL_NAME, LEVEL(planes), LEVEL(matches), LEVEL(compact), LEVEL(byte_matches), LEVEL(bit_matches),
    LEVEL(floats), LEVEL(halves), LEVEL(bytes),
};
#endif
