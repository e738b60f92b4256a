// SPDX-License-Identifier: Apache-2.0
/*
 * Libraries with damaged headers, tables and symbols while a thread waits inside:
 * whatever the bytes, reading ends, in time and without a crash, and frames that are
 * given are not beyond the damaged library. Arguments: odd, library;
 * CANNWATCH_TEST_MUTANTS sets how many (default 400), CANNWATCH_TEST_SEED which.
 */
#include "probe/stacks.h"
#include "tests/probe/check.h"
#include "tests/probe/target.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct image_file {
	unsigned char *bytes; /* shared with the file, and so with the target */
	unsigned char *good;
	size_t size;
	size_t text_start, text_end; /* code must stay whole: the target runs it */
};

static int file_copy(const char *from, const char *to)
{
	char buffer[65536];
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	size_t got;
	int err = in && out ? 0 : -1;

	while (!err && (got = fread(buffer, 1, sizeof(buffer), in)) > 0)
		if (fwrite(buffer, 1, got, out) != got)
			err = -1;
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return err;
}

static int image_open(const char *path, struct image_file *image)
{
	FILE *file = fopen(path, "r+");
	const Elf64_Phdr *header;
	struct stat facts;
	int i;

	if (!file || fstat(fileno(file), &facts))
		return -1;
	image->size = facts.st_size;
	image->bytes = mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	fclose(file);
	image->good = malloc(image->size);
	if (image->bytes == MAP_FAILED || !image->good)
		return -1;
	memcpy(image->good, image->bytes, image->size);
	header = (const Elf64_Phdr *)(image->good + ((const Elf64_Ehdr *)image->good)->e_phoff);
	for (i = 0; i < ((const Elf64_Ehdr *)image->good)->e_phnum; i++)
		if (header[i].p_type == PT_LOAD && (header[i].p_flags & PF_X)) {
			image->text_start = header[i].p_offset;
			image->text_end = header[i].p_offset + header[i].p_filesz;
		}
	return 0;
}

static void mutate(struct image_file *image)
{
	int changes = 1 + rand() % 6;

	memcpy(image->bytes, image->good, image->size);
	while (changes-- > 0) {
		/* the headers, which are small, as often as all the rest */
		size_t at = (size_t)rand() % (rand() % 2 ? 1024 : image->size);
		int kind = rand() % 4;

		if (at >= image->text_start && at < image->text_end)
			continue;
		image->bytes[at] = kind == 0 ? 0xff : kind == 1 ? 0 : kind == 2 ? (unsigned char)rand() :
							image->bytes[at] ^ (unsigned char)(1 << rand() % 8);
	}
}

/* In a child, so that a crash or a hang is one failed case. 0 well. */
static int look(int pid)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		struct stacks_options options = { .no_stop = true };
		struct stacks stacks;

		alarm(10);
		if (!freopen("/dev/null", "w", stderr) || stacks_read(pid, &options, &stacks))
			_exit(1);
		stacks_clear(&stacks);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : WIFSIGNALED(status) ? WTERMSIG(status) : 1;
}

int main(int argc, char **argv)
{
	const char *seed = getenv("CANNWATCH_TEST_SEED");
	int mutants = checks_rounds("CANNWATCH_TEST_MUTANTS", 400), i, result, bad = 0;
	char folder[] = "/tmp/cannwatch-mutants-XXXXXX", copy[256], line[64];
	const char *arguments[] = { argv[1], "load", copy, NULL };
	struct image_file image = { 0 };
	struct target target;

	if (argc != 3 || !mkdtemp(folder))
		return 2;
	srand(seed ? (unsigned int)atoi(seed) : 1);
	snprintf(copy, sizeof(copy), "%s/library.so", folder);
	if (file_copy(argv[2], copy) || image_open(copy, &image) || target_start(&target, arguments) ||
	    !fgets(line, sizeof(line), target.out))
		return 2;
	target_wait_state(target.pid, target.pid, "S");
	CHECK(look(target.pid) == 0);
	for (i = 0; i < mutants; i++) {
		mutate(&image);
		result = look(target.pid);
		if (result && bad++ < 5)
			fprintf(stderr, "mutant %d: %s %d\n", i, result > 1 ? "signal" : "error", result);
	}
	memcpy(image.bytes, image.good, image.size);
	CHECK(bad == 0);
	CHECK(look(target.pid) == 0);
	target_end(&target);
	munmap(image.bytes, image.size);
	free(image.good);
	unlink(copy);
	rmdir(folder);
	return checks_result();
}
