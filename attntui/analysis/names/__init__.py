"""Decoders of kernel names, one module a family. `attntui.analysis.kernel_names` is the way in."""
