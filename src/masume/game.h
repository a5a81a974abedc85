/* The function table: how masume's loops drive a game, and how a third party plugs one in.
 *
 * A provider is a Python object whose __masume_game__() returns a PyCapsule named
 * MASUME_GAME_CAPSULE that holds a masume_game. The struct and all it points at must live as
 * long as the capsule. Every function is called without the GIL, from any thread, for different
 * states at the same time: it may write to its state, memory and outputs alone. The table that it
 * is given may be a copy: it reaches its own data through `params`, never by a cast of the table.
 *
 * A state is state_size plain bytes without pointers, copied by memcpy. Games of imperfect
 * information have a second block, memory, with what each player has seen; where a function
 * takes `memory` it may be NULL if memory_size is 0 or if nobody will look (playouts, search).
 */
#ifndef MASUME_GAME_H
#define MASUME_GAME_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define MASUME_GAME_ABI 2
#define MASUME_GAME_CAPSULE "masume.game.v1" /* whatever the ABI: abi and struct_size never move */
#define MASUME_MAX_PLAYERS 4
#define MASUME_MAX_SLOTS 64
#define MASUME_MAX_ACTIONS 16384
#define MASUME_MAX_FIELDS 16
#define MASUME_MAX_DIMS 4

/* masume_game.flags */
#define MASUME_SIMULTANEOUS 1u /* all players decide at once */
#define MASUME_IMPERFECT 2u    /* players do not see the whole state */
#define MASUME_OPEN_NEWS 4u    /* `news` needs no memory: a search then keeps none up unless others want it */

/* What apply() returns beside 0 and MASUME_TERMINAL: the first slot whose code is illegal. */
#define MASUME_TERMINAL 1
#define MASUME_ILLEGAL(slot) (-1 - (slot))
#define MASUME_ILLEGAL_SLOT(status) (-1 - (status))

/* A named array in the state or in an observation. */
typedef struct {
  const char *name;
  const char *dtype; /* NumPy type string without byte order: "u1", "i2", "u4", "f4", ... */
  uint32_t ndim;
  uint32_t shape[MASUME_MAX_DIMS];
  uint32_t offset; /* bytes from the start of the state; unused in observations */
} masume_field;

typedef struct masume_game masume_game;
typedef struct masume_batch masume_batch;

struct masume_game {
  uint32_t abi;         /* MASUME_GAME_ABI */
  uint32_t struct_size; /* sizeof(masume_game) when the provider was built; entries that lie behind it are NULL */
  const char *name;
  const void *params;   /* what the config fixes: points, neighbour tables; never copied with a state */
  uint32_t state_size;  /* bytes, a multiple of 8 */
  uint32_t memory_size; /* bytes, a multiple of 8; 0 in games of perfect information */
  uint32_t num_players; /* 1..MASUME_MAX_PLAYERS */
  uint32_t num_slots;   /* most decisions wanted at once, 1..MASUME_MAX_SLOTS */
  uint32_t num_actions; /* codes of a slot are 0..num_actions-1, at most MASUME_MAX_ACTIONS */
  uint32_t max_legal;   /* most legal codes of a slot in any state, <= num_actions */
  uint32_t flags;
  int64_t max_game_length; /* plies; 0 = no bound known */
  uint32_t num_state_fields, num_fields;
  const masume_field *state_fields; /* the layout of a state, for people */
  const masume_field *fields;       /* the observation; bit i of a field set is fields[i] */
  uint32_t num_policies;            /* 0 where policy is NULL */
  const char *const *policy_names;

  /* The start of the game `seed`; writes state and, unless NULL, memory. */
  void (*init)(const masume_game *, void *state, void *memory, uint64_t seed);
  /* The deciding player of each slot; returns their number, 0 at the end. */
  int32_t (*slots)(const masume_game *, const void *state, int32_t *players);
  /* The legal codes of a slot, ascending; returns their number, >= 1 before the end. */
  int32_t (*legal)(const masume_game *, const void *state, int32_t slot, int32_t *codes);
  /* num_actions bytes, 1 where legal. */
  void (*mask)(const masume_game *, const void *state, int32_t slot, uint8_t *out);
  /* legal[below(len(legal))] of the slot, one draw always. */
  int32_t (*sample)(const masume_game *, const void *state, int32_t slot, uint64_t *rng);
  /* The code that stands for an illegal one where the game must go on. */
  int32_t (*fallback)(const masume_game *, const void *state, int32_t slot);
  /* One code a slot. 0, MASUME_TERMINAL, or MASUME_ILLEGAL(slot) with nothing changed. */
  int32_t (*apply)(const masume_game *, void *state, void *memory, const int32_t *codes);
  /* The result of each player, 0 before the end. */
  void (*returns)(const masume_game *, const void *state, float *out);
  /* The points of each player as the rule book counts them now. */
  void (*scores)(const masume_game *, const void *state, int64_t *out);
  /* The view of `player`: out[i] is written for each bit i of `fields`. */
  void (*observe)(const masume_game *, const void *state, const void *memory, int32_t player,
                  uint32_t fields, void *const *out);
  /* A hash of all that decides the future. */
  uint64_t (*key)(const masume_game *, const void *state);
  /* NULL, or what is wrong with these bytes, which may be anything. memory may be NULL. */
  const char *(*check)(const masume_game *, const void *state, const void *memory);

