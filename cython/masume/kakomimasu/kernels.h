/* Kernels over bit rows.
 *
 * A bit row is a uint32_t, bit x = column x. A board is 4 * chunks rows, 4 <= chunks <= 8, the last of which may be
 * padding, always 0.
 *
 * Flood fills need the rows of a board striped: row r is lane r / chunks of chunk r % chunks, four lanes per
 * player. A step from row to row is then a step from chunk to chunk, and lanes move only between the
 * last chunk and the first. A chunk holds two players, in one vector or in one each (PARTS). */
#ifndef LEVEL
#include <stdint.h>

#define MAX_ROWS 32
#define MAX_PLAYERS 4

typedef struct {
  const char *name; /* of the CPU level */

  /* Territory of section 7.2, for each of `players` consecutive boards of walls (2..MAX_PLAYERS).
   * `territory` gains the cells that the player's walls are the innermost to enclose, loses the cells
   * that are walls or that another player's walls enclose innermost, and keeps the rest. Columns 30
   * and 31 must be free of walls. */
  void (*territory)(int32_t players, int32_t chunks, const uint32_t *walls, uint32_t *territory);

  /* Sum over the planes k of weights[k] * the number of set bits that board and planes[k] share. */
  int64_t (*weigh)(int32_t chunks, const uint32_t *board, int32_t num_planes, const uint32_t *planes,
                   const int32_t *weights);
} kakomimasu_level;

/* Return the kernels of a CPU level, by its name. */
const kakomimasu_level *kakomimasu_pick(const char *name);

#else /* for each CPU level */
#define ROOM(name) kakomimasu_##name

#ifdef VECTOR_BYTES
#define PARTS (32 / VECTOR_BYTES)
#define MAX_VECTORS (MAX_ROWS / 4 * PARTS) /* for two players */
#if VECTOR_BYTES == 32
#define LANES_DOWN(v, edge) SHUFFLE(v, edge, 8, 0, 1, 2, 12, 4, 5, 6)
#define LANES_UP(v, edge) SHUFFLE(v, edge, 1, 2, 3, 8, 5, 6, 7, 12)
#define LOW_WORDS(a, b) SHUFFLE(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_WORDS(a, b) SHUFFLE(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_PAIRS(a, b) SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_PAIRS(a, b) SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define LANES_DOWN(v, edge) SHUFFLE(v, edge, 4, 0, 1, 2)
#define LANES_UP(v, edge) SHUFFLE(v, edge, 1, 2, 3, 4)
#define LOW_WORDS(a, b) SHUFFLE(a, b, 0, 4, 1, 5)
#define HIGH_WORDS(a, b) SHUFFLE(a, b, 2, 6, 3, 7)
#define LOW_PAIRS(a, b) SHUFFLE(a, b, 0, 1, 4, 5)
#define HIGH_PAIRS(a, b) SHUFFLE(a, b, 2, 3, 6, 7)
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
  static const uint32_t no_walls[MAX_ROWS];
  uint32_t nowhere[MAX_ROWS]; /* marks of the missing fourth player */
  const int32_t pairs = (players + 1) / 2, rows = 4 * chunks, last = chunks - 4, vectors = chunks * PARTS;
  const uint32_t *from[MAX_PLAYERS];
  uint32_t *to[MAX_PLAYERS];
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

INLINE int64_t LEVEL(weigh_rows)(const int32_t chunks, const uint32_t *board, int32_t num_planes,
                                 const uint32_t *planes, const int32_t *weights) {
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
#else
/* Grow `reach` by 8-neighbours through `free` until nothing changes; everything above the first row and below the
 * last counts as reached. */
static void LEVEL(grow)(int32_t rows, const uint32_t *free, uint32_t *reach) {
  uint32_t changed;
  do {
    uint32_t above = ~0u, below = ~0u;
    changed = 0;
    for (int32_t up = rows - 1, down = 0; down < rows; up--, down++) {
      above |= reach[down];
      above = (above | above << 1 | above >> 1) & free[down];
      changed |= above ^ reach[down];
      reach[down] = above;
      below |= reach[up];
      below = (below | below << 1 | below >> 1) & free[up];
      changed |= below ^ reach[up];
      reach[up] = below;
    }
  } while (changed);
}

/* The cells left of the first wall and right of the last one in a row. */
static uint32_t LEVEL(outside)(uint32_t wall) {
  uint32_t below = wall;
  for (int32_t n = 1; n < 32; n *= 2) below |= below >> n;
  return ~below | ((wall - 1) & ~wall);
}

/* The algorithm is explained above. */
static void LEVEL(territory)(int32_t players, int32_t chunks, const uint32_t *walls, uint32_t *marks) {
  uint32_t free[MAX_PLAYERS][MAX_ROWS], reach[MAX_PLAYERS][MAX_ROWS];
  uint32_t any_wall[MAX_ROWS] = {0}, lost[MAX_ROWS], contested[MAX_ROWS], open;
  uint32_t won[MAX_PLAYERS][MAX_ROWS] = {{0}};
  const int32_t rows = 4 * chunks;
  for (int32_t p = 0; p < players; p++)
    for (int32_t r = 0; r < rows; r++) {
      const uint32_t wall = walls[p * rows + r];
      any_wall[r] |= wall;
      free[p][r] = ~wall;
      reach[p][r] = LEVEL(outside)(wall);
    }
  memcpy(lost, any_wall, sizeof lost);
  for (;;) {
    open = 0;
    for (int32_t p = 0; p < players; p++) LEVEL(grow)(rows, free[p], reach[p]);
    for (int32_t r = 0; r < rows; r++) {
      uint32_t one = 0, several = 0;
      for (int32_t p = 0; p < players; p++) {
        several |= one & ~reach[p][r];
        one |= ~reach[p][r];
      }
      for (int32_t p = 0; p < players; p++) won[p][r] |= ~reach[p][r] & ~several & ~any_wall[r];
      lost[r] |= one & ~several;
      contested[r] = several;
      open |= several & ~any_wall[r];
    }
    if (!open) break;
    for (int32_t p = 0; p < players; p++)
      for (int32_t r = 0; r < rows; r++) {
        free[p][r] = ~(walls[p * rows + r] & contested[r]);
        reach[p][r] = ~contested[r];
      }
  }
  for (int32_t p = 0; p < players; p++)
    for (int32_t r = 0; r < rows; r++) marks[p * rows + r] = (marks[p * rows + r] & ~lost[r]) | won[p][r];
}

static int64_t LEVEL(weigh)(int32_t chunks, const uint32_t *board, int32_t num_planes, const uint32_t *planes,
                            const int32_t *weights) {
  int64_t sum = 0;
  for (int32_t k = 0; k < num_planes; k++, planes += 4 * chunks)
    for (int32_t r = 0; r < 4 * chunks; r++) sum += (int64_t)weights[k] * wide_ones(board[r] & planes[r]);
  return sum;
}
#endif

static const kakomimasu_level LEVEL(level) = {LEVEL_NAME, LEVEL(territory), LEVEL(weigh)};

#undef LANES_DOWN
#undef LANES_UP
#undef LOW_WORDS
#undef HIGH_WORDS
#undef LOW_PAIRS
#undef HIGH_PAIRS
#endif
