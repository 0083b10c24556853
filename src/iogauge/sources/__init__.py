"""The user's source code as it stands: which of its functions need nothing but a file, and the glue
with which a runner calls them.

A file or folder comes in; a Glue goes out: what a build adds to the runner of that language.
Nothing is written beside that code, and no compiler runs; Maven and Gradle are asked for class
paths, and what they say is kept in the cache folder. A language is a module in `languages/` and a
query in `queries/`; tree-sitter reads the code, and is imported only when there is some.
"""
