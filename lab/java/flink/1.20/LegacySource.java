import java.util.List;
import java.util.Properties;

import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;

/** The consumer that connectors before 4.0 still have. FlinkJob finds it by name, since the others cannot compile it. */
public class LegacySource {
    public static DataStream<String> add(StreamExecutionEnvironment env, List<String> topics, Properties consumer, String operator) {
        FlinkKafkaConsumer<String> source = new FlinkKafkaConsumer<>(topics, new SimpleStringSchema(), consumer);
        source.setStartFromEarliest();
        return env.addSource(source).name("Source: " + operator).uid("source");
    }
}
