"""What tests share: makers of data and families, translation of evidence, the chi-square check."""
