"""Two posteriors side by side: what moved from one to the other."""
