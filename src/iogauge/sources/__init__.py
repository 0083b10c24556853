"""The user's source code as it stands: which of its functions need nothing but a file, and the glue
with which a runner calls them.

A file or folder comes in; a Glue goes out: what a build adds to the runner of that language.
Nothing is written here, and no compiler runs. A language is a module in `languages/` and a query in
`queries/`; tree-sitter reads the code, and is imported only when there is some.
"""
