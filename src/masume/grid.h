/* The eight directions of a grid, clockwise from up. */
#ifndef MASUME_GRID_H
#define MASUME_GRID_H
#include <stdint.h>

static const int8_t GRID_DX[8] = {0, 1, 1, 1, 0, -1, -1, -1};
static const int8_t GRID_DY[8] = {-1, -1, 0, 1, 1, 1, 0, -1};
#endif
