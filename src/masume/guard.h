/* Methods that refuse a foreign self.
 *
 * Cython checks every argument of a compiled method but the first: `State.apply(1, 2)` would read the int as a State.
 * masume_guard_methods() is called once at the end of a module. It puts a check of the type in front of the vector call
 * of each method of the module's extension types, in the function object itself, so that no way around it is left in
 * Python: a look-up through the class, a bound method, a keyword, __call__ and partial all end there. What it relies on
 * are public structs of CPython, with which Cython's functions begin; if they do not, the import fails.
 */
#ifndef MASUME_GUARD_H
#define MASUME_GUARD_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <string.h>

#ifdef Py_LIMITED_API
#error "masume/guard.h reads the structs of function objects: build without Py_LIMITED_API"
#endif

#if defined(__GNUC__)
#define MASUME_APART __attribute__((noinline, cold))
#else
#define MASUME_APART
#endif

enum { MASUME_GUARDS = 4 }; /* Cython has one vector call for each convention of C functions, four in all */

static vectorcallfunc masume_guarded[MASUME_GUARDS]; /* what each guard calls; written while a module is imported */

static PyObject *masume_refuse(PyObject *function, PyObject *self) {
  PyErr_Format(PyExc_TypeError, "%s() of '%s' objects does not apply to a '%s' object",
               ((PyCFunctionObject *)function)->m_ml->ml_name, ((PyCMethodObject *)function)->mm_class->tp_name,
               Py_TYPE(self)->tp_name);
  return NULL;
}

/* What a guard does where self is neither of the function's class nor of one that extends it directly. No arguments at
 * all are left to the function, which tells them. Apart from the guards, so that these need no room on the stack. */
MASUME_APART static PyObject *masume_look_again(vectorcallfunc guarded, PyObject *function, PyObject *const *arguments,
                                                size_t count, PyObject *names) {
  PyTypeObject *own = ((PyCMethodObject *)function)->mm_class;
  if (PyVectorcall_NARGS(count) && !PyType_IsSubtype(Py_TYPE(arguments[0]), own))
    return masume_refuse(function, arguments[0]);
  return guarded(function, arguments, count, names);
}

#define MASUME_GUARD(n)                                                                                              \
  static PyObject *masume_guard_##n(PyObject *function, PyObject *const *arguments, size_t count, PyObject *names) { \
    PyTypeObject *own = ((PyCMethodObject *)function)->mm_class;                                                     \
    if (PyVectorcall_NARGS(count) && (Py_TYPE(arguments[0]) == own || Py_TYPE(arguments[0])->tp_base == own))        \
      return masume_guarded[n](function, arguments, count, names);                                                   \
    return masume_look_again(masume_guarded[n], function, arguments, count, names);                                  \
  }
MASUME_GUARD(0)
MASUME_GUARD(1)
MASUME_GUARD(2)
MASUME_GUARD(3)
#undef MASUME_GUARD

/* The same for a method that takes only *arguments, which has no vector call: build the tuple and the dict for it. */
static PyObject *masume_guard_tuple(PyObject *function, PyObject *const *arguments, size_t count, PyObject *names) {
  PyMethodDef *method = ((PyCFunctionObject *)function)->m_ml;
  Py_ssize_t given = PyVectorcall_NARGS(count), i;
  PyObject *tuple, *dict = NULL, *result = NULL;
  if (given == 0) return PyErr_Format(PyExc_TypeError, "%s() needs an argument", method->ml_name);
  if (!PyType_IsSubtype(Py_TYPE(arguments[0]), ((PyCMethodObject *)function)->mm_class))
    return masume_refuse(function, arguments[0]);
  if (!(tuple = PyTuple_New(given - 1))) return NULL;
  for (i = 1; i < given; i++) {
    Py_INCREF(arguments[i]);
    PyTuple_SET_ITEM(tuple, i - 1, arguments[i]);
  }
  if (names && PyTuple_GET_SIZE(names)) {
    if (!(dict = PyDict_New())) goto done;
    for (i = 0; i < PyTuple_GET_SIZE(names); i++)
      if (PyDict_SetItem(dict, PyTuple_GET_ITEM(names, i), arguments[given + i]) < 0) goto done;
  }
  result = ((PyCFunctionWithKeywords)(void (*)(void))method->ml_meth)(arguments[0], tuple, dict);
done:
  Py_XDECREF(dict);
  Py_DECREF(tuple);
  return result;
}

