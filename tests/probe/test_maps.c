// SPDX-License-Identifier: Apache-2.0
/* Memory maps and modules: odd lines, odd paths, whose library it is. */
#include "probe/maps.h"
#include "probe/module.h"
#include "tests/probe/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] =
	"00400000-00401000 r--p 00000000 08:01 11 /home/u/Ascend/my project/app\n"
	"00401000-00402000 r-xp 00001000 08:01 11 /home/u/Ascend/my project/app\n"
	"00402000-00403000 rw-p 00002000 08:01 11 /home/u/Ascend/my project/app\n"
	"00500000-00600000 rw-p 00000000 00:00 0                                  [heap]\n"
	"this line is not one\n"
	"00600000-00500000 rw-p 00000000 00:00 0 \n"
	"7f0000000000-7f0000001000 r--p 00000000 08:01 22 /opt/x/libascendcl.so\n"
	"7f0000001000-7f0000002000 r-xp 00001000 08:01 22 /opt/x/libascendcl.so\n"
	"7f0000002000-7f0000003000 rw-p 00000000 00:00 0 \n"
	"7f0000003000-7f0000004000 rw-p 00002000 08:01 22 /opt/x/libascendcl.so\n"
	"7f0000010000-7f0000011000 r-xp 00000000 08:01 23 /opt/line\\012break/lib a.so (deleted)\n"
	"7f0000020000-7f0000021000 r-xp 00000000 08:01 22 /opt/x/libascendcl.so\n"
	"7f0000030000-7f0000031000 rw-s 00000000 00:06 5 /dev/davinci0\n"
	"7f0000040000-7f0000041000 rw-s 00000000 00:06 6 /dev/shm/cannwatch-0/1.ring\n"
	"7f0000050000-7f0000051000 r--p 00000000 08:01 30 /usr/share/data.bin\n"
	"7ffc00000000-7ffc00001000 rw-p 00000000 00:00 0 [stack]\n"
	"7ffc00010000-7ffc00012000 r-xp 00000000 00:00 0 [vdso]";

static void test_parse(void)
{
	const struct map *map;
	struct map_table table;

	CHECK(maps_parse(text, sizeof(text) - 1, &table) == 0);
	CHECK(table.count == 15 && table.damaged == 2);
	map = maps_find(&table, 0x401fff);
	CHECK(map && map->executable && !map->writable && map->offset == 0x1000 && map->inode == 11);
	CHECK(map && !strcmp(map->path, "/home/u/Ascend/my project/app"));
	CHECK(!maps_find(&table, 0x403000) && !maps_find(&table, 0) && !maps_find(&table, UINT64_MAX));
	map = maps_find(&table, 0x500000);
	CHECK(map && map->kind == MAP_HEAP);
	map = maps_find(&table, 0x7f0000010000);
	CHECK(map && map->deleted && !strcmp(map->path, "/opt/line\nbreak/lib a.so"));
	map = maps_find(&table, 0x7f0000030000);
	CHECK(map && map->kind == MAP_DEVICE && map->shared);
	map = maps_find(&table, 0x7f0000040000);
	CHECK(map && map->kind == MAP_FILE);
	map = maps_find(&table, 0x7ffc00010000);
	CHECK(map && map->kind == MAP_VDSO);
	maps_clear(&table);
	CHECK(maps_parse("", 0, &table) == 0 && table.count == 0);
	maps_clear(&table);
}

static void test_modules(void)
{
	const struct module *module;
	struct module_table modules;
	struct map_table table;

	CHECK(maps_parse(text, sizeof(text) - 1, &table) == 0);
	CHECK(modules_build(&table, NULL, &modules) == 0);
	CHECK(modules.count == 5);
	module = modules_find(&modules, 0x401234);
	CHECK(module && module->owner == MODULE_PROGRAM && module->start == 0x400000 && module->end == 0x403000);
	module = modules_find(&modules, 0x7f0000001010);
	CHECK(module && module->owner == MODULE_CANN && module->start == 0x7f0000000000 &&
	      module->end == 0x7f0000004000);
	module = modules_find(&modules, 0x7f0000020010);
	CHECK(module && module->start == 0x7f0000020000 && module->owner == MODULE_CANN);
	module = modules_find(&modules, 0x7ffc00011000);
	CHECK(module && module->is_vdso);
	CHECK(!modules_find(&modules, 0x7f0000050000) && !modules_find(&modules, 0x500000));
	modules_clear(&modules);
	maps_clear(&table);
}

