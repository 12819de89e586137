package lab

import (
	"fmt"
	"math/rand/v2"
	"net"
	"syscall"
)

// freePorts finds n ports that nothing listens on, and that no one was given before. They lie below the range from which the kernel takes
// the ports of outgoing connections: a node that is started again must find its own port free, whatever connected meanwhile.
func freePorts(n int) ([]int, error) {
	const low, high = 12000, 32000
	var ports []int
	var last error
	for range 100 * n {
		port := low + rand.IntN(high-low)
		if err := take(port); err != nil {
			last = err
			continue
		}
		if ports = append(ports, port); len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("no %d free ports between %d and %d: %w", n, low, high, last)
}

// take makes a port this process's own among all processes that run a lab, for as long as it lives, if nothing listens there: what the port is
// for may take a while to begin, or be away for a while. It binds a socket of that number in the kernel's namespace beside the files.
func take(port int) error {
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return fmt.Errorf("take port %d: %w", port, err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: fmt.Sprintf("@truelag-lab-port-%d", port)}); err != nil {
		syscall.Close(fd)
		return fmt.Errorf("take port %d: %w", port, err)
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	return l.Close()
}
