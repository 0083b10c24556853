; What a Kotlin file declares: its package, its imports, and functions with the constructors of their types.
(package_header) @package
(import) @import
(file_annotation) @annotation
(secondary_constructor) @constructor
(function_declaration) @function
