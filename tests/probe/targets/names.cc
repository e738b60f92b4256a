// SPDX-License-Identifier: Apache-2.0
// A C++ name to be read, and a call that the compiler expands in place.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace outer
{
template <typename T> struct Inner {
	static inline __attribute__((always_inline)) void expanded()
	{
		pause();
	}

	__attribute__((noinline)) static void stand(T)
	{
		for (;;)
			expanded();
	}
};
} // namespace outer

int main()
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	outer::Inner<long>::stand(1);
}
