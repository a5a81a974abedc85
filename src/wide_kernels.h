/* Source of every CPU level. wide.c includes it once per level, with these defined:
 * LEVEL(name) (the name with the level's suffix), LEVEL_NAME (the level as text), TARGET (attribute of a function),
 * VECTOR_BYTES (16 or 32), ANY(vector) (whether any bit is set);
 * with masks of AVX-512 WHERE(word, vector) (the bytes whose bits are set, else 0); on x86 SIGNS(vector) (the highest bit
 * of each byte), and with 32 bytes LOOK_UP(table, vector) (the byte of the table in the same half for each byte),
 * AT_MOST(vector, number) (the lower of each byte and the number), HIGHER(v, w) (the higher of two signed words each) and
 * PRODUCTS(v, w) (the sums of the products of two neighbouring bytes, as 16 bits).
 *
 * Flood fills need the rows of a board striped: row r is lane r / chunks of chunk r % chunks, four lanes per
 * player. A step from row to row is then a step from chunk to chunk, and lanes move only between the
 * last chunk and the first. A chunk holds two players, in one vector or in one each (PARTS).
 */
#define PARTS (32 / VECTOR_BYTES)
#define LANES (VECTOR_BYTES / 4)
#define MAX_VECTORS (WIDE_MAX_ROWS / 4 * PARTS) /* for two players */
#define INLINE static inline __attribute__((always_inline)) TARGET
#define VECTOR LEVEL(vector)
#define BYTES LEVEL(byte_vector)
#define SIGNED LEVEL(signed_vector)
#define SHORTS LEVEL(short_vector)
#define INTS LEVEL(int_vector)
#define FLOATS LEVEL(float_vector)

typedef uint32_t VECTOR __attribute__((vector_size(VECTOR_BYTES)));
typedef uint8_t BYTES __attribute__((vector_size(VECTOR_BYTES)));
typedef int8_t SIGNED __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t SHORTS __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t INTS __attribute__((vector_size(VECTOR_BYTES)));
typedef float FLOATS __attribute__((vector_size(VECTOR_BYTES)));

#if VECTOR_BYTES == 32
#define LANES_DOWN(v, edge) SHUFFLE(v, edge, 8, 0, 1, 2, 12, 4, 5, 6)
#define LANES_UP(v, edge) SHUFFLE(v, edge, 1, 2, 3, 8, 5, 6, 7, 12)
#define LOW_WORDS(a, b) SHUFFLE(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_WORDS(a, b) SHUFFLE(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_PAIRS(a, b) SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_PAIRS(a, b) SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define EIGHT_OF_EACH(word)                                                                                    \
  SHUFFLE((BYTES)((VECTOR){0} + (word)), (BYTES){0}, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, \
                          1, 1, 18, 18, 18, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19, 19, 19, 19)
#else
#define LANES_DOWN(v, edge) SHUFFLE(v, edge, 4, 0, 1, 2)
#define LANES_UP(v, edge) SHUFFLE(v, edge, 1, 2, 3, 4)
#define LOW_WORDS(a, b) SHUFFLE(a, b, 0, 4, 1, 5)
#define HIGH_WORDS(a, b) SHUFFLE(a, b, 2, 6, 3, 7)
#define LOW_PAIRS(a, b) SHUFFLE(a, b, 0, 1, 4, 5)
#define HIGH_PAIRS(a, b) SHUFFLE(a, b, 2, 3, 6, 7)
#define EIGHT_OF_EACH(word) LEVEL(eight_of_each)(word)
#endif

