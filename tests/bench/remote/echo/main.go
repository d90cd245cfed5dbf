// Command echo answers requests of any size with responses of any size: both begin with two lengths of 4 bytes, that
// of the rest of the request and that of the response.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net"
	"os"
)

func answer(connection net.Conn) {
	defer connection.Close()
	reader := bufio.NewReaderSize(connection, 64<<10)
	request, response := make([]byte, 1<<20), make([]byte, 1<<20)
	for {
		var lengths [8]byte
		if _, err := io.ReadFull(reader, lengths[:]); err != nil {
			return
		}
		if _, err := io.ReadFull(reader, request[:binary.LittleEndian.Uint32(lengths[:4])]); err != nil {
			return
		}
		if _, err := connection.Write(response[:binary.LittleEndian.Uint32(lengths[4:])]); err != nil {
			return
		}
	}
}

func main() {
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(os.Stderr, "listening")
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go answer(connection)
	}
}
