"""Lanes, bars, axes and pictures in cells of text."""
