"""Networks: a policy and a value for each position, which NumPy runs, and the files that hold them."""
