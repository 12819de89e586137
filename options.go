package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"
	toolkit "github.com/prometheus/exporter-toolkit/web"

	"truelag/kafka"
	"truelag/web"
)

// options is what the command line and the environment say.
type options struct {
	command string

	web               *toolkit.FlagConfig
	webAddressSet     bool
	telemetryPath     string
	maxRequests       int
	noExporterMetrics bool
	lifecycle         bool

	logLevel, logFormat string

	configFile    string
	brokers       []string
	flinkURL      string
	collectKafka  bool
	collectFlink  bool
	collectBinlog bool
	shard         shardValue
	timeoutOffset time.Duration
	compat        bool
	compatLag     string

	probe   bool
	explain explainOptions
}

// parse reads the command line. Its errors are the user's.
func parse(args []string) (*options, error) {
	var o options
	app := newApp(&o)
	// kingpin has default commands, but loses a flag that lacks its value when it falls back to one.
	if context, err := app.ParseContext(args); err == nil && context.SelectedCommand == nil && !asksHelp(app, context) {
		args = append(slices.Clone(args), "serve")
	}
	command, err := app.Parse(args)
	if err != nil {
		return nil, usage(explain(app, err))
	}
	o.command = command
	if os.Getenv("TRUELAG_WEB_LISTEN_ADDRESS") != "" {
		o.webAddressSet = true
	}
	o.brokers = splitBrokers(o.brokers)
	return &o, usage(o.validate())
}

func asksHelp(app *kingpin.Application, context *kingpin.ParseContext) bool {
	return slices.ContainsFunc(context.Elements, func(e *kingpin.ParseElement) bool { return e.Clause == app.HelpFlag })
}

// partitionNumber is a flag's value: there is none below 0.
type partitionNumber int32

func (n *partitionNumber) Set(s string) error {
	v, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return err
	}
	*n = partitionNumber(v)
	return nil
}

func (n *partitionNumber) String() string { return strconv.Itoa(int(*n)) }

// shardValue is a shard as the value of a flag.
type shardValue struct{ kafka.Shard }

func (v *shardValue) Set(text string) (err error) {
	v.Shard, err = kafka.ParseShard(text)
	return err
}

// splitBrokers takes brokers separated by commas, spaces, or in flags of their own.
func splitBrokers(flags []string) []string {
	return strings.FieldsFunc(strings.Join(flags, ","), func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
}

// validate checks what flags say about each other and about files, as far as it takes no connection.
func (o *options) validate() error {
	if o.command == "metrics" || o.command == "version" {
		return nil
	}
	for _, check := range []func() error{o.validateSource, o.validateWeb} {
		if err := check(); err != nil {
			return err
		}
	}
	if o.timeoutOffset < 0 {
		return fmt.Errorf("--timeout-offset=%s: must not be negative", o.timeoutOffset)
	}
	return nil
}

func (o *options) validateSource() error {
	switch {
	case o.command == "demo" && len(o.brokers) > 0:
		return errors.New("--kafka.brokers: the demo brings its own cluster; leave the flag out, or leave out demo")
	case o.flinkURL != "" && (o.configFile != "" || o.command == "demo"):
		return errors.New("--flink.url: give it with --kafka.brokers; a file names Flink clusters itself, and the demo has none")
	case o.configFile != "" && len(o.brokers) > 0:
		return errors.New("--kafka.brokers and --config.file: give one of them; the file names the brokers itself")
	case o.command != "demo" && o.collectKafka && o.configFile == "" && len(o.brokers) == 0:
		return errors.New("nothing to read: give --kafka.brokers=host:9092, or --config.file=truelag.yml (MySQL servers stand in a file alone), or see the demo command")
	}
	return nil
}

func (o *options) validateWeb() error {
	p := o.telemetryPath
	if path.Clean(p) != p || !plainPath.MatchString(p) {
		return fmt.Errorf("--web.telemetry-path=%q: want a plain path such as /metrics", p)
	}
	if web.Taken(p) {
		return fmt.Errorf("--web.telemetry-path=%s: another page is there; want a path such as /metrics", p)
	}
	if o.maxRequests < 0 {
		return fmt.Errorf("--web.max-requests=%d: must not be negative; 0 sets no bound", o.maxRequests)
	}
	for _, a := range *o.web.WebListenAddresses {
		if strings.HasPrefix(a, "vsock://") {
			continue
		}
		if err := validAddress(a); err != nil {
			return fmt.Errorf("--web.listen-address: %w; want host:port or :port, for example %s", err, defaultAddress)
		}
	}
	if err := toolkit.Validate(*o.web.WebConfigFile); err != nil {
		// The YAML library quotes what it does not understand: of a wrong file, that may be a secret.
		return fmt.Errorf("--web.config.file=%s: %s", *o.web.WebConfigFile, quotation.ReplaceAllString(err.Error(), "(not shown)"))
	}
	return nil
}

var quotation = regexp.MustCompile("`[^`]*`")

var plainPath = regexp.MustCompile(`^/[A-Za-z0-9._~/-]*$`)

func validAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("address %s: port %q is not a number up to 65535", address, port)
	}
	return nil
}
