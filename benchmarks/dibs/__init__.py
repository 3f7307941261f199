"""DiBS next to dibs-lib, the program of its authors, and TRUST-D next to both."""
