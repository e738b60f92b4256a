// SPDX-License-Identifier: Apache-2.0
/*
 * Data queues.
 * Needs only the C headers; usable from C and C++.
 */
#ifndef SIM_INC_ACL_TDT_H
#define SIM_INC_ACL_TDT_H

#include <stddef.h>
#include <stdint.h>
#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *acltdtBuf;
typedef struct tagMemQueueAttr acltdtQueueAttr;
typedef struct acltdtQueueRouteList acltdtQueueRouteList;
typedef struct acltdtQueueRouteQueryInfo acltdtQueueRouteQueryInfo;
typedef struct acltdtQueueRoute acltdtQueueRoute;
typedef struct acltdtChannelHandle acltdtChannelHandle;
typedef struct acltdtDataItem acltdtDataItem;
typedef struct acltdtDataset acltdtDataset;
typedef int acltdtTensorType;

#define ACL_TDT_QUEUE_PERMISSION_MANAGE	  1
#define ACL_TDT_QUEUE_PERMISSION_ENQUEUE  4
#define ACL_TDT_QUEUE_ROUTE_UNBIND	  0
#define ACL_TDT_QUEUE_PERMISSION_DEQUEUE  2
#define ACL_TDT_QUEUE_ROUTE_BIND	  1
#define ACL_TDT_QUEUE_ROUTE_BIND_ABNORMAL 2

typedef enum acltdtQueueAttrType {
	ACL_TDT_QUEUE_NAME_PTR = 0,
	ACL_TDT_QUEUE_DEPTH_UINT32 = 1,
} acltdtQueueAttrType;

typedef enum acltdtQueueRouteParamType {
	ACL_TDT_QUEUE_ROUTE_SRC_UINT32 = 0,
	ACL_TDT_QUEUE_ROUTE_DST_UINT32 = 1,
	ACL_TDT_QUEUE_ROUTE_STATUS_INT32 = 2,
} acltdtQueueRouteParamType;

typedef enum acltdtQueueRouteQueryMode {
	ACL_TDT_QUEUE_ROUTE_QUERY_SRC = 0,
	ACL_TDT_QUEUE_ROUTE_QUERY_DST = 1,
	ACL_TDT_QUEUE_ROUTE_QUERY_SRC_AND_DST = 2,
	ACL_TDT_QUEUE_ROUTE_QUERY_ABNORMAL = 100,
} acltdtQueueRouteQueryMode;

typedef enum acltdtQueueRouteQueryInfoParamType {
	ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM = 0,
	ACL_TDT_QUEUE_ROUTE_QUERY_SRC_ID_UINT32 = 1,
	ACL_TDT_QUEUE_ROUTE_QUERY_DST_ID_UINT32 = 2,
} acltdtQueueRouteQueryInfoParamType;

typedef enum acltdtAllocBufType {
	ACL_TDT_NORMAL_MEM = 0,
	ACL_TDT_DVPP_MEM = 1,
} acltdtAllocBufType;

aclError acltdtAddDataItem(acltdtDataset *dataset, acltdtDataItem *dataItem);
aclError acltdtAddQueueRoute(acltdtQueueRouteList *routeList, const acltdtQueueRoute *route);
aclError acltdtAllocBuf(size_t size, uint32_t type, acltdtBuf *buf);
aclError acltdtAppendBufChain(acltdtBuf headBuf, acltdtBuf buf);
aclError acltdtAttachQueue(uint32_t qid, int32_t timeout, uint32_t *permission);
aclError acltdtBindQueueRoutes(acltdtQueueRouteList *qRouteList);
aclError acltdtCleanChannel(acltdtChannelHandle *handle);
aclError acltdtCopyBufRef(const acltdtBuf buf, acltdtBuf *newBuf);
acltdtChannelHandle *acltdtCreateChannel(uint32_t deviceId, const char *name);
acltdtChannelHandle *acltdtCreateChannelWithCapacity(uint32_t deviceId, const char *name, size_t capacity);
acltdtDataItem *acltdtCreateDataItem(acltdtTensorType tdtType, const int64_t *dims, size_t dimNum,
				     aclDataType dataType, void *data, size_t size);
acltdtDataset *acltdtCreateDataset(void);
aclError acltdtCreateQueue(const acltdtQueueAttr *attr, uint32_t *qid);
acltdtQueueAttr *acltdtCreateQueueAttr(void);
acltdtQueueRoute *acltdtCreateQueueRoute(uint32_t srcId, uint32_t dstId);
acltdtQueueRouteList *acltdtCreateQueueRouteList(void);
acltdtQueueRouteQueryInfo *acltdtCreateQueueRouteQueryInfo(void);
aclError acltdtDequeue(uint32_t qid, acltdtBuf *buf, int32_t timeout);
aclError acltdtDequeueData(uint32_t qid, void *data, size_t dataSize, size_t *retDataSize, void *userData,
			   size_t userDataSize, int32_t timeout);
