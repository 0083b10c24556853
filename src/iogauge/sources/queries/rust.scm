; What a Rust file declares, and which other files it names.
(function_item) @function
(struct_item) @type
(enum_item) @type
(impl_item) @impl
(mod_item) @module
(use_declaration) @use
(macro_invocation
  macro: (identifier) @macro
  (token_tree . (string_literal) @named .)
  (#match? @macro "^include(_str|_bytes)?$"))
