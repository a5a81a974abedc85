/* Drives any masume game from C: plays random games and counts each player's wins.
 *
 *     import masume, winrate
 *     winrate.count(masume.load("kakomimasu").capsule, games=1000, seed=1)    # ([wins of each player], plies)
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "masume/game.h"
#include "masume/rng.h"

/* -- C only: no Python object below this line -------------------------------------------------- */

/* Plays `games` random games and adds up wins[player] and plies; returns -1 without memory.
 * The generators are those of a batch: game i is row i of game.batch(games, seed=seed).playout(). */
static int play(const masume_game *game, int64_t games, uint64_t seed, int64_t *wins, int64_t *plies) {
  int32_t players[MASUME_MAX_SLOTS], codes[MASUME_MAX_SLOTS], count;
  float returns[MASUME_MAX_PLAYERS];
  void *state = malloc(game->state_size); /* plain bytes: memcpy copies a state */
  if (!state) return -1;
  for (int64_t i = 0; i < games; i++) {
    uint64_t rng = masume_stream(seed, (uint64_t)i);
    game->init(game, state, NULL, masume_next(&rng) >> 1); /* NULL: no observations are needed */
    while ((count = game->slots(game, state, players)) > 0) {
      for (int32_t slot = 0; slot < count; slot++) codes[slot] = game->sample(game, state, slot, &rng);
      game->apply(game, state, NULL, codes);
      ++*plies;
    }
    game->returns(game, state, returns);
    for (uint32_t player = 0; player < game->num_players; player++) wins[player] += returns[player] > 0;
  }
  free(state);
  return 0;
}

/* -- Python interface ------------------------------------------------------------------------------ */

static PyObject *count(PyObject *module, PyObject *arguments, PyObject *keywords) {
  static char *names[] = {"capsule", "games", "seed", NULL};
  int64_t wins[MASUME_MAX_PLAYERS] = {0}, plies = 0;
  unsigned long long seed;
  long long games;
  PyObject *capsule, *list;
  int failed;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OLK", names, &capsule, &games, &seed)) return NULL;
  const masume_game *game = PyCapsule_GetPointer(capsule, MASUME_GAME_CAPSULE); /* checks the name */
  if (!game) return NULL;
  if (game->abi != MASUME_GAME_ABI || game->struct_size < MASUME_GAME_MIN_SIZE)
    return PyErr_Format(PyExc_ValueError, "abi: the game speaks %u, this driver %u", game->abi, MASUME_GAME_ABI);
  Py_BEGIN_ALLOW_THREADS /* the caller keeps the capsule, and so the table, alive */
  failed = play(game, games, seed, wins, &plies);
  Py_END_ALLOW_THREADS
  if (failed) return PyErr_NoMemory();
  if (!(list = PyList_New(game->num_players))) return NULL;
  for (uint32_t player = 0; player < game->num_players; player++) {
    PyObject *number = PyLong_FromLongLong(wins[player]);
    if (!number) {
      Py_DECREF(list);
      return NULL;
    }
    PyList_SET_ITEM(list, player, number);
  }
  return Py_BuildValue("(NL)", list, (long long)plies);
}

static PyMethodDef methods[] = {
    {"count", (PyCFunction)(void (*)(void))count, METH_VARARGS | METH_KEYWORDS,
     "count(capsule, games, seed): ([games each player won], plies) of random games."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "winrate", .m_size = 0, .m_methods = methods};

PyMODINIT_FUNC PyInit_winrate(void) { return PyModule_Create(&module); }
