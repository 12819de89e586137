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
	dir, err := labDir()
	if err != nil {
		return homeDir{}, err
	}
	h := homeDir{
		java:    filepath.Join(dir, "java"),
		libs:    filepath.Join(dir, ".cache", "kafka-"+version),
		classes: filepath.Join(dir, ".cache", "classes"),
	}
	for _, d := range []string{h.libs, h.classes} {
		if _, err := os.Stat(d); err != nil {
			return homeDir{}, fmt.Errorf("%w; run: make lab", err)
		}
	}
	return h, nil
}

// programHome is what install.sh brings of one program.
type programHome struct {
	lab string // the folder of install.sh
	dir string // the program's own
}

func homeOf(program string) (programHome, error) {
	lab, err := labDir()
	if err != nil {
		return programHome{}, err
	}
	h := programHome{lab, filepath.Join(lab, ".cache", program)}
	if _, err := os.Stat(h.dir); err != nil {
		return programHome{}, fmt.Errorf("%w; run: make lab", err)
	}
	return h, nil
}

// labDir is the folder of install.sh.
func labDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		lab := filepath.Join(dir, "lab")
		if _, err := os.Stat(filepath.Join(lab, "install.sh")); err == nil {
			return lab, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no lab/install.sh above the working directory")
		}
		dir = parent
	}
}

// command is the start of every command line: a small JVM that starts fast.
func (h homeDir) command(heap string) []string {
	return []string{
		"-Xms64m", "-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
		"--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", // Kafka before 4 unmaps its indexes with it
		"-Dlog4j2.configurationFile=" + filepath.Join(h.java, "log4j2.properties"), "-Dlog4j2.disableJmx=true",
		"-Dlog4j.configuration=file:" + filepath.Join(h.java, "log4j.properties"),
		"-cp", h.classes + ":" + filepath.Join(h.libs, "*"),
	}
}
