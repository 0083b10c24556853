module example.com/workspace/lib

go 1.22
