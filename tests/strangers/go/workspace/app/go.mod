module example.com/workspace/app

go 1.22
