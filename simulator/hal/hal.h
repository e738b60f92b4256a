// SPDX-License-Identifier: Apache-2.0
/*
 * The border between the runtime and the device: what libascend_hal.so offers.
 * Layouts of the hal* structs marked (public) are those of the types table; the
 * others are the simulator's own, since no public header shows them.
 *
 * Every function may be called from any thread and takes its own locks; none
 * calls back into the runtime. Results: 0, or one of enum drv_error.
 */
#ifndef SIMULATOR_HAL_HAL_H
#define SIMULATOR_HAL_HAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_EXPORT __attribute__((visibility("default")))

typedef int drvError_t;
typedef int drvSqCqType_t;
typedef int drvSqCqPropType_t;

enum drv_error {
	DRV_ERROR_NONE = 0,
	DRV_ERROR_NO_DEVICE = 1,
	DRV_ERROR_INVALID_DEVICE = 2,
	DRV_ERROR_INVALID_VALUE = 3,
	DRV_ERROR_OUT_OF_MEMORY = 6,
	DRV_ERROR_WAIT_TIMEOUT = 16,
	DRV_ERROR_NO_RESOURCES = 32,
	DRV_ERROR_NOT_SUPPORT = 65534,
};

enum drv_sqcq_type { DRV_NORMAL_TYPE = 0, DRV_CALLBACK_TYPE = 1 };

enum drv_sqcq_prop {
	DRV_SQCQ_PROP_SQ_STATUS = 0,
	DRV_SQCQ_PROP_SQ_HEAD = 1,
	DRV_SQCQ_PROP_SQ_TAIL = 2,
	DRV_SQCQ_PROP_SQ_DEPTH = 7,
	/* the simulator's own, for halSqCqConfig */
	SIM_SQCQ_PROP_CALLBACK_DONE = 100, /* value[0]: queue position */
	SIM_SQCQ_PROP_FAILURE_MODE = 101,  /* value[0]: 1 stops at a failed task */
	SIM_SQCQ_PROP_MODEL = 102,	   /* value[0]: model the queue belongs to */
};

enum hal_resource { DRV_STREAM_ID = 0, DRV_EVENT_ID, DRV_MODEL_ID, DRV_NOTIFY_ID, DRV_CPU_STREAM_ID };

enum {
	SIM_SQ_DEPTH = 2048,
	SIM_SQ_ROOM = 2046, /* entries a queue takes before it counts as full */
	SIM_STREAMS = 1984,
	SIM_CPU_STREAMS = 64, /* ids 2048.. of CPU_SCHEDULE streams */
	SIM_CPU_STREAM_BASE = 2048,
	SIM_EVENTS = 65536,
	SIM_NOTIFIES = 8192,
	SIM_MODELS = 2048,
	SIM_MAX_DEVICES = 8,
	SIM_SQ_COUNT = 4096,
	SIM_CALLBACK_GROUPS = 1024,
};

/* SQE types of the 910B/C scheduler. */
enum sqe_type {
	SQE_KERNEL = 0,
	SQE_AICPU = 1,
	SQE_PLACEHOLDER = 3,
	SQE_EVENT_RECORD = 4,
	SQE_EVENT_WAIT = 5,
	SQE_NOTIFY_RECORD = 6,
	SQE_NOTIFY_WAIT = 7,
	SQE_WRITE_VALUE = 8,
	SQE_SDMA = 11,
	SQE_CONDITION = 20,
	SQE_TYPE_MASK = 0x3f,
	SQE_WRITE_CQE = 0x40, /* in byte 1 */
};

/* What an SQE of a type with several uses does (`kind`). */
enum sqe_kind {
	KIND_NONE = 0,
	KIND_TIMESTAMP,	  /* placeholder: arg[0] where the time goes */
	KIND_EVENT_RESET, /* write value */
	KIND_NOTIFY_RESET,
	KIND_VALUE_WRITE, /* arg[0] address, arg[1] value */
	KIND_COPY,	  /* SDMA: arg[0] to, arg[1] from, arg[2] bytes */
	KIND_SET,	  /* SDMA: arg[0] to, arg[1] byte, arg[2] bytes */
	KIND_VALUE_WAIT,  /* condition: arg[0] address, arg[1] value, arg[2] comparison */
	KIND_MODEL_START, /* condition: arg[0] model id */
	KIND_CALLBACK,	  /* AI CPU: arg[0] cookie, arg[1] group, does not block */
	KIND_CALLBACK_BLOCK,
};

