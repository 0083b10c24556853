module example.com/vendored

go 1.17

require example.com/sums v0.3.0
