; What a Java file declares: its package, its imports, and methods with the constructors of their types.
(package_declaration) @package
(import_declaration) @import
(constructor_declaration) @constructor
(method_declaration) @method
