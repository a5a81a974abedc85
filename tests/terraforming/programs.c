/* A program for the tests of the stdio protocol: its argument selects its behaviour, the same as in programs.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *mode = "";

/* Read a block and return the command that moves a robot out of our home; exit at the end of the input. */
static const char *move(void) {
  static char command[64];
  int me, count, x, y, owner;
  char object[16];
  if (scanf(" START %*d %*d %d %*d %d", &me, &count) != 2) exit(0);
  for (; count && scanf("%d %d %d %*d %*d %*s %15s", &x, &y, &owner, object) == 4; count--)
    if (owner == me && !strcmp(object, "initial")) sprintf(command, "move %d %d r 1", x, y);
  if (scanf(" EOS")) exit(1);
  if (!strcmp(mode, "dawdling")) usleep(400000);
  return command;
}

static void say(const char *line) {
  printf("%s\n", line);
  fflush(stdout);
}

static void spread(int count, char what) {
  while (count--) putchar(what);
}

int main(int argc, char **argv) {
  const char *command;
  if (argc > 1) mode = argv[1];
  if (!strcmp(mode, "mute")) sleep(1000);
  if (!strcmp(mode, "deaf")) { /* reads nothing */
    puts("deaf");
    for (int i = 0; i < 100; i++) say("finish");
    sleep(1000);
  }
  if (!strcmp(mode, "all")) { /* writes three turns in advance and exits */
    say("all\nreset\nfinish\nfinish now\nfinish\nfinish");
    return 0;
  }
  if (!strcmp(mode, "behind")) { /* writes the name before it reads anything, then one answer for every block */
    say("behind");
  } else {
    move();
    static const char name[] = "\0 a name\tof\177more than twenty characters \r";
    if (!strcmp(mode, "garbage")) fwrite(name, 1, sizeof name - 1, stdout);
    else printf("%s", !strcmp(mode, "nameless") ? " " : mode);
    say("");
  }
  if (!strcmp(mode, "no input")) {
    close(0);
    for (int i = 0; i < 100; i++) say("finish");
    sleep(1000);
  }
  say(move());
  say("finish");
  command = move();
  if (!strcmp(mode, "pausing")) {
    usleep(300000);
  } else if (!strcmp(mode, "slow")) {
    say(command);
    sleep(1000);
  } else if (!strcmp(mode, "dead")) {
    say(command);
    fprintf(stderr, "no will to live\n");
    return 3;
  } else if (!strcmp(mode, "half")) { /* writes a line without its end */
    printf("%s", command);
    return 0;
  } else if (!strcmp(mode, "flood")) {
    for (;;) puts(command);
  } else if (!strcmp(mode, "line")) {
    say(command);
    for (;;) putchar('x');
  } else if (!strcmp(mode, "garbage")) {
    static const char junk[] = "\0\377\343\n\n\t\nmove\t0\t0\tr\t1\nfinish now\nmove 9 9 r 1\n";
    fwrite(junk, 1, sizeof junk - 1, stdout);
    spread(200000, 'x');
    printf("\n%s", command);
    spread(100000, ' ');
    printf("x\n%s\r\n", command);
  } else if (!strcmp(mode, "many")) {
    for (int i = 0; i < 99999; i++) puts("junk");
    printf("%s\n%s\n", command, command);
  } else if (!strcmp(mode, "fork")) {
    for (int i = 0; i < 3; i++) {
      pid_t child = fork();
      if (child == 0) {
        sleep(1000);
        return 0;
      }
      fprintf(stderr, "%d\n", child);
    }
    say(command);
    return 0;
  } else if (!strcmp(mode, "no output")) {
    say(command);
    close(1);
    sleep(1000);
  }
  say(command);
  say(" finish\t");
  for (;;) {
    say(move());
    say("finish");
  }
}
