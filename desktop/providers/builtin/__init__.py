"""The kinds of model services, one file each; a new file here is a new kind (see desktop.providers.kinds)."""
