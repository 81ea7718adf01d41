"""Databases that a person named: reading on connections that cannot write, approved writes, previews, catalogues."""
