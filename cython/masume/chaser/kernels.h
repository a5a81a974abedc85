/* Kernel over the age of what a player knows, a byte a cell. */
#ifndef LEVEL
#include <stdint.h>

typedef struct {
  const char *name; /* of the CPU level */

  /* Add the number to each byte that is not 0; sums over 255 are 255. */
  void (*age)(int32_t count, uint8_t by, uint8_t *bytes);
} chaser_level;

/* Return the kernels of a CPU level, by its name. */
const chaser_level *chaser_pick(const char *name);

#else /* for each CPU level */
#define ROOM(name) chaser_##name

#ifdef VECTOR_BYTES
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
#else
static void LEVEL(age)(int32_t count, uint8_t by, uint8_t *bytes) {
  for (int32_t i = 0; i < count; i++)
    if (bytes[i]) bytes[i] = (uint8_t)(bytes[i] > 255 - by ? 255 : bytes[i] + by);
}
#endif

static const chaser_level LEVEL(level) = {LEVEL_NAME, LEVEL(age)};
#endif
