/* The floor of CHaser: a method on a field of 15 x 17 cells, with its end tests, and whole random games of such.
 *
 * A cell is a byte, with a ring of blocks around the field, so that no test knows an edge. As in the engine nobody is
 * looked for around who cannot have lost: where there is no block more, only who walks into one. Left out: other fields,
 * the check of the action, what players are told and remember. The state is 2.6 times the engine's, which keeps two bits
 * of a cell.
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

static int is_lost(const uint8_t *cell) {
  return *cell == BLOCK || (cell[-STRIDE] | cell[-1] | cell[1] | cell[STRIDE]) == BLOCK;
}

static int end(Game *game, int winner, int reason) {
  game->winner = (int8_t)winner;
  game->reason = (int8_t)reason;
  return 1;
}

/* The result after the last method. */
static int judge(Game *game) {
  const int o = game->half & 1, p = 1 - o;
  const uint8_t *its = game->cells + game->place[o], *own = game->cells + game->place[p];
  if (*its == BLOCK) return end(game, p, ATTACK);
  if (is_lost(its)) return end(game, p, TRAPPED);
  if (*own == BLOCK) return end(game, o, COLLISION);
  if (is_lost(own)) return end(game, o, CONFINED);
  return end(game, game->items[0] == game->items[1] ? DRAW : game->items[1] > game->items[0], SCORE);
}

/* Returns whether the game is over. */
static int play(Game *game, int action) {
  static const int step[4] = {-STRIDE, 1, -1, STRIDE};
  const int p = game->half & 1, here = game->place[p], target = here + step[action & 3];
  const int walks = action < 4, puts = action >= 12, cell = game->cells[target];
  const int own = here + (step[action & 3] & -walks);
  int lost = walks & (cell == BLOCK);
  game->place[p] = (int16_t)own;
  if ((walks & (cell == ITEM)) | (puts & (cell != BLOCK))) { /* one block more */
    game->cells[target] = (uint8_t)(puts ? BLOCK : FLOOR);
    game->cells[here] = (uint8_t)(puts ? FLOOR : BLOCK);
    game->items[p] = (int16_t)(game->items[p] + walks);
    lost = is_lost(game->cells + game->place[1 - p]) || is_lost(game->cells + own);
  }
  game->half++;
  return lost || game->half == LAST_HALF ? judge(game) : 0;
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
