/* The floor of Kakomimasu: turns and enclosure of two players with 14 agents each on 24x24 cells.
 *
 * A turn judges 28 codes, finds those that target the same cell and those that are blocked, moves, builds and removes,
 * and marks territory. It leaves out result codes, codes out of range, the end of the game, every other size of board
 * and the rule of walls put on walls. Bit x of a row is column x. The rows of both players are stored for the flood:
 * row r of player p is word r % 6 * 8 + p * 4 + r / 6, so that a step from row to row is one from vector to vector.
 */
#include <stdint.h>
#include <string.h>

#define SIDE 24
#define AGENTS 14
#define FIELD 0xFFFFFFu
#define AT(player, row) ((row) % CHUNKS * 8 + (player) * 4 + (row) / CHUNKS)

enum { CHUNKS = 6, ROWS = 32, FIRST_MOVE = 1, FIRST_REMOVE = 9, PUTS = 17 };

typedef uint32_t rows_t __attribute__((vector_size(32)));

typedef struct {
  rows_t walls[CHUNKS];
  rows_t territory[CHUNKS];
  int16_t agents[2][AGENTS]; /* row * 32 + column, -1: not placed */
  int32_t played, unused;
} Board;

static const int16_t STEPS[8] = {-32, -31, 1, 33, 32, 31, -1, -33};

/* By kind (stay, move, remove, put): bit (placed | on the board << 1 | wall << 2 | own wall << 3) is set if it acts. */
static const uint16_t BUILDS[4] = {0, 1 << 3 | 1 << 15, 0, 1 << 2 | 1 << 14};
static const uint16_t REMOVES[4] = {0, 0, 1 << 7 | 1 << 15, 0};

static uint8_t kinds[PUTS + SIDE * SIDE]; /* kind of a code: stay, moves, removes, puts by cell */
static int16_t steps[PUTS + SIDE * SIDE]; /* from the agent to its target; for a put, the target */

int64_t prepare(void) {
  for (int d = 0; d < 8; d++) {
    kinds[FIRST_MOVE + d] = 1;
    kinds[FIRST_REMOVE + d] = 2;
    steps[FIRST_MOVE + d] = steps[FIRST_REMOVE + d] = STEPS[d];
  }
  for (int cell = 0; cell < SIDE * SIDE; cell++) {
    kinds[PUTS + cell] = 3;
    steps[PUTS + cell] = (int16_t)(cell / SIDE * 32 + cell % SIDE);
  }
  return PUTS + SIDE * SIDE;
}

#define OTHER(rows) __builtin_shufflevector(rows, rows, 4, 5, 6, 7, 0, 1, 2, 3) /* swaps the players */

