package lab

import (
	"fmt"
	"os"
	"path/filepath"
)

// home is the folder that install.sh fills.
type homeDir struct {
	java    string // java/ of this package: configuration of the loggers
	libs    string // jars of the version
	classes string // the compiled programs
}

func home(version string) (homeDir, error) {
	dir, err := os.Getwd()
	if err != nil {
		return homeDir{}, err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "lab", "install.sh")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return homeDir{}, fmt.Errorf("no lab/install.sh above the working directory")
		}
		dir = parent
	}
	h := homeDir{
		java:    filepath.Join(dir, "lab", "java"),
		libs:    filepath.Join(dir, "lab", ".cache", "kafka-"+version),
		classes: filepath.Join(dir, "lab", ".cache", "classes"),
	}
	for _, d := range []string{h.libs, h.classes} {
		if _, err := os.Stat(d); err != nil {
			return homeDir{}, fmt.Errorf("%w; run: make lab", err)
		}
	}
	return h, nil
}

// java is the start of every command line: a small JVM that starts fast.
func (h homeDir) command(heap string) []string {
	return []string{
		"-Xms64m", "-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
		"--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", // Kafka before 4 unmaps its indexes with it
		"-Dlog4j2.configurationFile=" + filepath.Join(h.java, "log4j2.properties"), "-Dlog4j2.disableJmx=true",
		"-Dlog4j.configuration=file:" + filepath.Join(h.java, "log4j.properties"),
		"-cp", h.classes + ":" + filepath.Join(h.libs, "*"),
	}
}
