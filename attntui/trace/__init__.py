"""From a trace file to columns. No analysis, no terminal."""
