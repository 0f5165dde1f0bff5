"""Library classes written for the engine, where the JDK's own are native or too deep.

`sources/whole/` holds classes that take the place of the JDK's, `sources/parts/` classes of which only the methods
that are written there do. Both are compiled into `models.jar` (`build.py`), so that nothing has to be compiled when
Everypath runs.
"""
