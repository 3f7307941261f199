"""The experiments of the paper at full length, and the page that reports them."""
