"""What everything stands on: configs, checks, files, and the faces of the loops over the function table."""
