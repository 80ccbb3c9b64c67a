"""A port with one defect, which the comparison has to find."""
