/* Preloaded into a daemon: moves its clock AHEAD_S seconds (a macro) ahead of the real time. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *t)
{
	int rc = (int)syscall(SYS_clock_gettime, id, t);

	if (rc == 0 && id == CLOCK_REALTIME)
		t->tv_sec += AHEAD_S;
	return rc;
}
