"""A line of 1 Mbit/s with 150 ms of delay: the app is never behind the keyboard."""

from __future__ import annotations