  /* Optional: may be NULL. */

  /* Actions that are not codes: the action of a code, its code (-1: none), apply of an action. */
  int64_t (*decode)(const masume_game *, const void *state, int32_t code);
  int32_t (*encode)(const masume_game *, const void *state, int64_t action);
  int32_t (*apply_action)(const masume_game *, void *state, void *memory, int64_t action);
  /* `player` loses by a cause of the game's own; 0, MASUME_TERMINAL, or < 0 for a cause unknown. */
  int32_t (*forfeit)(const masume_game *, void *state, void *memory, int32_t player, int32_t cause);
  /* A state (and memory, unless NULL) such as `player` cannot tell from this one; 0, or < 0: none found. */
  int32_t (*resample)(const masume_game *, const void *state, const void *memory, int32_t player,
                      uint64_t seed, void *out_state, void *out_memory);
  /* The codes that policy number `policy` chooses for the slots of `player`, in slot order. */
  void (*policy)(const masume_game *, const void *state, const void *memory, int32_t policy,
                 int32_t player, uint64_t *rng, int32_t *codes);
  /* Random play to the end, drawing as slots, sample and apply would; returns the plies. */
  int64_t (*playout)(const masume_game *, void *state, uint64_t *rng);
  /* apply() of n states one after the other, of a game of one slot: its status for each, and who decides next where that
   * is 0. A game that is over stays as it is, its code being illegal. */
  void (*step_many)(const masume_game *, int64_t n, void *states, void *memories, const int32_t *codes, int32_t *statuses,
                    int32_t *movers);
  /* mask() as bits, ceil(num_actions / 32) words. */
  void (*mask_bits)(const masume_game *, const void *state, int32_t slot, uint32_t *out);
  /* A hash of what the apply of `codes` that led here told `player`, beside what it did itself: equal news, equal
   * hash. With MASUME_OPEN_NEWS it looks at no memory. */
  uint64_t (*news)(const masume_game *, const void *state, const void *memory, int32_t player,
                   const int32_t *codes);
  /* What `scores` may come to, as far as it can be told: what a search goes by where it stops before the end. */
  void (*forecast)(const masume_game *, const void *state, double *out);
  /* For many samples of one position: what they have in common, sampler_size bytes aligned to 8 (0, or < 0: none
   * found), and one of them, as `resample` gives. State and memory stay where they are and as they are meanwhile;
   * what is drawn depends on the seed and on what was drawn before. Both or none. */
  int32_t (*prepare)(const masume_game *, const void *state, const void *memory, int32_t player, void *sampler);
  int32_t (*draw)(const masume_game *, void *sampler, uint64_t seed, void *out_state, void *out_memory);
  uint64_t sampler_size;

  /* New entries come here, at the end, and are optional. */
};

/* The smallest struct_size: a table needs no optional entry. */
#define MASUME_GAME_MIN_SIZE offsetof(masume_game, decode)

#ifndef __cplusplus
_Static_assert(sizeof(void *) != 8 || MASUME_GAME_MIN_SIZE == 200, "required entries never change under one ABI");
_Static_assert(sizeof(void *) != 8 || offsetof(masume_game, sampler_size) == 304, "entries are only ever appended");
#endif

/* masume_batch.autoreset */
#define MASUME_RESET_SAME_STEP 0
#define MASUME_RESET_NEXT_STEP 1
#define MASUME_RESET_DISABLED 2

/* n games stepped together, as Batch keeps them. Row i of an array belongs to game i; an array nobody asked for is
 * NULL. */
struct masume_batch {
  int64_t n;
  const masume_game *const *games; /* [num_games], of equal sizes and specs */
  int32_t num_games, autoreset;
  int32_t score_rewards, fallback; /* rewards are changes of score; illegal codes are replaced */
  const int32_t *actions;          /* codes [n, num_slots] */
  int32_t *game_index;             /* [n] */
  uint8_t *states, *memories;      /* [n, state_size], [n, memory_size] or NULL */
  uint64_t *rngs, *seeds;          /* [n]: the generator of the row; the seed of its game */
  float *rewards;                  /* [n, num_players] */
  uint8_t *terminated;             /* [n]: the last step ended the game */
  uint8_t *over;                   /* [n]: the state is an end */
  uint8_t *illegal;                /* [n]: the last action was illegal and the game stood still */
  int8_t *current_player;          /* [n] */
  uint8_t *masks;                  /* [n, num_slots, num_actions] or NULL */
  uint32_t *masks_packed;          /* [n, num_slots, ceil(num_actions / 32)] or NULL */
  uint32_t fields, final_fields;   /* of the observations wanted, each step and at the end */
  void *observations[MASUME_MAX_FIELDS];       /* [n, *shape], simultaneous games [n, num_players, *shape] */
  void *final_observations[MASUME_MAX_FIELDS]; /* [n, num_players, *shape] */
  int64_t *scores;                 /* [n, num_players]: at the last step; NULL unless score_rewards */
  int64_t *plies;                  /* [n]: of the game in progress */
  int64_t *finished, *total_plies, *fallbacks; /* [n]: since the batch was made */
  double *total_returns;           /* [n, num_players] */
};

#ifdef __cplusplus
}
#endif
#endif