aclError acltdtDestroyChannel(acltdtChannelHandle *handle);
aclError acltdtDestroyDataItem(acltdtDataItem *dataItem);
aclError acltdtDestroyDataset(acltdtDataset *dataset);
aclError acltdtDestroyQueue(uint32_t qid);
aclError acltdtDestroyQueueAttr(const acltdtQueueAttr *attr);
aclError acltdtDestroyQueueRoute(const acltdtQueueRoute *route);
aclError acltdtDestroyQueueRouteList(const acltdtQueueRouteList *routeList);
aclError acltdtDestroyQueueRouteQueryInfo(const acltdtQueueRouteQueryInfo *info);
aclError acltdtEnqueue(uint32_t qid, acltdtBuf buf, int32_t timeout);
aclError acltdtEnqueueData(uint32_t qid, const void *data, size_t dataSize, const void *userData,
			   size_t userDataSize, int32_t timeout, uint32_t rsv);
aclError acltdtFreeBuf(acltdtBuf buf);
aclError acltdtGetBufChainNum(acltdtBuf headBuf, uint32_t *num);
aclError acltdtGetBufData(const acltdtBuf buf, void **dataPtr, size_t *size);
aclError acltdtGetBufDataLen(acltdtBuf buf, size_t *len);
aclError acltdtGetBufFromChain(acltdtBuf headBuf, uint32_t index, acltdtBuf *buf);
aclError acltdtGetBufUserData(const acltdtBuf buf, void *dataPtr, size_t size, size_t offset);
void *acltdtGetDataAddrFromItem(const acltdtDataItem *dataItem);
acltdtDataItem *acltdtGetDataItem(const acltdtDataset *dataset, size_t index);
size_t acltdtGetDataSizeFromItem(const acltdtDataItem *dataItem);
aclDataType acltdtGetDataTypeFromItem(const acltdtDataItem *dataItem);
const char *acltdtGetDatasetName(const acltdtDataset *dataset);
size_t acltdtGetDatasetSize(const acltdtDataset *dataset);
size_t acltdtGetDimNumFromItem(const acltdtDataItem *dataItem);
aclError acltdtGetDimsFromItem(const acltdtDataItem *dataItem, int64_t *dims, size_t dimNum);
aclError acltdtGetQueueAttr(const acltdtQueueAttr *attr, acltdtQueueAttrType type, size_t len,
			    size_t *paramRetSize, void *param);
aclError acltdtGetQueueRoute(const acltdtQueueRouteList *routeList, size_t index, acltdtQueueRoute *route);
size_t acltdtGetQueueRouteNum(const acltdtQueueRouteList *routeList);
aclError acltdtGetQueueRouteParam(const acltdtQueueRoute *route, acltdtQueueRouteParamType type, size_t len,
				  size_t *paramRetSize, void *param);
aclError acltdtGetSliceInfoFromItem(const acltdtDataItem *dataItem, size_t *sliceNum, size_t *sliceId);
acltdtTensorType acltdtGetTensorTypeFromItem(const acltdtDataItem *dataItem);
aclError acltdtGrantQueue(uint32_t qid, int32_t pid, uint32_t permission, int32_t timeout);
aclError acltdtQueryChannelSize(const acltdtChannelHandle *handle, size_t *size);
aclError acltdtQueryQueueRoutes(const acltdtQueueRouteQueryInfo *queryInfo, acltdtQueueRouteList *qRouteList);
aclError acltdtReceiveTensor(const acltdtChannelHandle *handle, acltdtDataset *dataset, int32_t timeout);
aclError acltdtSendTensor(const acltdtChannelHandle *handle, const acltdtDataset *dataset, int32_t timeout);
aclError acltdtSetBufDataLen(acltdtBuf buf, size_t len);
aclError acltdtSetBufUserData(acltdtBuf buf, const void *dataPtr, size_t size, size_t offset);
aclError acltdtSetQueueAttr(acltdtQueueAttr *attr, acltdtQueueAttrType type, size_t len, const void *param);
aclError acltdtSetQueueRouteQueryInfo(acltdtQueueRouteQueryInfo *param,
				      acltdtQueueRouteQueryInfoParamType type, size_t len, const void *value);
aclError acltdtStopChannel(acltdtChannelHandle *handle);
aclError acltdtUnbindQueueRoutes(acltdtQueueRouteList *qRouteList);

#ifdef __cplusplus
}
#endif

#endif
