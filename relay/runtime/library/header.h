/* $file, written by Relay $version for $machine ($cpu).
 *
 *   ${name}_inputs in = { x, ... };
 *   ${name}_outputs out = { y, ... };
 *   int status = ${name}_run(&in, &out, NULL);
 *   if (status) puts(${name}_error(status));
 *
 * Tensors are dense, the last dimension is contiguous, and their memory is the caller's. Functions
 * may be called by several threads at once. What the library needs of others: $needs.
 */
#ifndef RELAY_${NAME}_H
#define RELAY_${NAME}_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ${NAME}_RELAY_VERSION "$version"

$sizes${open}typedef struct ${name}_inputs {
$inputs
} ${name}_inputs;

typedef struct ${name}_outputs {
$outputs
} ${name}_outputs;

/* Run the model and return a status, 0 for success; outputs are then written. An output must not
 * overlap an input or another output.
 *
 * `workspace` is ${name}_workspace_bytes() bytes that no other call uses meanwhile; their contents
 * do not matter. With NULL the call allocates them and frees them again.
 *
$statuses
 */
int ${name}_run(const ${name}_inputs *inputs, const ${name}_outputs *outputs, void *workspace);

/* Stop the call that runs with this workspace, from another thread or a handler of signals: it
 * returns soon if the program has loops or runs long, and to the end otherwise. */
void ${name}_stop(void *workspace);

/* Return the bytes of workspace that a call needs. */
size_t ${name}_workspace_bytes(void);

/* Let calls that begin from now on use up to so many threads, of which the caller's is one: 1 until
 * this is called. A workspace is for the number of threads at which its size was asked. */
void ${name}_set_threads(int threads);

/* Return the meaning of a status; the text is never freed. */
const char *${name}_error(int status);

#ifdef __cplusplus
}
#endif
#endif