/* One task as it is handed over: 64 bytes, the first twelve as documented. */
struct sim_sqe {
	uint8_t type;  /* bits 0-5 */
	uint8_t flags; /* bit 6: write a completion */
	uint16_t block_dim;
	uint16_t stream_id;
	uint16_t task_id;	/* low 16 bits */
	uint32_t object_id;	/* event or notify */
	uint32_t object_device; /* whose event table */
	uint32_t timeout_s;	/* of waits; 0 for ever */
	uint32_t kind;
	uint64_t arg[5];
};

_Static_assert(sizeof(struct sim_sqe) == 64, "an SQE is 64 bytes");

struct sim_cqe {
	uint16_t stream_id;
	uint16_t task_id;
	uint16_t sq_id;
	uint16_t sq_pos;
	uint32_t error; /* 0 or an ACL error code */
	uint32_t type;	/* SQE type */
	uint64_t cookie;
	uint32_t device;
	uint32_t block;
};

struct halTaskSendInfo { /* public */
	drvSqCqType_t type;
	uint32_t tsId;
	uint32_t sqId;
	int32_t timeout;
	uint8_t *sqe_addr;
	uint32_t sqe_num;
	uint32_t pos;
	uint32_t res[8];
};

struct halSqCqQueryInfo { /* public */
	drvSqCqType_t type;
	uint32_t tsId;
	uint32_t sqId;
	uint32_t cqId;
	drvSqCqPropType_t prop;
	uint32_t value[8];
};

struct halReportRecvInfo { /* public */
	drvSqCqType_t type;
	uint32_t tsId;
	uint32_t cqId;
	int32_t timeout;
	uint8_t *cqe_addr;
	uint32_t cqe_num;
	uint32_t report_cqe_num;
	uint32_t stream_id;
	uint32_t task_id;
	uint32_t res[8];
};

struct halSqMsgInfo { /* public */
	drvSqCqType_t type;
	uint32_t tsId;
	uint32_t sqId;
	uint32_t cmdCount;
	uint32_t reportCount;
	uint32_t res[8];
};

struct halReportInfoInput { /* public */
	drvSqCqType_t type;
	uint32_t grpId;
	uint32_t tsId;
	int32_t timeout;
	uint32_t res[8];
};

struct halReportInfoOutput { /* public */
	uint64_t *cqIdBitmap;
	uint32_t cqIdBitmapSize;
	uint32_t res[8];
};

struct halReportGetInput { /* public */
	drvSqCqType_t type;
	uint32_t tsId;
	uint32_t cqId;
	uint32_t res[8];
};

struct halReportGetOutput { /* public */
	uint32_t count;
	void *reportPtr;
	uint32_t res[8];
};

struct halReportReleaseInfo {
	drvSqCqType_t type;
	uint32_t tsId;
	uint32_t cqId;
	uint32_t count;
};

struct halResourceIdInputInfo {
	int type; /* enum hal_resource */
	uint32_t tsId;
	uint32_t resourceId;
	uint32_t res[3];
};

struct halResourceIdOutputInfo {
	uint32_t resourceId;
	uint32_t res[5];
};

struct halResourceConfigInfo {
	int prop;
	uint32_t value[4];
};

struct halSqCqInputInfo {
	drvSqCqType_t type;
	uint32_t tsId;
	uint32_t sqeSize, cqeSize;
	uint32_t sqeDepth, cqeDepth;
	uint32_t grpId;
	uint32_t flag;
	uint32_t sqId, cqId; /* wanted ids */
	uint32_t info[8];    /* [0] stream id */
};

struct halSqCqOutputInfo {
	uint32_t sqId, cqId;
	uint64_t queueVAddr;
	uint32_t flag;
	uint32_t info[8];
};

struct halSqCqFreeInfo {
	drvSqCqType_t type;
	uint32_t tsId;
	uint32_t sqId, cqId;
	uint32_t flag;
};

struct halSqCqConfigInfo {
	drvSqCqType_t type;
	uint32_t tsId;
	uint32_t sqId, cqId;
	drvSqCqPropType_t prop;
	uint32_t value[8];
};

struct halSqMemGetInput {
	drvSqCqType_t type;
	uint32_t tsId, sqId;
	uint32_t cmdCount;
};

struct halSqMemGetOutput {
	uint32_t cmdCount;
	void *cmdPtr;
	uint32_t pos;
};

/* Where memory lies, as drvMemGetAttribute answers. */
enum sim_memory { SIM_MEM_HOST = 0, SIM_MEM_DEVICE = 1, SIM_MEM_UNKNOWN = 2 };

struct sim_memory_info {
	uint64_t total, free; /* bytes */
};

