"""Parts of ``bench_uef.py``."""
