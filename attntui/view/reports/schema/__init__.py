"""The shape of the reports as JSON, written down once: `Summary`, `Diff` and `Overview`.

The documents are made of the tables; these types say what programs may rely on. A key is
never missing: a fact that the trace does not tell is null. Times are whole nanoseconds
(means are fractions) and, where they are points in time, from the trace's first event;
sizes are bytes, work is FLOPs. `label` is what people see of a thing and is safe to print;
`name` is the text of the file as it stands. `schema_files` makes JSON Schema of them.
"""

from attntui.view.reports.schema.comparison import Diff, Overview
from attntui.view.reports.schema.part import Part
from attntui.view.reports.schema.summary import Summary

__all__ = ["Diff", "Overview", "Part", "Summary"]
