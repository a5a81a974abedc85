/* The function table: the interface through which masume's loops drive a game, also for third-party games.
 *
 * A provider is a Python object whose __masume_game__() returns a PyCapsule named
 * MASUME_GAME_CAPSULE that holds a masume_game. The struct and everything it points at must live as
 * long as the capsule. Functions are called without the GIL, from any thread, for different states
 * at the same time: a function may write only to its state, memory and outputs. The table passed to
 * it may be a copy: it must reach its own data through `params`, never by a cast of the table.
 *
 * A state is state_size plain bytes without pointers, copied by memcpy. Games of imperfect
 * information have a second block, memory, with what each player has seen. A `memory` argument
 * may be NULL if memory_size is 0 or if nothing will be observed (playouts, search).
 */
#ifndef MASUME_GAME_H
#define MASUME_GAME_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define MASUME_GAME_ABI 2
#define MASUME_GAME_CAPSULE "masume.game.v1" /* for every ABI: abi and struct_size never move */
#define MASUME_MAX_PLAYERS 4
#define MASUME_MAX_SLOTS 64
#define MASUME_MAX_ACTIONS 16384
#define MASUME_MAX_FIELDS 16
#define MASUME_MAX_DIMS 4
#define MASUME_MAX_CROP 63 /* rows or columns */
#define MASUME_MAX_NOTE 4096 /* bytes */

/* masume_game.flags */
#define MASUME_SIMULTANEOUS 1u /* all players decide at once */
#define MASUME_IMPERFECT 2u    /* players do not see the whole state */
#define MASUME_OPEN_NEWS 4u    /* `news` needs no memory: a search updates none for it */

/* Results of apply() other than 0: MASUME_TERMINAL, or the first slot whose code is illegal. */
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

/* How one byte stands for each float of a plane of a float32 field. */
typedef struct {
  const float *levels; /* [256]: the float of each byte; NULL: it is byte * scale + offset */
  float scale, offset;
  uint32_t is_bits; /* only 0 and 1 occur, for 0.0f and 1.0f */
} masume_plane;

/* masume_form.dtype */
#define MASUME_BYTES 0 /* one byte for each cell, planes in order */
#define MASUME_BITS 1  /* of planes with is_bits one bit for each cell, the lowest first, to a whole byte */
/* The same, in observe_changes alone. */
#define MASUME_FLOATS 2 /* what observe writes; of a part of the planes, the floats of its bytes */
#define MASUME_HALVES 3 /* 16 bits for each byte, looked up */

/* masume_form.part */
#define MASUME_AROUND 0 /* the viewer is in the middle; both numbers are odd */
#define MASUME_SEEN 1   /* all that the viewer has seen, in the rows and columns of masume_game.seen */

/* The form of compact planes: everything, or if rows is not 0 a part of `rows` x `columns` cells. */
typedef struct {
  int32_t dtype, rows, columns, part;
} masume_form;

typedef struct masume_game masume_game;
typedef struct masume_batch masume_batch;

struct masume_game {
  uint32_t abi;         /* MASUME_GAME_ABI */
  uint32_t struct_size; /* sizeof(masume_game) when the provider was built; entries beyond it are NULL */
  const char *name;
  const void *params;   /* data fixed by the config: points, neighbour tables; never copied with a state */
  uint32_t state_size;  /* bytes, a multiple of 8 */
  uint32_t memory_size; /* bytes, a multiple of 8; 0 in games of perfect information */
  uint32_t num_players; /* 1..MASUME_MAX_PLAYERS */
  uint32_t num_slots;   /* most decisions pending at once, 1..MASUME_MAX_SLOTS */
  uint32_t num_actions; /* codes of a slot are 0..num_actions-1, at most MASUME_MAX_ACTIONS */
  uint32_t max_legal;   /* most legal codes of a slot in any state, <= num_actions */
  uint32_t flags;
  int64_t max_game_length; /* plies; 0 = no bound known */
  uint32_t num_state_fields, num_fields;
  const masume_field *state_fields; /* layout of a state, for display */
  const masume_field *fields;       /* the observation; bit i of a field set is fields[i] */
  uint32_t num_policies;            /* 0 if policy is NULL */
  const char *const *policy_names;