static int masume_is_guard(vectorcallfunc call) {
  return call == masume_guard_0 || call == masume_guard_1 || call == masume_guard_2 || call == masume_guard_3 ||
         call == masume_guard_tuple;
}

static vectorcallfunc masume_guard_of(vectorcallfunc call) {
  static const vectorcallfunc guards[MASUME_GUARDS] = {masume_guard_0, masume_guard_1, masume_guard_2, masume_guard_3};
  int n;
  if (!call) return masume_guard_tuple;
  for (n = 0; n < MASUME_GUARDS; n++) {
    if (!masume_guarded[n]) masume_guarded[n] = call;
    if (masume_guarded[n] == call) return guards[n];
  }
  return NULL;
}

/* Return whether a value in the dict of a class is a function that becomes a method, but none of CPython's own kinds,
 * which check their self, and none written in Python, which may have any. */
static int masume_is_compiled(PyObject *value) {
  PyTypeObject *type = Py_TYPE(value);
  return type->tp_call && type->tp_descr_get && type != &PyMethodDescr_Type && type != &PyWrapperDescr_Type &&
         type != &PyClassMethodDescr_Type && type != &PyStaticMethod_Type && type != &PyClassMethod_Type &&
         type != &PyFunction_Type;
}

/* Guard a method of a class; raise ImportError if the function is not laid out as Cython's are. */
static int masume_guard_method(PyTypeObject *type, PyObject *name, PyObject *value) {
  PyTypeObject *kind = Py_TYPE(value);
  PyCFunctionObject *function = (PyCFunctionObject *)value;
  PyTypeObject **own = &((PyCMethodObject *)value)->mm_class;
  vectorcallfunc guard;
  /* m_self of Cython's functions is the function itself: a second sign, beside where the vector call is */
  if (kind->tp_basicsize < (Py_ssize_t)sizeof(PyCMethodObject) ||
      kind->tp_vectorcall_offset != (Py_ssize_t)offsetof(PyCFunctionObject, vectorcall) || function->m_self != value ||
      (*own && *own != type))
    goto unknown;
  if (masume_is_guard(function->vectorcall)) return 0;
  if (!(guard = masume_guard_of(function->vectorcall))) goto unknown;
  if (!*own) {
    Py_INCREF(type);
    *own = type;
  }
  function->vectorcall = guard;
  return 0;
unknown:
  PyErr_Format(PyExc_ImportError, "%s.%U: a '%s' is not laid out as masume/guard.h expects of Cython's functions",
               type->tp_name, name, kind->tp_name);
  return -1;
}

static int masume_guard_class(PyTypeObject *type) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  int status = 0;
#if PY_VERSION_HEX >= 0x030C0000
  PyObject *members = PyType_GetDict(type);
#else
  PyObject *members = Py_NewRef(type->tp_dict);
#endif
  while (!status && PyDict_Next(members, &at, &key, &value))
    if (masume_is_compiled(value)) status = masume_guard_method(type, key, value);
  Py_DECREF(members);
  return status;
}

/* Guard the methods of all extension types of a module, given its globals(); return 0, or -1 with an exception. */
static int masume_guard_methods(PyObject *globals) {
  PyObject *key, *value, *own = PyDict_GetItemString(globals, "__name__");
  Py_ssize_t at = 0;
  while (PyDict_Next(globals, &at, &key, &value)) {
    if (!PyType_Check(value) || !(((PyTypeObject *)value)->tp_flags & Py_TPFLAGS_IMMUTABLETYPE)) continue;
    PyObject *its = PyObject_GetAttrString(value, "__module__");
    if (!its) return -1;
    int is_own = own ? PyObject_RichCompareBool(its, own, Py_EQ) : 0;
    Py_DECREF(its);
    if (is_own < 0 || (is_own && masume_guard_class((PyTypeObject *)value) < 0)) return -1;
  }
  return 0;
}

#endif
