// Go's net/http with the services of service.rb, on one core.
//
//	net_http PORT
package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

const threadCPU = 3 // CLOCK_THREAD_CPUTIME_ID

func letters(size int) []byte {
	return []byte(strings.Repeat("abcdefghijklmnopqrstuvwxyz", size/26+1))[:size]
}

func text(path, body string, before func()) {
	http.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		before()
		w.Header()["Content-Type"] = []string{"text/plain"}
		io.WriteString(w, body)
	})
}

func cpuTime() time.Duration {
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}

func spin() {
	for end := cpuTime() + time.Millisecond; cpuTime() < end; {
	}
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header()["Content-Type"] = []string{"application/json"}
	w.Write(body)
}

func main() {
	upload, download := letters(64*1024), letters(1024*1024)
	text("/", "Hello, world\n", func() {})
	text("/wait", "done\n", func() { time.Sleep(100 * time.Millisecond) })
	text("/nap", "done\n", func() { time.Sleep(10 * time.Millisecond) })
	text("/cpu", "done\n", spin)
	http.HandleFunc("/json", echo)
	http.HandleFunc("/upload", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Equal(body, upload) {
			io.WriteString(w, "received 65536\n")
		} else {
			io.WriteString(w, "wrong\n")
		}
	})
	http.HandleFunc("/download", func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = []string{"application/octet-stream"}
		w.Header()["Content-Length"] = []string{"1048576"}
		w.Write(download)
	})
	http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
}
