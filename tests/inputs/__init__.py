"""Odd, damaged and hostile files through all of attntui: the loader, the reports, the comparison
and the app. `files`, `times` and `events` make them and say what is right for each; what one part
makes of a kind in detail is tested beside that part.
"""
