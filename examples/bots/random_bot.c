/* A bot in C99 that plays every game at random, over JSON lines: masume match GAME --agents "cmd:./random_bot"

   cc -O2 -o random_bot random_bot.c

   One file, the standard library, and a JSON reader that finds fields without building a tree: a value is a pointer to
   its first character in the line. docs/tutorials/json-lines.md explains each message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* -- reading JSON ---------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at) {
  while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
  return at;
}

/* Returns the end of the string, number, word, list or object that begins at `at`. */
static const char *skip_value(const char *at) {
  int depth = 0;
  do {
    at = skip_blanks(at);
    if (*at == '"') {
      for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
      if (*at) at++;
    } else if (*at == '[' || *at == '{') {
      depth++;
      at++;
    } else if (*at == ']' || *at == '}') {
      depth--;
      at++;
    } else if (*at == ',' || *at == ':') {
      at++;
    } else {
      while (*at && !strchr(",:]} \t\r\n", *at)) at++;
    }
  } while (depth > 0 && *at);
  return at;
}

/* Returns the value of a field of the object that begins at `object`; NULL if it has none. */
static const char *field(const char *object, const char *name) {
  size_t length = strlen(name);
  const char *at = skip_blanks(object);
  if (*at != '{') return NULL;
  for (at = skip_blanks(at + 1); *at == '"'; at = skip_blanks(*at == ',' ? at + 1 : at)) {
    const char *key = at + 1;
    at = skip_blanks(skip_value(at));
    if (*at == ':') at = skip_blanks(at + 1);
    if (!strncmp(key, name, length) && key[length] == '"') return at;
    at = skip_blanks(skip_value(at));
  }
  return NULL;
}

static int is_string(const char *value, const char *text) {
  size_t length = strlen(text);
  return value && *value == '"' && !strncmp(value + 1, text, length) && value[1 + length] == '"';
}

/* -- writing answers --------------------------------------------------------------------------------- */

static void print_value(const char *value) {
  fwrite(value, 1, (size_t)(skip_value(value) - value), stdout);
}

/* Prints a random id of the list at `list`; for a list of lists, a list with one id of each. */
static void print_choice(const char *list) {
  const char *at, *chosen = NULL;
  int count = 0;
  const char *first = skip_blanks(list + 1);
  if (*first == '[') {
    putchar('[');
    for (at = first; *at == '['; at = skip_blanks(*at == ',' ? at + 1 : at)) {
      if (at != first) putchar(',');
      print_choice(at);
      at = skip_blanks(skip_value(at));
    }
    putchar(']');
    return;
  }
  for (at = first; *at && *at != ']'; at = skip_blanks(*at == ',' ? at + 1 : at)) {
    if (rand() % ++count == 0) chosen = at;
    at = skip_blanks(skip_value(at));
  }
  if (chosen) print_value(chosen);
}

/* Answers an `act`. */
static void answer(const char *act) {
  printf("{\"t\":\"action\",\"match\":");
  print_value(field(act, "match"));
  printf(",\"seq\":");
  print_value(field(act, "seq"));
  printf(",\"action\":");
  print_choice(field(act, "legal"));
  printf("}\n");
}

int main(void) {
  static char line[(1 << 20) + 2], act[(1 << 20) + 2];
  srand((unsigned)time(NULL));
  while (fgets(line, sizeof line, stdin)) {
    const char *kind = field(line, "t");
    if (is_string(kind, "hello")) {
      printf("{\"t\":\"hello\",\"version\":1,\"name\":\"random bot in C\",\"accept\":");
      print_value(field(line, "games"));
      printf("}\n");
    } else if (is_string(kind, "setup")) {
      printf("{\"t\":\"ready\",\"match\":");
      print_value(field(line, "match"));
      printf("}\n");
    } else if (is_string(kind, "ping")) {
      printf("{\"t\":\"pong\",\"n\":");
      print_value(field(line, "n"));
      printf("}\n");
    } else if (is_string(kind, "act")) {
      strcpy(act, line);
      answer(act);
    } else if (is_string(kind, "error")) {
      fputs(line, stderr);
      if (!strncmp(field(line, "fatal"), "false", 5) && field(line, "seq")) answer(act); /* give another answer */
    } else if (is_string(kind, "bye")) {
      break;
    }
    fflush(stdout);
  }
  return 0;
}
