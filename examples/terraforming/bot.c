/* A program for Terraforming's contest: takes land that it can afford, sends other robots to the border, and builds.
   Compile it with: cc -O2 -o bot bot.c */
#include <stdio.h>
#include <string.h>

enum { CELLS = 331, SIDE = 23, FAR = CELLS }; /* radius 10, with an empty ring around the board */
static const char *const WORDS[] = {"r", "ur", "dr", "l", "ul", "dl"};
static const int DX[] = {1, 1, 0, -1, 0, -1}, DY[] = {0, -1, 1, 0, -1, 1};

typedef struct cell {
  int x, y, owner, robots, material, steps; /* steps: distance from land that can be taken, over our own */
  char landform[16], building[16];
  struct cell *side[6]; /* NULL off the board */
} cell;

static cell cells[CELLS];
static int num_cells, me;

/* Reads the next state block into `cells`; returns 1, or 0 at the end of the input. */
static int read_block(void) {
  cell *at[SIDE][SIDE] = {0};
  if (scanf(" START %*d %*d %d %*d %d", &me, &num_cells) != 2 || num_cells > CELLS) return 0;
  for (cell *c = cells; c < cells + num_cells; c++) {
    if (scanf("%d %d %d %d %d %15s %15s", &c->x, &c->y, &c->owner, &c->robots, &c->material, c->landform,
              c->building) != 7)
      return 0;
    at[c->x + SIDE / 2][c->y + SIDE / 2] = c;
  }
  for (cell *c = cells; c < cells + num_cells; c++)
    for (int d = 0; d < 6; d++) c->side[d] = at[c->x + SIDE / 2 + DX[d]][c->y + SIDE / 2 + DY[d]];
  return scanf(" EOS") == 0;
}

static int is(const cell *c, const char *landform) { return !strcmp(c->landform, landform); }
static int is_prize(const cell *c) { return c && c->owner != me && (is(c, "wasteland") || is(c, "settlement")); }
static int can_leave(const cell *c) { return c && c->owner == me && !is(c, "hole") ? c->robots : 0; }

/* Builds what gives the most points, if three times those exceed `prizes`; returns 1 if it does. */
static int build(int prizes) {
  int best = prizes / 3, is_town = 0;
  const cell *site = NULL;
  for (const cell *c = cells; c < cells + num_cells; c++) {
    int material = c->material, land = 0;
    if (c->owner != me || !is(c, "settlement") || c->robots < 10) continue;
    for (int d = 0; d < 6; d++) {
      if (!c->side[d] || c->side[d]->owner != me) continue;
      material += c->side[d]->material;
      land += is(c->side[d], "settlement"); /* developed by a town */
    }
    int points = material >= 9 ? 2 + 2 * land : 2;
    if (material >= 4 && points > best) best = points, site = c, is_town = material >= 9;
  }
  if (!site) return 0;
  printf("build %d %d %s\n", site->x, site->y, is_town ? "town" : "house");
  return 1;
}

int main(void) {
  read_block(); /* before the first turn: it asks for our name */
  puts("pioneer");
  for (fflush(stdout); read_block(); fflush(stdout)) {
    int prizes = 0;
    for (cell *c = cells; c < cells + num_cells; c++) c->steps = is_prize(c) ? 0 : FAR;
    for (int round = 0; round < num_cells; round++) /* cells `round` steps away: neighbours one more */
      for (cell *c = cells; c < cells + num_cells; c++)
        for (int d = 0; d < 6 && c->steps == round; d++)
          if (c->side[d] && c->side[d]->owner == me && !is(c->side[d], "hole") && c->side[d]->steps == FAR)
            c->side[d]->steps = round + 1;
    for (cell *c = cells; c < cells + num_cells; c++)
      for (int d = 0; d < 6; d++) prizes += can_leave(c) && is_prize(c->side[d]) && c->robots > c->side[d]->robots;
    if (!build(prizes))
      for (cell *c = cells; c < cells + num_cells; c++)
        for (int d = 0; d < 6; d++) {
          cell *to = c->side[d];
          int wanted = is_prize(to) ? to->robots + 1 : c->robots;
          if (!to || can_leave(c) < wanted || !wanted || to->steps >= c->steps) continue;
          printf("move %d %d %s %d\n", c->x, c->y, WORDS[d], wanted);
          c->robots -= wanted;
          if (is_prize(to)) to->owner = me, to->robots = 0, to->steps = FAR; /* robots that arrive have moved */
        }
    puts("finish");
  }
  return 0;
}
