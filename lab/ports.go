package lab

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// freePorts finds n ports that nothing listens on. They lie below the range from which the kernel takes the ports of
// outgoing connections: a node that is started again must find its own port free, whatever connected meanwhile.
func freePorts(n int) ([]int, error) {
	const low, high = 12000, 32000
	var ports []int
	var last error
	for range 100 * n {
		port := low + rand.IntN(high-low)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			last = err
			continue
		}
		defer l.Close() // not before all are found, so that none is found twice
		if ports = append(ports, port); len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("no %d free ports between %d and %d: %w", n, low, high, last)
}
