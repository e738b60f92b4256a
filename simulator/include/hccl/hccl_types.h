// SPDX-License-Identifier: Apache-2.0
/*
 * Types of the collective communication library.
 * Needs only the C headers; usable from C and C++.
 */
#ifndef SIM_INC_HCCL_TYPES_H
#define SIM_INC_HCCL_TYPES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	HCCL_SUCCESS,
	HCCL_E_PARA,
	HCCL_E_PTR,
	HCCL_E_MEMORY,
	HCCL_E_INTERNAL,
	HCCL_E_NOT_SUPPORT,
	HCCL_E_NOT_FOUND,
	HCCL_E_UNAVAIL,
	HCCL_E_SYSCALL,
	HCCL_E_TIMEOUT,
	HCCL_E_OPEN_FILE_FAILURE,
	HCCL_E_TCP_CONNECT,
	HCCL_E_ROCE_CONNECT,
	HCCL_E_TCP_TRANSFER,
	HCCL_E_ROCE_TRANSFER,
	HCCL_E_RUNTIME,
	HCCL_E_DRV,
	HCCL_E_PROFILING,
	HCCL_E_CCE,
	HCCL_E_NETWORK,
	HCCL_E_AGAIN,
	HCCL_E_REMOTE,
	HCCL_E_SUSPENDING,
	HCCL_E_OPRETRY_FAIL,
	HCCL_E_OOM,
	HCCL_E_RESERVED,
} HcclResult;

typedef enum {
	HCCL_REDUCE_SUM,
	HCCL_REDUCE_PROD,
	HCCL_REDUCE_MAX,
	HCCL_REDUCE_MIN,
	HCCL_REDUCE_RESERVED = 255,
} HcclReduceOp;

typedef enum {
	HCCL_DATA_TYPE_INT8,
	HCCL_DATA_TYPE_INT16,
	HCCL_DATA_TYPE_INT32,
	HCCL_DATA_TYPE_FP16,
	HCCL_DATA_TYPE_FP32,
	HCCL_DATA_TYPE_INT64,
	HCCL_DATA_TYPE_UINT64,
	HCCL_DATA_TYPE_UINT8,
	HCCL_DATA_TYPE_UINT16,
	HCCL_DATA_TYPE_UINT32,
	HCCL_DATA_TYPE_FP64,
	HCCL_DATA_TYPE_BFP16,
	HCCL_DATA_TYPE_INT128,
	HCCL_DATA_TYPE_HIF8 = 14,
	HCCL_DATA_TYPE_FP8E4M3,
	HCCL_DATA_TYPE_FP8E5M2,
	HCCL_DATA_TYPE_FP8E8M0,
	HCCL_DATA_TYPE_RESERVED = 255,
} HcclDataType;

typedef enum {
	HCCL_SEND,
	HCCL_RECV,
	HCCL_SEND_RECV_RESERVED,
} HcclSendRecvType;

typedef enum {
	HCCL_DETERMINISTIC,
	HCCL_CONFIG_RESERVED = 2,
} HcclConfig;

typedef enum {
	HCCL_COMM_CONFIG_BUFFER_SIZE,
	HCCL_COMM_CONFIG_DETERMINISTIC,
	HCCL_COMM_CONFIG_COMM_NAME,
	HCCL_COMM_CONFIG_OP_EXPANSION_MODE,
	HCCL_COMM_CONFIG_SUPPORT_INIT_BY_ENV,
	HCCL_COMM_CONFIG_WORLD_RANKID,
	HCCL_COMM_CONFIG_JOBID,
	HCCL_COMM_CONFIG_ACLGRAPH_ZEROCOPY_ENABLE,
	HCCL_COMM_CONFIG_EXEC_TIMEOUT,
	HCCL_COMM_CONFIG_ALGO,
	HCCL_COMM_CONFIG_RETRY,
	HCCL_COMM_CONFIG_BUFFER_NAME,
	HCCL_COMM_CONFIG_RESERVED,
} HcclCommConfigCapability;

/* Opaque: a communicator. */
typedef void *HcclComm;

#define HCCL_ROOT_INFO_BYTES 4108

/* Made by one rank, handed to all others by the program. */
typedef struct HcclRootInfoDef {
	char internal[HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;

typedef union {
	int32_t value;
} HcclConfigValue;

#define HCCL_COMM_CONFIG_INFO_BYTES	  24
#define HCCL_COMM_CONFIG_MAGIC_WORD	  0xf0f0f0f0
#define HCCL_COMM_CONFIG_VERSION	  10
#define HCCL_COMM_DEFAULT_BUFFSIZE	  200
#define HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET 0xffffffff
#define HCCL_COMM_ALGO_MAX_LENGTH	  1600
#define HCCL_COMM_RETRY_ENABLE_MAX_LENGTH 50
#define HCCL_COMM_RETRY_PARAMS_MAX_LENGTH 128
#define COMM_NAME_MAX_LENGTH		  128
#define UDI_MAX_LENGTH			  128
#define BUFFER_NAME_MAX_LENGTH		  128

typedef struct HcclCommConfigDef {
	char reserved[HCCL_COMM_CONFIG_INFO_BYTES];
	uint32_t hcclBufferSize;
	uint32_t hcclDeterministic;
	char hcclCommName[COMM_NAME_MAX_LENGTH];
	char hcclUdi[UDI_MAX_LENGTH];
	uint32_t hcclOpExpansionMode;
	uint32_t hcclRdmaTrafficClass;
	uint32_t hcclRdmaServiceLevel;
	uint32_t hcclWorldRankID;
	uint64_t hcclJobID;
	uint8_t aclGraphZeroCopyEnable;
	int32_t hcclExecTimeOut;
	char hcclAlgo[HCCL_COMM_ALGO_MAX_LENGTH];
	char hcclRetryEnable[HCCL_COMM_RETRY_ENABLE_MAX_LENGTH];
	char hcclRetryParams[HCCL_COMM_RETRY_PARAMS_MAX_LENGTH];
	char hcclBufferName[BUFFER_NAME_MAX_LENGTH];
	uint32_t hcclQos;
} HcclCommConfig;

typedef struct HcclSendRecvItemDef {
	HcclSendRecvType sendRecvType;
	void *buf;
	uint64_t count;
	HcclDataType dataType;
	uint32_t remoteRank;
} HcclSendRecvItem;

#ifdef __cplusplus
}
#endif

#endif
