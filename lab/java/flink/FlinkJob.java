import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.dynamic.metadata.SingleClusterTopicMetadataService;
import org.apache.flink.connector.kafka.dynamic.source.DynamicKafkaSource;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A job of one Kafka source, perhaps a map that sleeps, and a sink. What it is is said by NAME=VALUE:
 *
 *   bootstrap=HOST:PORT,...  topics=A,B  name=JOB  operator=NAME      of the source, "orders" by default
 *   group=ID                                        without it the source has no group
 *   source=kafka|dynamic|legacy                     dynamic: all topics are streams of one Kafka cluster, lab-cluster.1;
 *                                                   legacy: FlinkKafkaConsumer, on 1.20 only
 *   start=earliest|latest|committed                 earliest by default
 *   stop=none|latest                                latest: bounded by the end that is there at the start
 *   isolation=read_committed|read_uncommitted       read_committed by default
 *   checkpoint=MS|off                               1000 by default
 *   parallelism=N  sleep=MS for each record  chained=true|false       false: the sleep is a task of its own
 *   out=TOPIC                                       an exactly-once sink; else the records are dropped
 *   kafka.NAME=VALUE                                a property of the consumer
 *   flink.NAME=VALUE                                a setting of the job
 *   anything else                                   published as a parameter of the job, as all of these are
 */
public class FlinkJob {
    public static void main(String[] args) throws Exception {
        Map<String, String> options = new LinkedHashMap<>();
        for (String a : args) {
            int eq = a.indexOf('=');
            options.put(a.substring(0, eq), a.substring(eq + 1));
        }
        new FlinkJob(options).run();
    }

    final Map<String, String> options;

    FlinkJob(Map<String, String> options) { this.options = options; }

    String option(String name, String otherwise) { return options.getOrDefault(name, otherwise); }

    void run() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(Configuration.fromMap(named("flink.")));
        env.setParallelism(Integer.parseInt(option("parallelism", "1")));
        String checkpoint = option("checkpoint", "1000");
        if (!checkpoint.equals("off")) env.enableCheckpointing(Long.parseLong(checkpoint));
        env.getConfig().setGlobalJobParameters(new Published(options));

        DataStream<String> records = source(env);
        long sleep = Long.parseLong(option("sleep", "0"));
        if (sleep > 0) {
            SingleOutputStreamOperator<String> slow = records.map(new Slow(sleep)).returns(String.class).name("slow").uid("slow");
            if (!option("chained", "true").equals("true")) slow.disableChaining();
            records = slow;
        }
        if (options.containsKey("out")) records.sinkTo(transactional()).name("out").uid("sink");
        else records.sinkTo(new DiscardingSink<>()).name("discard").uid("sink");
        env.execute(option("name", "job"));
    }

    DataStream<String> source(StreamExecutionEnvironment env) throws Exception {
        Properties consumer = new Properties();
        consumer.setProperty("isolation.level", option("isolation", "read_committed"));
        consumer.setProperty("partition.discovery.interval.ms", "10000");
        if (options.containsKey("group")) consumer.setProperty("group.id", options.get("group"));
        consumer.putAll(named("kafka."));
        String operator = option("operator", "orders");
        switch (option("source", "kafka")) {
            case "kafka":
                return env.fromSource(plain(consumer), WatermarkStrategy.noWatermarks(), operator).uid("source");
            case "dynamic":
                return env.fromSource(dynamic(consumer), WatermarkStrategy.noWatermarks(), operator).uid("source");
            case "legacy": // compiled for 1.20 only
                consumer.setProperty("bootstrap.servers", options.get("bootstrap"));
                return (DataStream<String>) Class.forName("LegacySource")
                    .getMethod("add", StreamExecutionEnvironment.class, List.class, Properties.class, String.class)
                    .invoke(null, env, topics(), consumer, operator);
            default:
                throw new IllegalArgumentException(options.get("source"));
        }
    }

    Source<String, ?, ?> plain(Properties consumer) {
        KafkaSourceBuilder<String> source = KafkaSource.<String>builder()
            .setBootstrapServers(options.get("bootstrap"))
            .setTopics(topics())
            .setStartingOffsets(start())
            .setValueOnlyDeserializer(new SimpleStringSchema())
            .setProperties(consumer);
        if (option("stop", "none").equals("latest")) source.setBounded(OffsetsInitializer.latest());
        return source.build();
    }

    Source<String, ?, ?> dynamic(Properties consumer) {
        Properties cluster = new Properties();
        cluster.setProperty("bootstrap.servers", options.get("bootstrap"));
        return DynamicKafkaSource.<String>builder()
            .setStreamIds(new HashSet<>(topics()))
            .setKafkaMetadataService(new SingleClusterTopicMetadataService("lab-cluster.1", cluster))
            .setDeserializer(KafkaRecordDeserializationSchema.valueOnly(StringDeserializer.class))
            .setStartingOffsets(start())
            .setProperties(consumer)
            .build();
    }

    KafkaSink<String> transactional() {
        return KafkaSink.<String>builder()
            .setBootstrapServers(options.get("bootstrap"))
            .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
            .setTransactionalIdPrefix(option("name", "job"))
            .setProperty("transaction.timeout.ms", "60000")
            .setRecordSerializer(KafkaRecordSerializationSchema.builder()
                .setTopic(options.get("out")).setValueSerializationSchema(new SimpleStringSchema()).build())
            .build();
    }

    List<String> topics() { return Arrays.asList(options.get("topics").split(",")); }

    OffsetsInitializer start() {
        String start = option("start", "earliest");
        switch (start) {
            case "earliest": return OffsetsInitializer.earliest();
            case "latest": return OffsetsInitializer.latest();
            case "committed": return OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST);
            default: throw new IllegalArgumentException(start);
        }
    }

    /** The options whose names begin so, without that. */
    Map<String, String> named(String prefix) {
        Map<String, String> rest = new HashMap<>();
        options.forEach((k, v) -> { if (k.startsWith(prefix)) rest.put(k.substring(prefix.length()), v); });
        return rest;
    }

    static class Published extends ExecutionConfig.GlobalJobParameters {
        final HashMap<String, String> options;

        Published(Map<String, String> options) { this.options = new HashMap<>(options); }

        @Override public Map<String, String> toMap() { return options; }
    }

    static class Slow implements MapFunction<String, String> {
        final long ms;

        Slow(long ms) { this.ms = ms; }

        @Override public String map(String record) throws Exception {
            Thread.sleep(ms);
            return record;
        }
    }
}
