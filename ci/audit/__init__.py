"""What an auditor runs, for hours: the recorded obligations by other solvers and seeds, and small defects that must be found."""
