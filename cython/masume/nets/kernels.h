/* Kernel over the rows of a matrix. */
#ifndef LEVEL
#include <stdint.h>

typedef struct {
  const char *name; /* of the CPU level */

  /* Add factors[k] * row rows[k] of a matrix of `width` columns to the sums, for each k < count, in this order. */
  void (*add_rows)(int32_t count, const int32_t *rows, const float *factors, int32_t width, const float *matrix,
                   float *sums);
} nets_level;

/* Return the kernels of a CPU level, by its name. */
const nets_level *nets_pick(const char *name);

#else /* for each CPU level */
#define ROOM(name) nets_##name

#ifdef VECTOR_BYTES
/* `add_rows` for some columns, which stay in registers: `vectors` vectors of them. */
INLINE void LEVEL(add_columns)(int32_t count, const int32_t *rows, const float *factors, int32_t width,
                               const float *matrix, int32_t vectors, float *sums) {
  FLOATS v[8], row;
#pragma GCC unroll 8
  for (int32_t i = 0; i < vectors; i++) memcpy(v + i, sums + i * LANES, sizeof *v);
  for (int32_t k = 0; k < count; k++) {
    const float *from = matrix + (int64_t)rows[k] * width;
    const FLOATS factor = (FLOATS){0} + factors[k];
#pragma GCC unroll 8
    for (int32_t i = 0; i < vectors; i++) {
      memcpy(&row, from + i * LANES, sizeof row);
      v[i] += factor * row;
    }
  }
#pragma GCC unroll 8
  for (int32_t i = 0; i < vectors; i++) memcpy(sums + i * LANES, v + i, sizeof *v);
}

static TARGET void LEVEL(add_rows)(int32_t count, const int32_t *rows, const float *factors, int32_t width,
                                   const float *matrix, float *sums) {
  int32_t i = 0;
  for (; i + 8 * LANES <= width; i += 8 * LANES)
    LEVEL(add_columns)(count, rows, factors, width, matrix + i, 8, sums + i);
  for (; i + LANES <= width; i += LANES) LEVEL(add_columns)(count, rows, factors, width, matrix + i, 1, sums + i);
  for (int32_t k = 0; k < count; k++)
    for (int32_t j = i; j < width; j++) sums[j] += factors[k] * matrix[(int64_t)rows[k] * width + j];
}
#else
static void LEVEL(add_rows)(int32_t count, const int32_t *rows, const float *factors, int32_t width,
                            const float *matrix, float *sums) {
  for (int32_t k = 0; k < count; k++) {
    const float *row = matrix + (int64_t)rows[k] * width;
    for (int32_t i = 0; i < width; i++) sums[i] += factors[k] * row[i];
  }
}
#endif

static const nets_level LEVEL(level) = {LEVEL_NAME, LEVEL(add_rows)};
#endif