  /* Write the start of the game `seed` to state and, unless NULL, memory. */
  void (*init)(const masume_game *, void *state, void *memory, uint64_t seed);
  /* Write the deciding player of each slot; return their number, 0 at the end. */
  int32_t (*slots)(const masume_game *, const void *state, int32_t *players);
  /* Write the legal codes of a slot, ascending; return their number, >= 1 before the end. */
  int32_t (*legal)(const masume_game *, const void *state, int32_t slot, int32_t *codes);
  /* Write num_actions bytes, 1 if legal, else 0. */
  void (*mask)(const masume_game *, const void *state, int32_t slot, uint8_t *out);
  /* Return legal[below(len(legal))] of the slot; always one draw. */
  int32_t (*sample)(const masume_game *, const void *state, int32_t slot, uint64_t *rng);
  /* Return the code to play instead of an illegal one when the game must go on. */
  int32_t (*fallback)(const masume_game *, const void *state, int32_t slot);
  /* Play one code per slot. Return 0, MASUME_TERMINAL, or MASUME_ILLEGAL(slot) with nothing changed. */
  int32_t (*apply)(const masume_game *, void *state, void *memory, const int32_t *codes);
  /* Write the result of each player, 0 before the end. */
  void (*returns)(const masume_game *, const void *state, float *out);
  /* Write the current points of each player, counted as in the rules. */
  void (*scores)(const masume_game *, const void *state, int64_t *out);
  /* Write the view of `player`: out[i] for each bit i of `fields`. */
  void (*observe)(const masume_game *, const void *state, const void *memory, int32_t player,
                  uint32_t fields, void *const *out);
  /* Return a hash of everything that decides the future. */
  uint64_t (*key)(const masume_game *, const void *state);
  /* Return NULL, or a message if these bytes, which may be arbitrary, are not a valid state. memory may be NULL. */
  const char *(*check)(const masume_game *, const void *state, const void *memory);

  /* Optional entries, which may be NULL. */

  /* For actions that are not codes: the action of a code, its code (-1: none), apply of an action. */
  int64_t (*decode)(const masume_game *, const void *state, int32_t code);
  int32_t (*encode)(const masume_game *, const void *state, int64_t action);
  int32_t (*apply_action)(const masume_game *, void *state, void *memory, int64_t action);
  /* Make `player` lose for a game-defined cause; return 0, MASUME_TERMINAL, or < 0 for an unknown cause. */
  int32_t (*forfeit)(const masume_game *, void *state, void *memory, int32_t player, int32_t cause);
  /* Write a random state (and memory, unless NULL) that `player` cannot distinguish; return 0, or < 0: none found. */
  int32_t (*resample)(const masume_game *, const void *state, const void *memory, int32_t player,
                      uint64_t seed, void *out_state, void *out_memory);
  /* Write the codes that policy number `policy` chooses for the slots of `player`, in slot order. */
  void (*policy)(const masume_game *, const void *state, const void *memory, int32_t policy,
                 int32_t player, uint64_t *rng, int32_t *codes);
  /* Play at random to the end, with the same draws as slots, sample and apply; return the plies. */
  int64_t (*playout)(const masume_game *, void *state, uint64_t *rng);
  /* apply() n consecutive states of a game of one slot: write the status of each, and the next mover where it
   * is 0. A game that is over is unchanged, and its code counts as illegal. */
  void (*step_many)(const masume_game *, int64_t n, void *states, void *memories, const int32_t *codes, int32_t *statuses,
                    int32_t *movers);
  /* Write the mask as bits, ceil(num_actions / 32) words. */
  void (*mask_bits)(const masume_game *, const void *state, int32_t slot, uint32_t *out);
  /* Return a hash of what `player` learned from the apply of `codes` that led here, except its own codes; equal news
   * have equal hashes. With MASUME_OPEN_NEWS it does not use memory. */
  uint64_t (*news)(const masume_game *, const void *state, const void *memory, int32_t player,
                   const int32_t *codes);
  /* Write an estimate of the final `scores`: a search uses it where it stops before the end. */
  void (*forecast)(const masume_game *, const void *state, double *out);
  /* For many samples of one position: prepare writes their common data, sampler_size bytes aligned to 8 (returns 0,
   * or < 0: none found); draw writes one sample, as `resample` does. State and memory must not move or change
   * meanwhile; a draw depends on the seed and on earlier draws. Provide both or none. */
  int32_t (*prepare)(const masume_game *, const void *state, const void *memory, int32_t player, void *sampler);
  int32_t (*draw)(const masume_game *, void *sampler, uint64_t seed, void *out_state, void *out_memory);
  uint64_t sampler_size;
  /* Write float32 fields of planes in a compact form: those of which planes[i] has a masume_plane for each plane
   * (NULL: no such field). Those of `centred` may be cropped; beyond the edge of a view all bytes are 0. */
  void (*observe_compact)(const masume_game *, const void *state, const void *memory, int32_t player,
                          uint32_t fields, const masume_form *form, void *const *out);
  const masume_plane *const *planes;
  uint32_t centred;
  /* Write the fields of `changing` where the arrays still hold an earlier view, which a note of note_size bytes, aligned
   * to 8, describes; a note of zeros says nothing. Return nonzero if the arrays now hold the player's view, 0 if they
   * have to be written in full, which the caller then does; either way the note describes this view. A note is only of
   * one game in progress: the state is the one of the note or follows from it, and nobody else writes into the arrays.
   * halves[i][256 * plane + byte]: what a byte of a plane of fields[i] is as MASUME_HALVES. */
  int32_t (*observe_changes)(const masume_game *, const void *state, const void *memory, int32_t player,
                             uint32_t fields, const masume_form *form, const uint16_t *const *halves, void *note,
                             void *const *out);
  uint32_t note_size;
  uint32_t changing;
  /* [num_fields][2]: rows and columns of the part of compact planes that holds all that a player can have seen; 0: the
   * field has none. */
  const int32_t *seen;

