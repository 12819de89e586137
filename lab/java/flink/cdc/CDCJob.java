import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.cdc.connectors.mysql.source.MySqlSource;
import org.apache.flink.cdc.connectors.mysql.source.MySqlSourceBuilder;
import org.apache.flink.cdc.debezium.JsonDebeziumDeserializationSchema;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * A job of Flink CDC's source of MySQL, which writes what it is handed to a file. What it is is said by NAME=VALUE:
 *
 *   port=N  user=NAME  password=TEXT      of a server on 127.0.0.1
 *   database=NAME  table=DATABASE.TABLE   regular expressions
 *   ids=FROM-TO                           as which replicas its subtasks read; as many as parallelism
 *   name=JOB  operator=NAME  parallelism=N
 *   out=FILE                              gets each record, as JSON with the place that Flink CDC has it from
 *   hold=FILE                             while it exists, the next record is waited with
 */
public class CDCJob {
    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (String a : args) {
            int eq = a.indexOf('=');
            options.put(a.substring(0, eq), a.substring(eq + 1));
        }
        MySqlSourceBuilder<String> source = MySqlSource.<String>builder()
            .hostname("127.0.0.1")
            .port(Integer.parseInt(options.get("port")))
            .username(options.get("user"))
            .password(options.get("password"))
            .databaseList(options.get("database"))
            .tableList(options.get("table"))
            .serverId(options.get("ids"))
            .serverTimeZone("UTC")
            .splitSize(10)
            .fetchSize(10)
            .heartbeatInterval(Duration.ofSeconds(1))
            .deserializer(new JsonDebeziumDeserializationSchema());
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(Integer.parseInt(options.getOrDefault("parallelism", "1")));
        env.enableCheckpointing(1000);
        env.fromSource(source.build(), WatermarkStrategy.noWatermarks(), options.get("operator")).uid("source")
            .map(new Written(options.get("out"), options.get("hold"))).returns(String.class).name("written").uid("written")
            .sinkTo(new DiscardingSink<>()).name("discard").uid("sink");
        env.execute(options.get("name"));
    }

    static class Written implements MapFunction<String, String> {
        final String out, hold;

        Written(String out, String hold) {
            this.out = out;
            this.hold = hold;
        }

        @Override public String map(String record) throws Exception {
            while (Files.exists(Path.of(hold))) Thread.sleep(20);
            Files.writeString(Path.of(out), record + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            return record;
        }
    }
}
