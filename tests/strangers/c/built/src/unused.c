#error not built here
