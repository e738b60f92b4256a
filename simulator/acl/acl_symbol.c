// SPDX-License-Identifier: Apache-2.0
/*
 * Symbols: variables that kernels can see. Kernels are functions of this
 * process, so any exported variable of a kernel library or the program is one,
 * at the same address for host and device.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include "simulator/acl/check.h"

/* Its size in bytes, 0 if the address is not where an exported variable begins. */
static size_t symbol_size(const void *symbol)
{
	const ElfW(Sym) *entry = NULL;
	Dl_info info;

	if (!dladdr1(symbol, &info, (void **)&entry, RTLD_DL_SYMENT) || !entry || info.dli_saddr != symbol ||
	    ELF64_ST_TYPE(entry->st_info) != STT_OBJECT)
		return 0;
	return entry->st_size;
}

static aclError check_range(const void *symbol, size_t offset, size_t count)
{
	size_t size = symbol_size(symbol);

	if (size == 0)
		return acl_invalid("symbol");
	return offset > size || count > size - offset ? acl_invalid("count") : ACL_SUCCESS;
}

static char *symbol_at(const void *symbol, size_t offset)
{
	return (char *)(uintptr_t)symbol + offset;
}

aclError aclrtGetSymbolAddress(const void *symbol, void **devPtr)
{
	CHECK_NOT_NULL(symbol);
	CHECK_NOT_NULL(devPtr);
	if (symbol_size(symbol) == 0)
		return acl_invalid("symbol");
	*devPtr = symbol_at(symbol, 0);
	return ACL_SUCCESS;
}

aclError aclrtGetSymbolSize(const void *symbol, size_t *size)
{
	CHECK_NOT_NULL(symbol);
	CHECK_NOT_NULL(size);
	*size = symbol_size(symbol);
	return *size ? ACL_SUCCESS : acl_invalid("symbol");
}

aclError aclrtMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset, aclrtMemcpyKind kind)
{
	aclError err;

	CHECK_NOT_NULL(symbol);
	CHECK_NOT_NULL(src);
	err = check_range(symbol, offset, count);
	return err ? err : aclrtMemcpy(symbol_at(symbol, offset), count, src, count, kind);
}

aclError aclrtMemcpyFromSymbol(void *dst, size_t dstMax, const void *symbol, size_t count, size_t offset,
			       aclrtMemcpyKind kind)
{
	aclError err;

	CHECK_NOT_NULL(dst);
	CHECK_NOT_NULL(symbol);
	err = check_range(symbol, offset, count);
	return err ? err : aclrtMemcpy(dst, dstMax, symbol_at(symbol, offset), count, kind);
}

aclError aclrtMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
				  aclrtMemcpyKind kind, aclrtStream stream)
{
	aclError err;

	CHECK_NOT_NULL(symbol);
	CHECK_NOT_NULL(src);
	err = check_range(symbol, offset, count);
	return err ? err : aclrtMemcpyAsync(symbol_at(symbol, offset), count, src, count, kind, stream);
}

aclError aclrtMemcpyFromSymbolAsync(void *dst, size_t dstMax, const void *symbol, size_t count, size_t offset,
				    aclrtMemcpyKind kind, aclrtStream stream)
{
	aclError err;

	CHECK_NOT_NULL(dst);
	CHECK_NOT_NULL(symbol);
	err = check_range(symbol, offset, count);
	return err ? err : aclrtMemcpyAsync(dst, dstMax, symbol_at(symbol, offset), count, kind, stream);
}
