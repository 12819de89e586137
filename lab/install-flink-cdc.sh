# Sourced by install.sh, which has `jars`: a Flink with Flink CDC, of the line that the newest connector runs on, whatever LAB_FLINK is.
cdc_flink=.cache/flink-cdc
jars "Flink with Flink CDC" java/flink/cdc/pom.xml $cdc_flink
sources=(java/flink/FlinkProcess.java java/flink/cdc/*.java)
if ! cat "${sources[@]}" | cmp -s - "$cdc_flink/sources"; then
  echo "lab: compiling ${sources[*]}"
  rm -rf "$cdc_flink/classes" "$cdc_flink/lab.jar"
  javac --release 17 -nowarn -XDsuppressNotes -cp "$cdc_flink/*" -d "$cdc_flink/classes" "${sources[@]}"
  jar cf "$cdc_flink/lab.jar" -C "$cdc_flink/classes" .
  cat "${sources[@]}" >"$cdc_flink/sources"
fi
