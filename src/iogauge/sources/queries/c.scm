; Functions that are defined, what is known of types, and names that a file gives to others.
(function_definition declarator: (_) @declarator) @function

(struct_specifier name: (type_identifier) @struct body: (_))
(union_specifier name: (type_identifier) @struct body: (_))
(type_definition type: (_) @aliased declarator: (type_identifier) @alias)
(type_definition declarator: (function_declarator) @callback)
(type_definition declarator: (pointer_declarator declarator: (function_declarator) @callback))
(translation_unit (declaration declarator: (init_declarator)) @global)
(translation_unit (declaration declarator: (identifier)) @global)
(translation_unit (declaration declarator: (array_declarator)) @global)
(declaration declarator: [(function_declarator) (pointer_declarator) (_ (function_declarator))] @prototype)