static inline int any(const rows_t *rows) {
  uint64_t words[4];
  memcpy(words, rows, sizeof words);
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

static void flood(const rows_t *restrict free, rows_t *restrict reach) {
  const rows_t edge = ~(rows_t){0};
  rows_t changed;
  do {
    rows_t down = __builtin_shufflevector(reach[CHUNKS - 1], edge, 8, 0, 1, 2, 12, 4, 5, 6);
    rows_t up = __builtin_shufflevector(reach[0], edge, 1, 2, 3, 8, 5, 6, 7, 12);
    changed = (rows_t){0};
#pragma GCC unroll 6
    for (int c = 0; c < CHUNKS; c++) { /* down and up at once: two independent chains */
      const int b = CHUNKS - 1 - c;
      const rows_t above = down | reach[c];
      down = (above | above << 1 | above >> 1) & free[c];
      changed |= down ^ reach[c];
      reach[c] = down;
      const rows_t below = up | reach[b];
      up = (below | below << 1 | below >> 1) & free[b];
      changed |= up ^ reach[b];
      reach[b] = up;
    }
  } while (any(&changed));
}

static void mark_territory(Board *board) {
  rows_t free[CHUNKS], reach[CHUNKS], walls[CHUNKS], won[CHUNKS];
  for (int c = 0; c < CHUNKS; c++) {
    const rows_t own = board->walls[c];
    rows_t below = own | own >> 1; /* everything left of the last wall */
    below |= below >> 2;
    below |= below >> 4;
    below |= below >> 8;
    below |= below >> 16;
    walls[c] = own | OTHER(own);
    free[c] = ~own;
    reach[c] = ~below | ((own - 1) & ~own);
    won[c] = (rows_t){0};
  }
  for (;;) {
    rows_t open = {0};
    flood(free, reach);
    for (int c = 0; c < CHUNKS; c++) {
      const rows_t inside = ~reach[c], both = inside & OTHER(inside);
      won[c] |= inside & ~both & ~walls[c];
      open |= both & ~walls[c];
      free[c] = ~(board->walls[c] & both);
      reach[c] = ~both;
    }
    if (!any(&open)) break;
  }
  for (int c = 0; c < CHUNKS; c++)
    board->territory[c] = (board->territory[c] & ~(walls[c] | won[c] | OTHER(won[c]))) | won[c];
}

int64_t enclosure(Board *boards, int64_t n) {
  for (int64_t i = 0; i < n; i++) mark_territory(boards + i);
  return n;
}

typedef struct {
  uint32_t build, remove, stands; /* bits of the target, the target, the agent's cell */
  int16_t target;
  uint8_t row, home;
} Aim;

static int play(Board *board, const int32_t *codes) {
  uint32_t *const words = (uint32_t *)board->walls;
  uint32_t wall[ROWS] = {0}, own[2][ROWS] = {{0}}, field[ROWS] = {0}; /* row y is at y + 1, which wraps */
  uint32_t aimed[ROWS] = {0}, shared[ROWS] = {0}, held[ROWS] = {0}, removed[ROWS] = {0}, built[2][ROWS] = {{0}};
  Aim aims[2 * AGENTS], *aim = aims;
  int illegal = 0;
#pragma GCC unroll 24
  for (int y = 0; y < SIDE; y++) {
    own[0][y + 1] = words[AT(0, y)];
    own[1][y + 1] = words[AT(1, y)];
    wall[y + 1] = own[0][y + 1] | own[1][y + 1];
    field[y + 1] = FIELD;
  }
  for (int p = 0; p < 2; p++)
    for (int i = 0; i < AGENTS; i++, aim++) {
      const uint32_t code = (uint32_t)*codes++, kind = kinds[code];
      const int at = board->agents[p][i], placed = at >= 0;
      const int to = steps[code] + (at & -placed & -(kind < 3));
      const uint32_t x = to & 31, y = ((to >> 5) + 1) & (ROWS - 1);
      const uint32_t met = placed | (field[y] >> x & 1) << 1 | (wall[y] >> x & 1) << 2 | (own[p][y] >> x & 1) << 3;
      const uint32_t build = BUILDS[kind] >> met & 1, remove = REMOVES[kind] >> met & 1;
      illegal += (code != 0) ^ (build | remove);
      aim->build = build << x;
      aim->remove = remove << x;
      aim->stands = (uint32_t)placed << (at & 31);
      aim->target = (int16_t)to;
      aim->row = (uint8_t)y;
      aim->home = (uint8_t)(((at & -placed) >> 5) + 1);
      shared[y] |= aimed[y] & (aim->build | aim->remove);
      aimed[y] |= aim->build | aim->remove;
    }
  if (illegal) return illegal;
  for (aim = aims; aim < aims + 2 * AGENTS; aim++) {
    aim->build &= ~shared[aim->row];
    aim->remove &= ~shared[aim->row];
    held[aim->home] |= aim->stands & -(uint32_t)(aim->build == 0);
  }
  for (uint32_t again = 1; again;) {
    uint32_t blocked = 0;
    for (int i = 0; i < 2 * AGENTS; i++) blocked |= (uint32_t)((held[aims[i].row] & aims[i].build) != 0) << i;
    for (again = 0; blocked; blocked &= blocked - 1) {
      aim = aims + __builtin_ctz(blocked);
      aim->build = 0;
      held[aim->home] |= aim->stands;
      again |= aimed[aim->home] & aim->stands;
    }
  }
  aim = aims;
  for (int p = 0; p < 2; p++)
    for (int i = 0; i < AGENTS; i++, aim++) {
      removed[aim->row] |= aim->remove & ~held[aim->row];
      built[p][aim->row] |= aim->build;
      board->agents[p][i] ^= (board->agents[p][i] ^ aim->target) & -(aim->build != 0);
    }
#pragma GCC unroll 24
  for (int y = 0; y < SIDE; y++) {
    words[AT(0, y)] = (own[0][y + 1] & ~removed[y + 1]) | built[0][y + 1];
    words[AT(1, y)] = (own[1][y + 1] & ~removed[y + 1]) | built[1][y + 1];
  }
  mark_territory(board);
  board->played++;
  return 0;
}

int64_t turn(Board *boards, const int32_t *codes, int64_t n) {
  int64_t illegal = 0;
  for (int64_t i = 0; i < n; i++) illegal += play(boards + i, codes + i * 2 * AGENTS);
  return illegal;
}