  /* New entries are added here, at the end, and are optional. */
};

/* The smallest struct_size: a table without optional entries. */
#define MASUME_GAME_MIN_SIZE offsetof(masume_game, decode)

#ifndef __cplusplus
_Static_assert(sizeof(void *) != 8 || MASUME_GAME_MIN_SIZE == 200, "required entries never change under one ABI");
_Static_assert(sizeof(void *) != 8 || offsetof(masume_game, sampler_size) == 304, "entries are only ever appended");
#endif

/* masume_batch.autoreset */
#define MASUME_RESET_SAME_STEP 0
#define MASUME_RESET_NEXT_STEP 1
#define MASUME_RESET_DISABLED 2

/* n games stepped together, the data of a Batch. Row i of an array belongs to game i; an array that was not requested
 * is NULL. */
struct masume_batch {
  int64_t n;
  const masume_game *const *games; /* [num_games], of equal sizes and specs */
  int32_t num_games, autoreset;
  int32_t score_rewards, fallback; /* rewards are score changes; illegal codes are replaced */
  const int32_t *actions;          /* codes [n, num_slots] */
  int32_t *game_index;             /* [n] */
  uint8_t *states, *memories;      /* [n, state_size], [n, memory_size] or NULL */
  uint64_t *rngs, *seeds;          /* [n]: the generator of the row; the seed of its game */
  float *rewards;                  /* [n, num_players] */
  uint8_t *terminated;             /* [n]: the last step ended the game */
  uint8_t *over;                   /* [n]: the state is terminal */
  uint8_t *illegal;                /* [n]: the last action was illegal and the game is unchanged */
  int8_t *current_player;          /* [n] */
  uint8_t *masks;                  /* [n, num_slots, num_actions] or NULL */
  uint32_t *masks_packed;          /* [n, num_slots, ceil(num_actions / 32)] or NULL */
  uint32_t fields, final_fields;   /* of the requested observations, in each step and at the end */
  void *observations[MASUME_MAX_FIELDS];       /* [n, *shape], simultaneous games [n, num_players, *shape] */
  void *final_observations[MASUME_MAX_FIELDS]; /* [n, num_players, *shape] */
  int64_t *scores;                 /* [n, num_players]: at the last step; NULL unless score_rewards */
  int64_t *plies;                  /* [n]: of the game in progress */
  int64_t *finished, *total_plies, *fallbacks; /* [n]: since the batch was created */
  double *total_returns;           /* [n, num_players] */
};

#ifdef __cplusplus
}
#endif
#endif
