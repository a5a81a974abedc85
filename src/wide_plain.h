/* Kernels for all rooms, for compilers without vectors: float by float. */

static int is_set(const uint32_t *stream, int32_t i) { return stream[i / 32] >> i % 32 & 1; }

static void LEVEL(planes)(int32_t count, int32_t num_planes, const wide_plane *plane, float *out) {
  for (; num_planes > 0; num_planes--, plane++, out += count)
    for (int32_t i = 0; i < count; i++) {
      const float value = plane->values ? plane->values[i] : 1;
      out[i] = !plane->stream || is_set(plane->stream, i) ? value : 0;
    }
}

static void LEVEL(matches)(int32_t count, const uint32_t *words, int32_t num_planes, const wide_match *plane,
                           float *out) {
  for (; num_planes > 0; num_planes--, plane++, out += count)
    for (int32_t i = 0; i < count; i++) {
      const float value = plane->values ? plane->values[i] : 1;
      out[i] = (words[i] & plane->mask) == plane->value ? value : 0;
    }
}

static void LEVEL(bytes)(const uint32_t *stream, int32_t count, uint8_t *out) {
  for (int32_t i = 0; i < count; i++) out[i] = (uint8_t)is_set(stream, i);
}

static void LEVEL(compact)(int32_t count, int32_t num_planes, const wide_plane *plane, const masume_plane *kinds,
                           uint8_t *out) {
  for (int32_t p = 0; p < num_planes; p++, plane++) {
    const int32_t packs = kinds && kinds[p].is_bits, size = packs ? (count + 7) / 8 : count;
    if (packs) memset(out, 0, (size_t)size);
    for (int32_t i = 0; i < count; i++) {
      const uint8_t value = plane->bytes ? plane->bytes[i] : 1;
      const uint8_t byte = !plane->stream || is_set(plane->stream, i) ? value : 0;
      if (packs)
        out[i / 8] |= (uint8_t)((byte & 1) << i % 8);
      else
        out[i] = byte;
    }
    out += size;
  }
}

static void LEVEL(byte_matches)(int32_t count, const uint8_t *cells, int32_t num_planes, const wide_byte_match *plane,
                                uint8_t *out) {
  for (; num_planes > 0; num_planes--, plane++, out += count)
    for (int32_t i = 0; i < count; i++) {
      const uint8_t value = plane->values ? plane->values[i] : 1;
      out[i] = (cells[i] & plane->mask) == plane->value ? value : 0;
    }
}

static void LEVEL(bit_matches)(int32_t count, const uint8_t *cells, int32_t num_planes, const wide_byte_match *plane,
                               const masume_plane *kinds, uint8_t *out) {
  for (int32_t p = 0; p < num_planes; p++, plane++) {
    if (!kinds[p].is_bits) {
      LEVEL(byte_matches)(count, cells, 1, plane, out);
      out += count;
      continue;
    }
    memset(out, 0, (size_t)(count + 7) / 8);
    for (int32_t i = 0; i < count; i++)
      out[i / 8] |= (uint8_t)(((cells[i] & plane->mask) == plane->value) << i % 8);
    out += (count + 7) / 8;
  }
}

static void LEVEL(floats)(int32_t count, const uint8_t *bytes, const float *table, float scale, float offset,
                          float *out) {
  for (int32_t i = 0; i < count; i++) out[i] = table ? table[bytes[i]] : bytes[i] * scale + offset;
}

static void LEVEL(halves)(int32_t count, const uint8_t *bytes, const uint16_t *table, uint16_t *out) {
  for (int32_t i = 0; i < count; i++) out[i] = table[bytes[i]];
}