#if VECTOR_BYTES == 16
/* Each of the two lowest bytes eight times, in steps of one instruction. */
INLINE BYTES LEVEL(eight_of_each)(uint32_t word) {
  const BYTES bytes = (BYTES)(VECTOR){word};
  const SHORTS two = (SHORTS)SHUFFLE(bytes, bytes, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
  const VECTOR four = (VECTOR)SHUFFLE(two, two, 0, 0, 1, 1, 4, 5, 6, 7);
  return (BYTES)SHUFFLE(four, four, 0, 0, 1, 1);
}
#endif

/* Transpose the 4x4 words of each player; this is its own inverse. */
INLINE void LEVEL(transpose)(VECTOR v[4]) {
  const VECTOR a = LOW_WORDS(v[0], v[1]), b = HIGH_WORDS(v[0], v[1]);
  const VECTOR c = LOW_WORDS(v[2], v[3]), d = HIGH_WORDS(v[2], v[3]);
  v[0] = LOW_PAIRS(a, c);
  v[1] = HIGH_PAIRS(a, c);
  v[2] = LOW_PAIRS(b, d);
  v[3] = HIGH_PAIRS(b, d);
}

/* Rows row..row+3 of the players that a part holds. */
INLINE VECTOR LEVEL(load)(const uint32_t *const boards[2], int32_t part, int32_t row) {
#if VECTOR_BYTES == 32
  (void)part; /* there is only one */
  wide_quad first, second;
  memcpy(&first, boards[0] + row, sizeof first);
  memcpy(&second, boards[1] + row, sizeof second);
  return JOIN(first, second);
#else
  VECTOR v;
  memcpy(&v, boards[part] + row, sizeof v);
  return v;
#endif
}

INLINE void LEVEL(store)(uint32_t *const boards[2], int32_t part, int32_t row, VECTOR v) {
#if VECTOR_BYTES == 32
  (void)part;
  const wide_quad first = LOW_HALF(v);
  const wide_quad second = HIGH_HALF(v);
  memcpy(boards[0] + row, &first, sizeof first);
  memcpy(boards[1] + row, &second, sizeof second);
#else
  memcpy(boards[part] + row, &v, sizeof v);
#endif
}

/* Return a part of a chunk with the two players swapped. */
INLINE VECTOR LEVEL(other)(const VECTOR *chunk, int32_t part) {
#if VECTOR_BYTES == 32
  return SHUFFLE(chunk[part], chunk[part], 4, 5, 6, 7, 0, 1, 2, 3);
#else
  return chunk[1 - part];
#endif
}

/* Grow `reach` by 8-neighbours through `free` until nothing changes; everything above the first row and below the
 * last counts as reached. One sweep runs down and up at once: two chains hide each other's latency, and a sweep
 * that changed nothing has checked every neighbour of every cell. */
INLINE void LEVEL(grow)(const int32_t chunks, const VECTOR *restrict free, VECTOR *restrict reach) {
  const VECTOR edge = ~(VECTOR){0};
  VECTOR changed;
  do {
    changed = (VECTOR){0};
    for (int32_t part = 0; part < PARTS; part++) {
      VECTOR down = LANES_DOWN(reach[(chunks - 1) * PARTS + part], edge);
      VECTOR up = LANES_UP(reach[part], edge);
#pragma GCC unroll 8
      for (int32_t c = 0; c < chunks; c++) {
        const int32_t i = c * PARTS + part, j = (chunks - 1 - c) * PARTS + part;
        const VECTOR above = down | reach[i];
        down = (above | above << 1 | above >> 1) & free[i];
        changed |= down ^ reach[i];
        reach[i] = down;
        const VECTOR below = up | reach[j];
        up = (below | below << 1 | below >> 1) & free[j];
        changed |= up ^ reach[j];
        reach[j] = up;
      }
    }
  } while (ANY(changed));
}

static __attribute__((noinline)) TARGET void LEVEL(flood)(int32_t chunks, const VECTOR *restrict free,
                                                          VECTOR *restrict reach) {
  switch (chunks) { /* a loop of known length is unrolled */
    case 4: LEVEL(grow)(4, free, reach); break;
    case 5: LEVEL(grow)(5, free, reach); break;
    case 6: LEVEL(grow)(6, free, reach); break;
    case 7: LEVEL(grow)(7, free, reach); break;
    default: LEVEL(grow)(8, free, reach);
  }
}

/* The cells left of the first wall and right of the last one in each row. */
INLINE VECTOR LEVEL(outside)(VECTOR wall) {
  VECTOR below = wall;
  below |= below >> 1;
  below |= below >> 2;
  below |= below >> 4;
  below |= below >> 8;
  below |= below >> 16;
  return ~below | ((wall - 1) & ~wall);
}

/* Algorithm A of section 7.2 in bits. A round decides the cells inside the walls of only one player, and continues
 * with those inside several (`contested`) and the walls there. Cells that are not contested are outside in the next
 * round: a ring of contested walls is inside another player's ring, and so is everything it encloses. Once only
 * walls are contested, all territory is decided. */
static TARGET void LEVEL(territory)(int32_t players, int32_t chunks, const uint32_t *walls, uint32_t *territory) {
  static const uint32_t no_walls[WIDE_MAX_ROWS];
  uint32_t nowhere[WIDE_MAX_ROWS]; /* marks of the missing fourth player */
  const int32_t pairs = (players + 1) / 2, rows = 4 * chunks, last = chunks - 4, vectors = chunks * PARTS;
  const uint32_t *from[WIDE_MAX_PLAYERS];
  uint32_t *to[WIDE_MAX_PLAYERS];
  VECTOR wall[2][MAX_VECTORS], free[2][MAX_VECTORS], reach[2][MAX_VECTORS], won[2][MAX_VECTORS];
  VECTOR any_wall[MAX_VECTORS], lost[MAX_VECTORS], contested[MAX_VECTORS], open;

  if (players % 2) memset(nowhere, 0, sizeof nowhere);
  for (int32_t player = 0; player < 2 * pairs; player++) {
    from[player] = player < players ? walls + player * rows : no_walls;
    to[player] = player < players ? territory + player * rows : nowhere;
  }
  for (int32_t pair = 0; pair < pairs; pair++)
    for (int32_t part = 0; part < PARTS; part++)
      for (int32_t first = 0;; first = last) { /* chunks first..first+3; two blocks may overlap */
        VECTOR v[4];
        for (int32_t lane = 0; lane < 4; lane++)
          v[lane] = LEVEL(load)(from + 2 * pair, part, lane * chunks + first);
        LEVEL(transpose)(v);
        for (int32_t c = 0; c < 4; c++) {
          const int32_t i = (first + c) * PARTS + part;
          wall[pair][i] = v[c];
          free[pair][i] = ~v[c];
          reach[pair][i] = LEVEL(outside)(v[c]);
          won[pair][i] = (VECTOR){0};
        }
        if (first == last) break;
      }
  for (int32_t i = 0; i < vectors; i++) {
    const int32_t chunk = i - i % PARTS, part = i % PARTS;
    any_wall[i] = wall[0][i] | LEVEL(other)(wall[0] + chunk, part);
    if (pairs == 2) any_wall[i] |= wall[1][i] | LEVEL(other)(wall[1] + chunk, part);
  }

  for (;;) {
    open = (VECTOR){0};
    for (int32_t pair = 0; pair < pairs; pair++) LEVEL(flood)(chunks, free[pair], reach[pair]);
    for (int32_t i = 0; i < vectors; i++) {
      const int32_t chunk = i - i % PARTS, part = i % PARTS;
      const VECTOR a = ~reach[0][i], b = ~LEVEL(other)(reach[0] + chunk, part);
      VECTOR several = a & b;
      if (pairs == 2) {
        const VECTOR c = ~reach[1][i], d = ~LEVEL(other)(reach[1] + chunk, part);
        several |= (c & d) | ((a | b) & (c | d));
        won[1][i] |= c & ~several & ~any_wall[i];
      }
      won[0][i] |= a & ~several & ~any_wall[i];
      contested[i] = several;
      open |= several & ~any_wall[i];
    }
    if (!ANY(open)) break;
    for (int32_t pair = 0; pair < pairs; pair++)
      for (int32_t i = 0; i < vectors; i++) {
        free[pair][i] = ~(wall[pair][i] & contested[i]);
        reach[pair][i] = ~contested[i];
      }
  }

  for (int32_t i = 0; i < vectors; i++) {
    const int32_t chunk = i - i % PARTS, part = i % PARTS;
    lost[i] = any_wall[i] | won[0][i] | LEVEL(other)(won[0] + chunk, part);
    if (pairs == 2) lost[i] |= won[1][i] | LEVEL(other)(won[1] + chunk, part);
  }
  for (int32_t pair = 0; pair < pairs; pair++)
    for (int32_t part = 0; part < PARTS; part++) {
      VECTOR marks[2][4]; /* of both blocks, because the first block's writes overlap what the second reads */
      for (int32_t block = 0; block < 2; block++) {
        VECTOR gain[4], loss[4];
        for (int32_t c = 0; c < 4; c++) {
          gain[c] = won[pair][(block * last + c) * PARTS + part];
          loss[c] = lost[(block * last + c) * PARTS + part];
        }
        LEVEL(transpose)(gain);
        LEVEL(transpose)(loss);
        for (int32_t lane = 0; lane < 4; lane++) {
          marks[block][lane] = LEVEL(load)((const uint32_t *const *)to + 2 * pair, part, lane * chunks + block * last);
          marks[block][lane] = (marks[block][lane] & ~loss[lane]) | gain[lane];
        }
      }
      for (int32_t block = 0; block < 2; block++)
        for (int32_t lane = 0; lane < 4; lane++)
          LEVEL(store)(to + 2 * pair, part, lane * chunks + block * last, marks[block][lane]);
    }
}

/* Add the bytes to the sums, of 16 bits each. */
INLINE SHORTS LEVEL(add_bytes)(SHORTS sums, BYTES v) {
#if defined(__SSE2__) && VECTOR_BYTES == 32
  return sums + (SHORTS)__builtin_ia32_psadbw256((wide_chars)v, (wide_chars){0});
#elif defined(__SSE2__)
  return sums + (SHORTS)__builtin_ia32_psadbw128((wide_few_chars)v, (wide_few_chars){0});
#else
  return sums + ((SHORTS)v & 255) + ((SHORTS)v >> 8);
#endif
}

INLINE int64_t LEVEL(weigh_rows)(const int32_t chunks, const uint32_t *board, int32_t num_planes, const uint32_t *planes,
                                 const int32_t *weights) {
  int64_t sum = 0;
  for (int32_t k = 0; k < num_planes; k++) {
#if defined(__SSE2__) && VECTOR_BYTES == 16
    BYTES ones = {0}; /* of each byte: at most 8 of each row of a lane, so at most 64 */
#pragma GCC unroll 8
    for (int32_t row = 0; row < 4 * chunks; row += 4) {
      VECTOR cells, plane;
      memcpy(&cells, board + row, sizeof cells);
      memcpy(&plane, planes + k * 4 * chunks + row, sizeof plane);
      cells &= plane;
      cells -= cells >> 1 & 0x55555555u;
      cells = (cells & 0x33333333u) + (cells >> 2 & 0x33333333u);
      ones += (BYTES)((cells + (cells >> 4)) & 0x0F0F0F0Fu);
    }
    const wide_words halves = (wide_words)LEVEL(add_bytes)((SHORTS){0}, ones);
    const int64_t count = (int64_t)(halves[0] + halves[1]);
#else
    int64_t count = 0;
#pragma GCC unroll 16
    for (int32_t row = 0; row < 4 * chunks; row += 2) {
      uint64_t cells, plane;
      memcpy(&cells, board + row, sizeof cells);
      memcpy(&plane, planes + k * 4 * chunks + row, sizeof plane);
      count += __builtin_popcountll(cells & plane);
    }
#endif
    sum += weights[k] * count;
  }
  return sum;
}

static TARGET int64_t LEVEL(weigh)(int32_t chunks, const uint32_t *board, int32_t num_planes, const uint32_t *planes,
                                   const int32_t *weights) {
  switch (chunks) { /* a loop of known length is unrolled */
    case 4: return LEVEL(weigh_rows)(4, board, num_planes, planes, weights);
    case 5: return LEVEL(weigh_rows)(5, board, num_planes, planes, weights);
    case 6: return LEVEL(weigh_rows)(6, board, num_planes, planes, weights);
    case 7: return LEVEL(weigh_rows)(7, board, num_planes, planes, weights);
    default: return LEVEL(weigh_rows)(8, board, num_planes, planes, weights);
  }
}

/* Write the lowest bits of a word as floats, `vectors` vectors of them: 1.0f or the value if set, else 0.0f. */
INLINE void LEVEL(spread)(uint32_t word, const float *values, int32_t vectors, float *out) {
  const VECTOR one = (VECTOR){0} + 0x3F800000u; /* 1.0f */
#pragma GCC unroll 8
  for (int32_t k = 0; k < vectors; k++) {
    VECTOR bits, cells = one;
    memcpy(&bits, wide_bits + k * LANES, sizeof bits);
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

/* Return the lowest bits of WIDE_BLOCK bytes, which are 0 or 1. */
INLINE uint32_t LEVEL(lowest_bits)(const uint8_t *values) {
#ifdef __x86_64__
  uint32_t bits = 0;
  for (int32_t i = 0; i < WIDE_BLOCK; i += VECTOR_BYTES) {
    BYTES cells;
    memcpy(&cells, values + i, sizeof cells);
    bits |= (uint32_t)SIGNS((BYTES)(cells << 7)) << i;
  }
  return bits;
#else
  uint32_t bits = 0;
  for (int32_t i = 0; i < WIDE_BLOCK; i += 8) {
    uint64_t eight;
    memcpy(&eight, values + i, sizeof eight);
    bits |= (uint32_t)((eight & 0x0101010101010101u) * 0x0102040810204080u >> 56) << i;
  }
  return bits;
#endif
}

/* Write up to 32 cells as bytes: 1 or the value where the bit is set. */
INLINE void LEVEL(block)(uint32_t word, const uint8_t *values, int32_t count, uint8_t *out) {
  for (int32_t i = 0; i < count; i += VECTOR_BYTES) {
    BYTES value = (BYTES){0} + 1;
    if (values) memcpy(&value, values + i, sizeof value);
#ifdef WHERE
    value = WHERE(word, value);
#else
    BYTES bits, cells = EIGHT_OF_EACH(word >> i);
    memcpy(&bits, wide_byte_bits, sizeof bits);
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

/* Write the lowest bits of bytes as bits. */
INLINE void LEVEL(pack)(int32_t count, const uint8_t *values, uint8_t *out) {
  for (int32_t i = 0; i < count; i += WIDE_BLOCK) {
    const int32_t cells = count - i < WIDE_BLOCK ? count - i : WIDE_BLOCK;
    const uint32_t bits = LEVEL(lowest_bits)(values + i) & (uint32_t)(~0ull >> (64 - cells));
    if (cells == WIDE_BLOCK)
      memcpy(out + i / 8, &bits, sizeof bits);
    else
      for (int32_t n = 0; n < cells; n += 8) out[(i + n) / 8] = (uint8_t)(bits >> n);
  }
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

static TARGET void LEVEL(age)(int32_t count, uint8_t by, uint8_t *bytes) {
  int32_t i = 0;
  for (; i + VECTOR_BYTES <= count; i += VECTOR_BYTES) {
    BYTES cells, sums;
    memcpy(&cells, bytes + i, sizeof cells);
    sums = cells + by;
    sums = (sums | (BYTES)(sums < cells)) & (BYTES)(cells != 0);
    memcpy(bytes + i, &sums, sizeof sums);
  }
  for (; i < count; i++)
    if (bytes[i]) bytes[i] = (uint8_t)(bytes[i] > 255 - by ? 255 : bytes[i] + by);
}

/* The next amounts as bytes; those above 127 are 127. */
INLINE BYTES LEVEL(clip)(const int32_t *amounts) {
#if defined(__SSE2__) && VECTOR_BYTES == 32
  wide_dwords a, b, c, d;
  memcpy(&a, amounts, sizeof a);
  memcpy(&b, amounts + 8, sizeof b);
  memcpy(&c, amounts + 16, sizeof c);
  memcpy(&d, amounts + 24, sizeof d);
  const wide_dwords joined = (wide_dwords)__builtin_ia32_packsswb256(__builtin_ia32_packssdw256(a, b),
                                                                     __builtin_ia32_packssdw256(c, d));
  return (BYTES)__builtin_ia32_permvarsi256(joined, (wide_dwords){0, 4, 1, 5, 2, 6, 3, 7});
#elif defined(__SSE2__)
  wide_four a, b, c, d;
  memcpy(&a, amounts, sizeof a);
  memcpy(&b, amounts + 4, sizeof b);
  memcpy(&c, amounts + 8, sizeof c);
  memcpy(&d, amounts + 12, sizeof d);
  return (BYTES)__builtin_ia32_packsswb128(__builtin_ia32_packssdw128(a, b), __builtin_ia32_packssdw128(c, d));
#else
  BYTES found;
  for (int32_t k = 0; k < VECTOR_BYTES; k++) found[k] = (uint8_t)(amounts[k] > 127 ? 127 : amounts[k]);
  return found;
#endif
}

/* A bit for each byte, whose bits are all equal. */
INLINE uint32_t LEVEL(bits_of)(BYTES v) {
#if defined(__SSE2__) && VECTOR_BYTES == 32
  return (uint32_t)__builtin_ia32_pmovmskb256((wide_chars)v);
#elif defined(__SSE2__)
  return (uint32_t)__builtin_ia32_pmovmskb128((wide_few_chars)v);
#else
  uint8_t bytes[VECTOR_BYTES], found[VECTOR_BYTES / 8];
  uint32_t bits = 0;
  v &= 1;
  memcpy(bytes, &v, sizeof bytes);
  LEVEL(pack)(VECTOR_BYTES, bytes, found);
  memcpy(&bits, found, sizeof found);
  return bits;
#endif
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

/* The number of the bits 0 to 5 that each byte has; the others are 0. */
INLINE BYTES LEVEL(ones_of_six)(BYTES v) {
#ifdef LOOK_UP
  const BYTES ones = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return LOOK_UP(ones, v & 15) + LOOK_UP(ones, (BYTES)((SHORTS)v >> 4) & 3);
#else
  v -= (BYTES)((SHORTS)v >> 1) & 0x15;
  v = (v & 0x33) + ((BYTES)((SHORTS)v >> 2) & 0x33);
  return (v + (BYTES)((SHORTS)v >> 4)) & 7;
#endif
}

static TARGET int32_t LEVEL(offers)(int32_t count, const int32_t *amounts, const uint8_t *cells, uint8_t mask,
                                    uint8_t value, uint8_t *ways, int32_t *cleared, uint64_t *set) {
  const VECTOR zeros = {0};
  SHORTS sums = {0};
  uint64_t parts[VECTOR_BYTES / 8], sum = 0;
  set[(count - 1) / 64] = 0; /* blocks may fill only a part of it */
  for (int32_t i = 0; i < count; i += VECTOR_BYTES) {
    SIGNED amount = (SIGNED)LEVEL(clip)(amounts + i);
    BYTES cell, way;
    memcpy(&cell, cells + i, sizeof cell);
    memcpy(&way, ways + i, sizeof way);
    way &= 63;
    amount &= ((cell & mask) == value) & ((SIGNED)way > 0);
    const BYTES any = (BYTES)(amount > 0), weight = LEVEL(ones_of_six)(way);
    const uint32_t bits = LEVEL(bits_of)(any);
#ifdef LOOK_UP
    const BYTES factors = {0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
                           0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    const BYTES factor = LOOK_UP(factors, AT_MOST((BYTES)amount, 15));
    sums += (SHORTS)PRODUCTS(weight, factor);
    way += (BYTES)((SHORTS)(factor + any) << 6) & 192;
#else
    const BYTES two = (BYTES)(amount > 1), three = (BYTES)(amount > 2), five = (BYTES)(amount > 4);
    sums = LEVEL(add_bytes)(sums, (weight & any) + (weight & two) + (weight & three) + (weight & five));
    way += (two & 64) + (three & 64) + (five & 64);
#endif
    memcpy((uint8_t *)set + i / 8, &bits, VECTOR_BYTES / 8);
    memcpy(ways + i, &way, sizeof way);
    if (i + VECTOR_BYTES <= count)
      for (int32_t k = 0; k < VECTOR_BYTES; k += LANES) memcpy(cleared + i + k, &zeros, sizeof zeros);
  }
  if (count >= VECTOR_BYTES) { /* the last ones, some of them again */
    for (int32_t k = VECTOR_BYTES; k > 0; k -= LANES) memcpy(cleared + count - k, &zeros, sizeof zeros);
  } else {
    memset(cleared, 0, (size_t)count * sizeof *cleared);
  }
  memcpy(parts, &sums, sizeof parts);
  for (int32_t k = 0; k < VECTOR_BYTES / 8; k++) sum += parts[k];
  return (int32_t)(sum * 0x0001000100010001u >> 48);
}

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
        VECTOR bits;
        memcpy(&bits, wide_bits + k * LANES, sizeof bits);
        sum[k] += part & (INTS)((word & bits) == bits);
      }
    }
    memcpy(sums + i, sum, sizeof sum);
  }
  return LEVEL(first_highest)(count, sums);
}

static TARGET int32_t LEVEL(highest)(const wide_grid *grid, int32_t own, const int32_t *values, int32_t *found) {
  enum { MARGIN = 16 }; /* at least the width, and the lanes of a vector */
  const int32_t count = grid->count, width = grid->width;
  int32_t padded[1 + WIDE_MAX_CELLS + 1], rows[MARGIN + WIDE_MAX_CELLS + MARGIN];
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

/* `add_rows` for some columns, which stay in registers: `vectors` vectors of them. */
INLINE void LEVEL(add_columns)(int32_t count, const int32_t *rows, const float *factors, int32_t width,
                               const float *matrix, int32_t vectors, float *sums) {
  FLOATS v[8], row;
#pragma GCC unroll 8
  for (int32_t i = 0; i < vectors; i++) memcpy(v + i, sums + i * LANES, sizeof *v);
  for (int32_t k = 0; k < count; k++) {
    const float *from = matrix + (int64_t)rows[k] * width;
    const FLOATS factor = (FLOATS){0} + factors[k];
#pragma GCC unroll 8
    for (int32_t i = 0; i < vectors; i++) {
      memcpy(&row, from + i * LANES, sizeof row);
      v[i] += factor * row;
    }
  }
#pragma GCC unroll 8
  for (int32_t i = 0; i < vectors; i++) memcpy(sums + i * LANES, v + i, sizeof *v);
}

static TARGET void LEVEL(add_rows)(int32_t count, const int32_t *rows, const float *factors, int32_t width,
                                   const float *matrix, float *sums) {
  int32_t i = 0;
  for (; i + 8 * LANES <= width; i += 8 * LANES)
    LEVEL(add_columns)(count, rows, factors, width, matrix + i, 8, sums + i);
  for (; i + LANES <= width; i += LANES) LEVEL(add_columns)(count, rows, factors, width, matrix + i, 1, sums + i);
  for (int32_t k = 0; k < count; k++)
    for (int32_t j = i; j < width; j++) sums[j] += factors[k] * matrix[(int64_t)rows[k] * width + j];
}

static const wide_level LEVEL(level) = {
    LEVEL_NAME,          LEVEL(territory),   LEVEL(weigh),   LEVEL(planes),   LEVEL(matches), LEVEL(compact),
    LEVEL(byte_matches), LEVEL(bit_matches), LEVEL(floats),  LEVEL(halves),   LEVEL(age),     LEVEL(bytes),
    LEVEL(offers),       LEVEL(share),       LEVEL(highest), LEVEL(add_rows),
};

#undef PARTS
#undef LANES
#undef MAX_VECTORS
#undef INLINE
#undef VECTOR
#undef BYTES
#undef SIGNED
#undef SHORTS
#undef INTS
#undef FLOATS
#undef LANES_DOWN
#undef LANES_UP
#undef LOW_WORDS
#undef HIGH_WORDS
#undef LOW_PAIRS
#undef HIGH_PAIRS
#undef EIGHT_OF_EACH