static void test_owner(void)
{
	static const char *const roots[] = { "/data/my-cann/", NULL };
	static const struct {
		const char *path;
		enum module_owner owner;
	} cases[] = {
		{ "/usr/local/Ascend/driver/lib64/libwhatever.so", MODULE_CANN },
		{ "/root/Ascend/ascend-toolkit/8.0.0/lib64/libx.so", MODULE_CANN },
		{ "/root/Ascend/cann-9.1/lib64/libx.so.1", MODULE_CANN },
		{ "/root/Ascend/project/libx.so", MODULE_PROGRAM },
		{ "/root/Ascend/latest/bin/msprof", MODULE_PROGRAM },
		{ "/b/simulator/libruntime.so", MODULE_CANN },
		{ "/b/libruntime_v100.so", MODULE_CANN },
		{ "/b/libacl_rt_impl.so", MODULE_CANN },
		{ "/b/libhccl_alg.so", MODULE_CANN },
		{ "/b/libascend_hal.so", MODULE_CANN },
		{ "/b/libdrvdsmi_host.so", MODULE_CANN },
		{ "/b/libascendcl_wrapper.so", MODULE_PROGRAM },
		{ "/b/libacl_myapp.so", MODULE_PROGRAM }, /* a program may call its own so */
		{ "/b/libhccl_helper.so", MODULE_PROGRAM },
		{ "/b/libruntimes.so", MODULE_PROGRAM },
		{ "/b/libruntime.sock", MODULE_PROGRAM },
		{ "/b/site-packages/torch_npu/lib/libtorch_npu.so", MODULE_PROGRAM },
		{ "/data/my-cann/lib/libz.so", MODULE_CANN },
		{ "/data/my-cann2/lib/libz.so", MODULE_PROGRAM },
		{ "/b/preload/libcannwatch.so", MODULE_CANNWATCH },
		{ "", MODULE_PROGRAM },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK(module_owner_of(cases[i].path, roots) == cases[i].owner);
}

static void test_own_process(void)
{
	const struct module *module;
	struct module_table modules;
	struct map_table table;
	char **roots = module_roots_read(getpid());

	CHECK(roots && roots[0] && !strcmp(roots[0], "/tmp/cann-test-root") && !roots[1]);
	CHECK(maps_read(getpid(), &table) == 0 && table.damaged == 0);
	CHECK(modules_build(&table, (const char *const *)roots, &modules) == 0);
	module = modules_find(&modules, (uint64_t)(uintptr_t)&test_own_process);
	CHECK(module && strstr(module->name, "test_maps"));
	module = modules_find(&modules, (uint64_t)(uintptr_t)&free);
	CHECK(module != NULL);
	modules_clear(&modules);
	maps_clear(&table);
	module_roots_free(roots);
	CHECK(maps_read(0x7ffffff0, &table) == -ESRCH);
}

/* Every cut and many flipped bytes of the text: no crash, no endless loop. */
static void test_damaged(void)
{
	char copy[sizeof(text)];
	struct map_table table;
	size_t i;

	for (i = 0; i < sizeof(text); i++) {
		CHECK(maps_parse(text, i, &table) == 0);
		maps_clear(&table);
		memcpy(copy, text, sizeof(text));
		copy[i] = (char)(i * 37);
		CHECK(maps_parse(copy, sizeof(copy), &table) == 0);
		maps_clear(&table);
	}
}

int main(void)
{
	test_parse();
	test_modules();
	test_owner();
	test_own_process();
	test_damaged();
	return checks_result();
}
