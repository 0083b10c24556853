; Functions that are defined, classes with what they have, and what is known of types.
(function_definition declarator: (_) @declarator) @function

(class_specifier name: (_) @class body: (field_declaration_list) @members)
(struct_specifier name: (_) @class body: (field_declaration_list) @members)

(struct_specifier name: (type_identifier) @struct body: (_))
(class_specifier name: (type_identifier) @struct body: (_))
(type_definition type: (_) @aliased declarator: (type_identifier) @alias)
(alias_declaration name: (type_identifier) @alias type: (_) @aliased)
(type_definition declarator: (function_declarator) @callback)
(type_definition declarator: (pointer_declarator declarator: (function_declarator) @callback))
(translation_unit (declaration declarator: (init_declarator)) @global)
(translation_unit (declaration declarator: (identifier)) @global)
(translation_unit (declaration declarator: (array_declarator)) @global)
(declaration declarator: [(function_declarator) (pointer_declarator) (_ (function_declarator))] @prototype)
