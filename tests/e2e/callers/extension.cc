// SPDX-License-Identifier: Apache-2.0
// A Python extension in C++ that is linked with the API, as torch_npu is.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern "C" {
#include "tests/e2e/callers/body.h"
}

static PyObject *run(PyObject *, PyObject *args)
{
	const char *hang;

	if (!PyArg_ParseTuple(args, "s", &hang))
		return nullptr;
	body_run(hang);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = { { "run", run, METH_VARARGS, nullptr }, { nullptr, nullptr, 0, nullptr } };
static PyModuleDef module = { PyModuleDef_HEAD_INIT, "extension", nullptr, -1,	     methods,
			      nullptr,		     nullptr,	  nullptr, nullptr };

PyMODINIT_FUNC PyInit_extension(void)
{
	return PyModule_Create(&module);
}
