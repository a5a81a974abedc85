/* Program for the referee's tests: does what its argument says, as tests/programs.py does. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void echo(void) {
  char line[256];
  while (fgets(line, sizeof line, stdin)) printf("%s", line);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  if (!strcmp(mode, "echo")) {
    echo();
  } else if (!strcmp(mode, "ahead")) { /* all its answers before it reads anything */
    printf("one\ntwo\nthree\n");
    echo();
  } else if (!strcmp(mode, "slow")) {
    sleep(1000);
  } else if (!strcmp(mode, "dead")) {
    fprintf(stderr, "no memory of what it was\n");
    return 3;
  } else if (!strcmp(mode, "crash")) {
    abort();
  } else if (!strcmp(mode, "flood")) { /* lines without an end */
    for (;;) puts("0123456789012345678901234567890123456789");
  } else if (!strcmp(mode, "line")) { /* one line without an end */
    for (;;) putchar('x');
  } else if (!strcmp(mode, "log")) {
    for (int i = 0; i < 300000; i++) fprintf(stderr, "%d\n", i);
    echo();
  } else if (!strcmp(mode, "garbage")) {
    fwrite("\0\377\r\n\r\r\n\n", 1, 8, stdout);
    echo();
  } else if (!strcmp(mode, "fork")) { /* the parent ends, the children hold its pipes */
    for (int i = 0; i < 3; i++) {
      pid_t child = fork();
      if (child == 0) {
        sleep(1000);
        return 0;
      }
      printf("%d\n", child);
    }
  } else if (!strcmp(mode, "no output")) {
    close(1);
    sleep(1000);
  } else if (!strcmp(mode, "no input")) {
    close(0);
    puts("deaf");
    sleep(1000);
  } else if (!strcmp(mode, "unread")) {
    puts("talks only");
    sleep(1000);
  } else if (!strcmp(mode, "memory")) {
    char *block = malloc((size_t)1 << 30);
    if (!block) {
      fprintf(stderr, "no memory\n");
      return 4;
    }
    memset(block, 1, (size_t)1 << 30);
    puts("has it");
    echo();
  }
  return 0;
}
