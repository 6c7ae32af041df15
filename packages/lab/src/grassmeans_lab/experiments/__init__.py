"""The paper's experiments, one file each: figures and tables of any corpus in any language."""
