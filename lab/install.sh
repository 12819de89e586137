#!/usr/bin/env bash
# Brings what the lab starts into lab/.cache: the jars of each Kafka in java/pom-VERSION.xml, and the compiled java/*.java;
# the jars of one Flink line of java/flink/pom.xml and the compiled java/flink/*.java. LAB_FLINK names the line: 2.2 (also
# when unset), 2.0 or 1.20. install-mysql.sh adds the MySQL side, install-flink-cdc.sh the Flink that reads it. Does nothing where
# that is done already. Needs a JDK from 17 on and Maven.
set -euo pipefail
cd "$(dirname "$0")"

need() { # COMMAND PACKAGE
  command -v "$1" >/dev/null || { echo "lab: no $1 found; install it (Debian and Ubuntu: apt-get install $2)" >&2; exit 1; }
}
need javac openjdk-17-jdk-headless
need mvn maven
flink=${LAB_FLINK:-2.2}
case $flink in 2.2 | 2.0 | 1.20) ;; *) echo "lab: LAB_FLINK is $flink; the lab has 2.2, 2.0 and 1.20" >&2; exit 1 ;; esac
java=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
[ "${java:-0}" -ge 17 ] || { echo "lab: javac is version ${java:-unknown}; 17 or later is needed (apt-get install openjdk-17-jdk-headless)" >&2; exit 1; }

mkdir -p .cache
exec 9>.cache/lock
flock 9

jars() { # WHAT POM FOLDER [MAVEN OPTION...]
  local what=$1 pom=$2 libs=$3
  shift 3
  cmp -s "$pom" "$libs/pom.xml" && return
  echo "lab: fetching $what"
  rm -rf "$libs" "$libs.new"
  mvn -q -B -Dstyle.color=never -f "$pom" "$@" org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies \
    -DoutputDirectory="$PWD/$libs.new"
  cp "$pom" "$libs.new/pom.xml"
  mv "$libs.new" "$libs"
}

compiled() { # FOLDER SOURCE...: into FOLDER/classes, with the jars that are there
  local libs=$1
  shift
  cat "$@" | cmp -s - "$libs/sources" && return
  echo "lab: compiling $*"
  rm -rf "$libs/classes" "$libs/lab.jar"
  javac --release 17 -nowarn -XDsuppressNotes -cp "$libs/*" -d "$libs/classes" "$@"
  cat "$@" >"$libs/sources"
}

jarred() { # FOLDER SOURCE...: the same, and into FOLDER/lab.jar, which Flink takes its jobs from
  compiled "$@"
  [ ! -e "$1/lab.jar" ] || return 0
  jar cf "$1/lab.jar.new" -C "$1/classes" .
  mv "$1/lab.jar.new" "$1/lab.jar"
}

for pom in java/pom-*.xml; do
  version=${pom#java/pom-} version=${version%.xml}
  jars "Kafka $version" "$pom" ".cache/kafka-$version"
done
jars "Flink $flink" java/flink/pom.xml ".cache/flink-$flink" "-Pflink-$flink"

if ! cat java/*.java | cmp -s - .cache/classes/sources; then
  echo "lab: compiling java/*.java"
  rm -rf .cache/classes .cache/classes.new
  javac --release 17 -nowarn -cp ".cache/kafka-4.4.0/*" -d .cache/classes.new java/*.java
  cat java/*.java >.cache/classes.new/sources
  mv .cache/classes.new .cache/classes
fi

sources=(java/flink/*.java)
[ ! -d "java/flink/$flink" ] || sources+=("java/flink/$flink"/*.java)
jarred ".cache/flink-$flink" "${sources[@]}"

. ./install-mysql.sh
. ./install-flink-cdc.sh
. ./install-prometheus.sh
