package sends

import (
	"bufio"
	"log"
	"os"
	"strings"
	"sync"
)

// ReadLines sends each line and closes the channel.
func ReadLines(path string, lines chan<- string) error {
	defer close(lines)
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		lines <- scanner.Text()
	}
	return scanner.Err()
}

// CountErrors is a goroutine of several.
func CountErrors(path string, results chan int, wg *sync.WaitGroup) {
	defer wg.Done()
	data, err := os.ReadFile(path)
	if err != nil {
		log.Println(err)
		return
	}
	results <- strings.Count(string(data), "ERROR")
}
