# Sourced by install.sh, which has `jars` and `jarred`: a Flink with Flink CDC, of the line that the newest connector runs on, whatever
# LAB_FLINK is.
jars "Flink with Flink CDC" java/flink/cdc/pom.xml .cache/flink-cdc
jarred .cache/flink-cdc java/flink/FlinkProcess.java java/flink/cdc/*.java