/* Queues. halSqTaskSend copies the SQEs; pos (out) is the first one's place in the queue. */
SIM_EXPORT drvError_t halSqTaskSend(uint32_t devId, struct halTaskSendInfo *info);
SIM_EXPORT drvError_t halSqMsgSend(uint32_t devId, struct halSqMsgInfo *info);
SIM_EXPORT drvError_t halSqMemGet(uint32_t devId, struct halSqMemGetInput *in, struct halSqMemGetOutput *out);
SIM_EXPORT drvError_t halSqCqQuery(uint32_t devId, struct halSqCqQueryInfo *info);
SIM_EXPORT drvError_t halSqCqConfig(uint32_t devId, struct halSqCqConfigInfo *info);
SIM_EXPORT drvError_t halSqCqAllocate(uint32_t devId, struct halSqCqInputInfo *in,
				      struct halSqCqOutputInfo *out);
SIM_EXPORT drvError_t halSqCqFree(uint32_t devId, struct halSqCqFreeInfo *info);

/* Completions: at most cqe_num of 32 bytes each; timeout in ms, -1 for ever, 0 does not wait. */
SIM_EXPORT drvError_t halCqReportRecv(uint32_t devId, struct halReportRecvInfo *info);
SIM_EXPORT drvError_t halCqReportIrqWait(uint32_t devId, struct halReportInfoInput *in,
					 struct halReportInfoOutput *out);
SIM_EXPORT drvError_t halCqReportGet(uint32_t devId, struct halReportGetInput *in,
				     struct halReportGetOutput *out);
SIM_EXPORT drvError_t halReportRelease(uint32_t devId, struct halReportReleaseInfo *info);

/* Ids: always the lowest free one; an event or notify id comes with its flag cleared. */
SIM_EXPORT drvError_t halResourceIdAlloc(uint32_t devId, struct halResourceIdInputInfo *in,
					 struct halResourceIdOutputInfo *out);
SIM_EXPORT drvError_t halResourceIdFree(uint32_t devId, struct halResourceIdInputInfo *in);
SIM_EXPORT drvError_t halResourceConfig(uint32_t devId, struct halResourceIdInputInfo *in,
					struct halResourceConfigInfo *para);

/*
 * Notifies of other processes. Create: moves a notify of this process into shared memory and writes a key of
 * seven characters (len at least 8); `anyone`: every process may open it, else those of SetPid and this one.
 * Open: the notify behind a key; tasks on it carry `slot` in arg[0]. A key stays valid while its maker lives.
 */
struct sim_shared_id {
	uint32_t device, id; /* as its maker sees it */
	uint32_t slot;	     /* 1.. */
	bool own;	     /* made by this process */
};
SIM_EXPORT drvError_t halShrIdCreate(uint32_t devId, uint32_t id, uint32_t anyone, char *key, uint32_t len);
SIM_EXPORT drvError_t halShrIdSetPid(uint32_t devId, uint32_t id, const int32_t *pids, uint32_t count);
SIM_EXPORT drvError_t halShrIdOpen(const char *key, struct sim_shared_id *out);

/*
 * The simulator's time in ns. Manual: a waiting thread must call halClockTurn again and again (deadline 0:
 * none) for devices to run (CANNSIM_SEED) or for time to pass (CANNSIM_CLOCK=virtual).
 */
SIM_EXPORT uint64_t halClockNow(void);
SIM_EXPORT bool halClockManual(void);
SIM_EXPORT bool halClockSeeded(void);
SIM_EXPORT void halClockTurn(uint64_t deadline_ns);

/* Devices. drvDeviceOpen starts the device's threads; again is harmless. */
SIM_EXPORT drvError_t drvGetDevNum(uint32_t *count);
SIM_EXPORT drvError_t drvDeviceOpen(uint32_t devId);
SIM_EXPORT drvError_t drvDeviceStatus(uint32_t devId, int *lost);

/* Memory. Device memory is ordinary memory of this process in one reserved range per device. */
SIM_EXPORT drvError_t halMemAlloc(void **address, uint64_t size, uint32_t devId);
SIM_EXPORT drvError_t halMemFree(void *address);
SIM_EXPORT drvError_t halHostMemAlloc(void **address, uint64_t size);
SIM_EXPORT drvError_t halHostMemFree(void *address);
SIM_EXPORT enum sim_memory drvMemGetAttribute(const void *address, uint32_t *devId);
SIM_EXPORT drvError_t halMemGetInfo(uint32_t devId, struct sim_memory_info *info);
SIM_EXPORT drvError_t drvMemcpy(void *to, const void *from, uint64_t size);
SIM_EXPORT drvError_t drvMemsetD8(void *to, uint8_t value, uint64_t size);

/* Writes the scheduler's view of every queue of a device to a file, as the device exports it. */
SIM_EXPORT drvError_t halDumpScheduler(uint32_t devId, const char *path);

#endif
