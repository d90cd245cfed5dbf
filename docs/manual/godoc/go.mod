module godoc

go 1.24
