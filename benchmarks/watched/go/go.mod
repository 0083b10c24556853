module example.com/writes

go 1.21
