# Sourced by install.sh after install-mysql.sh, which has `debs`: a Prometheus server, .cache/prometheus/usr/bin/prometheus.
if [ ! -e .cache/prometheus ]; then
  echo "lab: fetching Prometheus"
  rm -rf .cache/prometheus.new
  debs .cache/prometheus.new prometheus
  mv .cache/prometheus.new .cache/prometheus
fi
