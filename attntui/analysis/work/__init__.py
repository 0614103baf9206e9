"""Work of each family of ops. `of_kernels` is the way in."""
