/* The floor of CHaser: a method on a field of 15 x 17 cells, with its two end tests, and whole random games of such.
 *
 * A cell is a byte, with a ring of blocks around the field, so that no test knows an edge; what a method is, and whether
 * it takes an item, is arithmetic. Left out: other fields, the check of the action, what players are told and remember.
 * The state is 2.6 times the engine's, which keeps two bits of a cell: rows of bits took 1.5 times as long as this in a
 * turn, cells of two bits twice as long.
 */
#include <stdint.h>

enum { HEIGHT = 15, WIDTH = 17, STRIDE = WIDTH + 2, CELLS = (HEIGHT + 2) * STRIDE, LAST_HALF = 200 };
enum { BLOCK, ITEM, FLOOR }; /* of cells */
enum { ONGOING = -1, DRAW = 2 };
enum { ATTACK = 1, TRAPPED, COLLISION, CONFINED, SCORE = 6 };

typedef struct {
  int16_t half, place[2], items[2];
  int8_t winner, reason;
  uint8_t cells[CELLS];
} Game;

static int is_boxed(const uint8_t *cell) { return (cell[-STRIDE] | cell[-1] | cell[1] | cell[STRIDE]) == BLOCK; }

static int end(Game *game, int winner, int reason) {
  game->winner = (int8_t)winner;
  game->reason = (int8_t)reason;
  return 1;
}

/* Returns whether the game is over. */
static int play(Game *game, int action) {
  static const int step[4] = {-STRIDE, 1, -1, STRIDE};
  const int p = game->half & 1, o = 1 - p, here = game->place[p], target = here + step[action & 3];
  const int walks = action >> 2 == 0, puts = action >> 2 == 3, cell = game->cells[target];
  const int takes = walks & (cell == ITEM);
  game->cells[target] = (uint8_t)((cell + takes) & (puts - 1)); /* an item turns into floor, all into a block */
  game->cells[here] = (uint8_t)(FLOOR & (takes - 1));
  game->place[p] = (int16_t)(here + (step[action & 3] & -walks));
  game->items[p] = (int16_t)(game->items[p] + takes);
  game->half++;
  const uint8_t *its = game->cells + game->place[o], *own = game->cells + game->place[p];
  if (*its == BLOCK) return end(game, p, ATTACK);
  if (is_boxed(its)) return end(game, p, TRAPPED);
  if (*own == BLOCK) return end(game, o, COLLISION);
  if (is_boxed(own)) return end(game, o, CONFINED);
  if (game->half < LAST_HALF) return 0;
  return end(game, game->items[0] == game->items[1] ? DRAW : game->items[1] > game->items[0], SCORE);
}

/* One action in each game; returns in how many play goes on. */
int64_t turn(Game *games, const int32_t *actions, int64_t count) {
  int64_t going = 0;
  for (int64_t i = 0; i < count; i++) going += !play(&games[i], actions[i]);
  return going;
}

/* Random methods to the end of each game, by its own SplitMix64; returns how many. */
int64_t playout(Game *games, uint64_t *rngs, int64_t count) {
  int64_t plies = 0;
  for (int64_t i = 0; i < count; i++) {
    uint64_t rng = rngs[i];
    int over = 0;
    while (!over) {
      uint64_t z = rng += 0x9E3779B97F4A7C15u;
      z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
      z = (z ^ z >> 27) * 0x94D049BB133111EBu;
      over = play(&games[i], (int)((z ^ z >> 31) >> 60));
      plies++;
    }
    rngs[i] = rng;
  }
  return plies;
}
