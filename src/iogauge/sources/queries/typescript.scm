; JavaScript and TypeScript: what a file imports and exports, its texts, its functions, and the types it declares.
; The grammar `tsx` reads them by the same query.
(import_statement) @import
(export_statement) @export
(call_expression function: (import) arguments: (arguments . (string (string_fragment) @text))) @dynamic
(call_expression
  function: (identifier) @called
  arguments: (arguments . (string (string_fragment) @text))
  (#eq? @called "require")) @require
(string (string_fragment) @string)
(template_string . (string_fragment) @string .)

(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @function)
(pair
  key: (property_identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @function)
(export_statement value: [(arrow_function) (function_expression) (generator_function)] @function) @default
(method_definition name: (property_identifier) @name) @function

(class_declaration name: (type_identifier) @class)
(interface_declaration name: (type_identifier) @type)
(type_alias_declaration name: (type_identifier) @type value: (_) @value)
