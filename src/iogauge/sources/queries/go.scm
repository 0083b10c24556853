; What a file of Go declares at its top.
(source_file (package_clause (package_identifier) @package))
(source_file (import_declaration [
  (import_spec) @import
  (import_spec_list (import_spec) @import)]))
(source_file (function_declaration) @function)
(source_file (method_declaration) @method)
(source_file (type_declaration [(type_spec) (type_alias)] @type))
(source_file (var_declaration [
  (var_spec name: (identifier) @value)
  (var_spec_list (var_spec name: (identifier) @value))]))
(source_file (const_declaration (const_spec name: (identifier) @value)))
