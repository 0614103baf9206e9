"""Work of each family of ops. `attntui.analysis.work` is the way in."""
