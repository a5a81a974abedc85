/* The text of every CPU level. wide.c includes it once a level, with these defined:
 * LEVEL(name) (the name with the level's suffix), LEVEL_NAME (as people say it), TARGET (attribute of a function),
 * VECTOR_BYTES (16 or 32), ANY(vector) (whether it has a one), ONES(uint64_t) (how many it has).
 *
 * Floods want the rows of a board striped: row r is lane r / chunks of chunk r % chunks, four lanes a
 * player. A step from row to row is then a step from chunk to chunk, and lanes move only between the
 * last chunk and the first. A chunk holds two players, in one vector or in one each (PARTS).
 */
#define PARTS (32 / VECTOR_BYTES)
#define LANES (VECTOR_BYTES / 4)
#define MAX_VECTORS (WIDE_MAX_ROWS / 4 * PARTS) /* of two players */
#define INLINE static inline __attribute__((always_inline)) TARGET
#define VECTOR LEVEL(vector)
#define BYTES LEVEL(byte_vector)

typedef uint32_t VECTOR __attribute__((vector_size(VECTOR_BYTES)));
typedef uint8_t BYTES __attribute__((vector_size(VECTOR_BYTES)));

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
#define EIGHT_OF_EACH(word) \
  (BYTES)(wide_words){((word) & 255) * 0x0101010101010101u, ((word) >> 8 & 255) * 0x0101010101010101u}
#endif

/* Transpose the 4x4 words of each player; its own inverse. */
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
  (void)part; /* the only one */
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

/* A part of a chunk with the two players changed over. */
INLINE VECTOR LEVEL(other)(const VECTOR *chunk, int32_t part) {
#if VECTOR_BYTES == 32
  return SHUFFLE(chunk[part], chunk[part], 4, 5, 6, 7, 0, 1, 2, 3);
#else
  return chunk[1 - part];
#endif
}

/* Grow `reach` by 8-neighbours through `free` until nothing changes; all that lies above the first
 * row and below the last is reached. One sweep runs down and up at once: two chains hide each
 * other's latency, and a sweep that changed nothing has looked at every neighbour of every cell. */
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

/* The cells left of the first wall and right of the last one of each row. */
INLINE VECTOR LEVEL(outside)(VECTOR wall) {
  VECTOR below = wall;
  below |= below >> 1;
  below |= below >> 2;
  below |= below >> 4;
  below |= below >> 8;
  below |= below >> 16;
  return ~below | ((wall - 1) & ~wall);
}

/* Algorithm A of section 7.2 in bits. A round decides the cells inside the walls of one player only,
 * and goes on with those inside several (`contested`) and the walls there. Whatever is not contested
 * is outside in the next round: a ring of contested walls lies inside another player's ring, and so
 * does all that it holds. Once only walls are contested, no territory is left to decide. */
static TARGET void LEVEL(territory)(int32_t players, int32_t chunks, const uint32_t *walls, uint32_t *territory) {
  static const uint32_t no_walls[WIDE_MAX_ROWS];
  uint32_t nowhere[WIDE_MAX_ROWS]; /* the marks of the fourth of three */
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
      VECTOR marks[2][4]; /* of both blocks: the second reads what the first would have written */
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

static TARGET int64_t LEVEL(weigh)(int32_t chunks, const uint32_t *board, int32_t num_planes, const uint32_t *planes,
                                   const int32_t *weights) {
  int64_t sum = 0;
  for (int32_t k = 0; k < num_planes; k++) {
    int64_t count = 0;
    for (int32_t row = 0; row < 4 * chunks; row += 2) {
      uint64_t cells, plane;
      memcpy(&cells, board + row, sizeof cells);
      memcpy(&plane, planes + k * 4 * chunks + row, sizeof plane);
      count += ONES(cells & plane);
    }
    sum += weights[k] * count;
  }
  return sum;
}

/* The first bits of a word as 1.0f, or as their values, or 0.0f: so many vectors of them. */
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

/* A plane of a stream. What its last vector has too much of is the next plane's, until `end`. */
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

/* LANES words as 1.0f, or as their values, or 0.0f. */
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
    if (out + i + LANES <= end) { /* the next plane mends what is too much */
      LEVEL(match)(words + i, &plane, values ? values + i : NULL, out + i);
    } else {
      LEVEL(match)(words + i, &plane, values ? values + i : NULL, rest);
      memcpy(out + i, rest, (size_t)(count - i) * sizeof *out);
    }
  }
}

/* The lowest VECTOR_BYTES bits of a word as bytes. */
INLINE void LEVEL(spread_bytes)(uint32_t word, uint8_t *out) {
  BYTES bits, cells = EIGHT_OF_EACH(word);
  memcpy(&bits, wide_byte_bits, sizeof bits);
  cells = (BYTES)((cells & bits) == bits) & ((BYTES){0} + 1);
  memcpy(out, &cells, sizeof cells);
}

static TARGET void LEVEL(bytes)(const uint32_t *stream, int32_t count, uint8_t *out) {
  const int32_t words = count / 32, left = count % 32;
  uint8_t rest[32];
#pragma GCC unroll 4
  for (int32_t k = 0; k < words; k++)
    for (int32_t i = 0; i < 32; i += VECTOR_BYTES) LEVEL(spread_bytes)(stream[k] >> i, out + 32 * k + i);
  if (left == 0) return;
  for (int32_t i = 0; i < 32; i += VECTOR_BYTES) LEVEL(spread_bytes)(stream[words] >> i, rest + i);
  memcpy(out + 32 * words, rest, (size_t)left);
}

static const wide_level LEVEL(level) = {
    LEVEL_NAME, LEVEL(territory), LEVEL(weigh), LEVEL(planes), LEVEL(matches), LEVEL(bytes),
};

#undef PARTS
#undef LANES
#undef MAX_VECTORS
#undef INLINE
#undef VECTOR
#undef BYTES
#undef LANES_DOWN
#undef LANES_UP
#undef LOW_WORDS
#undef HIGH_WORDS
#undef LOW_PAIRS
#undef HIGH_PAIRS
#undef EIGHT_OF_EACH
