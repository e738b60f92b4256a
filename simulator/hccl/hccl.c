// SPDX-License-Identifier: Apache-2.0
/*
 * libhccl.so: the entry points of the collective communication library. No
 * collective is modelled yet: they answer HCCL_E_NOT_SUPPORT and write one log line.
 */
#include <stdio.h>
#pragma GCC visibility push(default)
#include "simulator/include/hccl/hccl.h"
#pragma GCC visibility pop
#include "simulator/runtime/rt.h"

enum { LEVEL_ERROR = 3 };

static HcclResult refuse(const char *function)
{
	char text[160];

	snprintf(text, sizeof(text), "%s is not supported", function);
	rtLogLine(LEVEL_ERROR, "HCCL", function, text);
	return HCCL_E_NOT_SUPPORT;
}

HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType,
			 HcclComm comm, aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount, void *recvBuf, const void *recvCounts,
			  const void *recvDispls, HcclDataType dataType, HcclComm comm, aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType,
			 HcclReduceOp op, HcclComm comm, aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
			uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls,
			 HcclDataType sendType, const void *recvBuf, const void *recvCounts, const void *rdispls,
			 HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType,
			  const void *recvBuf, HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
			 aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
		      uint32_t root, HcclComm comm, aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType,
			     HcclReduceOp op, HcclComm comm, aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclReduceScatterV(void *sendBuf, const void *sendCounts, const void *sendDispls, void *recvBuf,
			      uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm, aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType,
		       uint32_t root, HcclComm comm, aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms)
{
	return refuse(__func__);
}

HcclResult HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm)
{
	return refuse(__func__);
}

HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo, uint32_t rank, HcclCommConfig *config,
					 HcclComm *comm)
{
	return refuse(__func__);
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, HcclComm *comm)
{
	return refuse(__func__);
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
				      const HcclCommConfig *config, HcclComm *comm)
{
	return refuse(__func__);
}

HcclResult HcclCreateSubCommConfig(HcclComm *comm, uint32_t rankNum, uint32_t *rankIds, uint64_t subCommId,
				   uint32_t subCommRankId, HcclCommConfig *config, HcclComm *subComm)
{
	return refuse(__func__);
}

HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo)
{
	return refuse(__func__);
}

HcclResult HcclCommDestroy(HcclComm comm)
{
	return refuse(__func__);
}

HcclResult HcclCommResume(HcclComm comm)
{
	return refuse(__func__);
}

HcclResult HcclCommSuspend(HcclComm comm)
{
	return refuse(__func__);
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError)
{
	return refuse(__func__);
}

HcclResult HcclGroupEnd(void)
{
	return refuse(__func__);
}

HcclResult HcclGroupStart(void)
{
	return refuse(__func__);
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum, HcclComm comm,
			     aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
		    aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
		    aclrtStream stream)
{
	return refuse(__func__);
}

HcclResult HcclCommActivateCommMemory(HcclComm comm, void *virPtr, size_t size, size_t offset,
				      aclrtDrvMemHandle handle, uint64_t flags)
{
	return refuse(__func__);
}

HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void *virPtr)
{
	return refuse(__func__);
}

HcclResult HcclCommDeregister(HcclComm comm, void *handle)
{
	return refuse(__func__);
}

HcclResult HcclCommExchangeMem(HcclComm comm, void *windowHandle, uint32_t *peerRanks, uint32_t peerRankNum)
{
	return refuse(__func__);
}

HcclResult HcclCommRegister(HcclComm comm, void *addr, uint64_t size, void * *handle, uint32_t flag)
{
	return refuse(__func__);
}

HcclResult HcclCommSetMemoryRange(HcclComm comm, void *baseVirPtr, size_t size, size_t alignment,
				  uint64_t flags)
{
	return refuse(__func__);
}

HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void *baseVirPtr)
{
	return refuse(__func__);
}

HcclResult HcclCommWorkingDevNicSet(HcclComm comm, uint32_t *ranks, bool *useBackup, uint32_t nRanks)
{
	return refuse(__func__);
}

HcclResult HcclGetCommConfig(HcclComm comm, HcclConfig config, HcclConfigValue *configValue)
{
	return refuse(__func__);
}

uint32_t HcclGetCommConfigCapability(void)
{
	refuse(__func__);
	return 0;
}

HcclResult HcclGetCommName(HcclComm comm, char *commName)
{
	return refuse(__func__);
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue)
{
	return refuse(__func__);
}

const char *HcclGetErrorString(HcclResult code)
{
	static const char *const texts[] = {
		[HCCL_SUCCESS] = "no error",
		[HCCL_E_PARA] = "parameter error",
		[HCCL_E_PTR] = "empty pointer",
		[HCCL_E_MEMORY] = "memory error",
		[HCCL_E_INTERNAL] = "internal error",
		[HCCL_E_NOT_SUPPORT] = "feature not supported",
		[HCCL_E_NOT_FOUND] = "resource not found",
		[HCCL_E_UNAVAIL] = "resource unavailable",
		[HCCL_E_SYSCALL] = "system call failed",
		[HCCL_E_TIMEOUT] = "timeout",
		[HCCL_E_REMOTE] = "error of a remote rank",
		[HCCL_E_OOM] = "out of memory",
	};

	if ((unsigned)code >= sizeof(texts) / sizeof(texts[0]) || !texts[code])
		return "unknown error";
	return texts[code];
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank)
{
	return refuse(__func__);
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize)
{
	return refuse(__func__);
}

HcclResult HcclSetCommConfig(HcclComm comm, HcclConfig config, HcclConfigValue configValue)
{
	return refuse(__func__);
}

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue)
{
	return refuse(__func__);
}
