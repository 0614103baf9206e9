"""Enough of demangled C++ to take a kernel's signature apart, in one pass and never raising."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ANONYMOUS = re.compile(r"(?:\(anonymous namespace\)|<unnamed>|\(anonymous\)|_GLOBAL__N_)::")
_CLOSES = {")": "(", "]": "[", "}": "{"}

# C++ spellings of the data types; the key has no namespace and no `const`.
_DTYPES = {
    "BFloat16": "bf16",
    "bfloat16_t": "bf16",
    "__nv_bfloat16": "bf16",
    "__hip_bfloat16": "bf16",
    "hip_bfloat16": "bf16",
    "nv_bfloat16": "bf16",
    "Half": "fp16",
    "half_t": "fp16",
    "__half": "fp16",
    "half": "fp16",
    "_Float16": "fp16",
    "tfloat32_t": "tf32",
    "float": "fp32",
    "double": "fp64",
    "Float8_e4m3fn": "fp8_e4m3",
    "Float8_e4m3fnuz": "fp8_e4m3",
    "float_e4m3_t": "fp8_e4m3",
    "__nv_fp8_e4m3": "fp8_e4m3",
    "Float8_e5m2": "fp8_e5m2",
    "Float8_e5m2fnuz": "fp8_e5m2",
    "fp8_t": "fp8_e4m3",
    "float_e5m2_t": "fp8_e5m2",
    "__nv_fp8_e5m2": "fp8_e5m2",
    "complex<float>": "c64",
    "complex<double>": "c128",
    "bool": "bool",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "long long": "int64",
}
# Built-in types as the Itanium C++ ABI spells them inside a mangled name.
_MANGLED = {
    "DF16b": "bf16",
    "DF16_": "fp16",
    "f": "fp32",
    "d": "fp64",
    "a": "int8",
    "h": "uint8",
    "s": "int16",
    "i": "int32",
    "l": "int64",
    "x": "int64",
}
_MANGLED_TYPE = re.compile(r"DF16[b_]|[fdahsilx]")
_LENGTH = re.compile(r"\d{1,3}")
_MOST_PARTS = 20
_SHORT_TYPES = {"bf16", "fp16", "tf32", "fp8_e4m3", "fp8_e5m2"}


@dataclass(frozen=True, slots=True)
class Signature:
    """A function or functor: its qualified path without templates, last name, template args."""

    path: str
    base: str
    args: tuple[str, ...]


def _arguments(text: str, start: int) -> tuple[tuple[str, ...], int]:
    """Template arguments from the `<` at `start`, and the index after the closing `>`."""
    stack: list[str] = []
    args: list[str] = []
    begin = start + 1
    for index in range(start, len(text)):
        char = text[index]
        if char in "<([{":
            stack.append(char)
        elif char == ">":
            # An arrow or a comparison in parentheses closes nothing.
            if stack[-1] == "<" and text[index - 1] != "-":
                stack.pop()
                if not stack:
                    args.append(text[begin:index].strip())
                    return tuple(args), index + 1
        elif char in _CLOSES:
            if stack[-1] == _CLOSES[char] and len(stack) > 1:
                stack.pop()
        elif char == "," and len(stack) == 1:
            args.append(text[begin:index].strip())
            begin = index + 1
    args.append(text[begin:].strip())
    return tuple(args), len(text)


def leading(text: str) -> Signature:
    """The first name of an expression and its template arguments.

    `at::native::sum_functor<float>::operator()(...)` gives `sum_functor` and `float`.
    """
    end = len(text)
    for index, char in enumerate(text):
        if char in "<({":
            end = index
            break
    path = text[:end].strip()
    base = path.rpartition("::")[2]
    args = _arguments(text, end)[0] if text[end : end + 1] == "<" else ()
    return Signature(path, base, args)


def without_anonymous(name: str) -> str:
    """The name with its anonymous namespaces left out, in any compiler's spelling."""
    return _ANONYMOUS.sub("", name)


def signature(name: str) -> Signature:
    """The signature of a demangled kernel; a plain name is its own path and base."""
    start = 0
    index = 0
    while index < len(name):
        char = name[index]
        if char == "<":
            index = _arguments(name, index)[1]
            continue
        if char == "(":
            break
        if char == "[" and index == start:
            # No type is written so: this is no signature, and nothing before it a result.
            return Signature(name, name, ())
        if char == " " and index > 0:
            start = index + 1
        index += 1
    return leading(name[start:])


def dtype(text: str) -> str | None:
    """The data type a C++ type stands for, or None."""
    bare = text.replace(" const", "").removeprefix("const ").strip("*& ")
    found = _DTYPES.get(bare)
    return found or _DTYPES.get(bare.rpartition("::")[2])


def distinct(types: list[str | None]) -> tuple[str, ...]:
    """Those told, each once, in order."""
    return tuple(dict.fromkeys(found for found in types if found))


def short_type(text: str) -> str | None:
    """A type as a short name spells it: `bf16`, but `float` and `long` stay."""
    found = dtype(text)
    if found is None:
        return None
    return found if found in _SHORT_TYPES else text.rpartition("::")[2].strip()


def typed(sig: Signature) -> str:
    """A kernel's last name with the data types that lead its template arguments."""
    types: list[str] = []
    for arg in sig.args:
        found = short_type(arg)
        if found is None:
            break
        types.append(found)
    return f"{sig.base}<{','.join(types)}>" if types else sig.base


def _identifiers(name: str, at: int) -> tuple[tuple[str, ...], int]:
    """The identifiers at a place of a mangled name, each after its length, and the place after."""
    parts: list[str] = []
    while len(parts) < _MOST_PARTS and (length := _LENGTH.match(name, at)):
        at = length.end() + int(length[0])
        parts.append(name[length.end() : at])
    return tuple(parts), at


def mangled_path(name: str) -> tuple[str, int]:
    """The path of a mangled nested name (`_ZN5aiter9my_kernelI…`) before its template
    arguments, as C++ writes it, and the place after it.
    """
    parts, at = _identifiers(name, 3)
    return "::".join(parts), at


def mangled_types(name: str, at: int) -> tuple[tuple[str, str], ...]:
    """The data types that lead the template arguments at a place of a mangled name, each with
    the token that tells it.
    """
    found: list[tuple[str, str]] = []
    at += 1 if name[at : at + 1] == "I" else len(name)
    while len(found) < _MOST_PARTS:
        builtin = _MANGLED_TYPE.match(name, at)
        nested = name[at : at + 1] == "N"
        parts, end = _identifiers(name, at + nested)
        told = _MANGLED[builtin[0]] if builtin else dtype(parts[-1]) if parts else None
        if told is None:
            break
        found.append((told, builtin[0] if builtin else parts[-1]))
        at = builtin.end() if builtin else end + nested
    return tuple(found)
