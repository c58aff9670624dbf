/* Tests of the runtime in C: a table of cases, one of which runs by its name. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);        \
      exit(3);                                                                       \
    }                                                                                \
  } while (0)

typedef struct {
  const char *name;
  void (*run)(void);
} TestCase;

/* Run the case with a name; return 2 if there is none. */
static inline int run_case(const TestCase *cases, int count, const char *name) {
  for (int index = 0; index < count; index++) {
    if (strcmp(cases[index].name, name) == 0) {
      cases[index].run();
      return 0;
    }
  }
  return 2;
}

#endif
