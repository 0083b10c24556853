module example.com/gocsv

go 1.20
