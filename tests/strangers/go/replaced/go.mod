module example.com/replaced

go 1.21

require example.com/lines v1.2.0

replace example.com/lines => ./lines
