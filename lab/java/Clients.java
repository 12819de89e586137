import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;

/**
 * Members of groups of every type, as Kafka's own clients make them.
 *
 *   Clients BOOTSTRAP member GROUP TOPIC classic|consumer rc|ru N   joins, reads N records at least, commits, stays
 *   Clients BOOTSTRAP share GROUP TOPIC N                           reads N records, acknowledges them, stays
 *   Clients BOOTSTRAP streams GROUP TOPIC N                         a stateless topology under the streams protocol, stays
 *   Clients BOOTSTRAP offsets TXID GROUP TOPIC PARTITION OFFSET     commits an offset in a transaction
 *
 * Each says "ready" when it has done that. Members stay until a line is told or lines end; {@code offsets} then ends its
 * transaction as the line says: commit, abort, or leave (open).
 */
public class Clients {
    static Properties config(String bootstrap, String... more) {
        Properties p = new Properties();
        p.put("bootstrap.servers", bootstrap);
        p.put("key.deserializer", ByteArrayDeserializer.class.getName());
        p.put("value.deserializer", ByteArrayDeserializer.class.getName());
        for (int i = 0; i < more.length; i += 2) p.put(more[i], more[i + 1]);
        return p;
    }

    static void member(String bootstrap, String group, String topic, String protocol, String isolation, int records) throws Exception {
        Properties p = config(bootstrap, "group.id", group, "group.protocol", protocol, "auto.offset.reset", "earliest",
            "enable.auto.commit", "false", "isolation.level", isolation.equals("rc") ? "read_committed" : "read_uncommitted");
        try (var c = new KafkaConsumer<byte[], byte[]>(p)) {
            c.subscribe(List.of(topic));
            for (int n = 0; n < records || c.assignment().isEmpty(); ) n += c.poll(Duration.ofMillis(100)).count();
            c.commitSync();
            Serve.say("ready");
            while (!Serve.told()) c.poll(Duration.ofMillis(100));
        }
    }

    static void share(String bootstrap, String group, String topic, int records) throws Exception {
        try (Admin admin = Admin.create(config(bootstrap))) {
            String reset = "share.auto.offset.reset";
            var config = new ConfigResource(ConfigResource.Type.GROUP, group);
            var earliest = new AlterConfigOp(new ConfigEntry(reset, "earliest"), AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(config, List.of(earliest))).all().get();
            // The broker hears of it a moment later, and a group that it has begun from the end stays there.
            while (!"earliest".equals(admin.describeConfigs(List.of(config)).all().get().get(config).get(reset).value())) Thread.sleep(50);
        }
        try (var c = new KafkaShareConsumer<byte[], byte[]>(config(bootstrap, "group.id", group))) {
            c.subscribe(List.of(topic));
            for (int n = 0; n < records; c.commitSync()) n += c.poll(Duration.ofMillis(100)).count();
            Serve.say("ready");
            for (; !Serve.told(); c.commitSync()) c.poll(Duration.ofMillis(100));
        }
    }

    static void streams(String bootstrap, String group, String topic, int records) throws Exception {
        Properties p = new Properties();
        p.put("bootstrap.servers", bootstrap);
        p.put("application.id", group);
        p.put("group.protocol", "streams");
        p.put("auto.offset.reset", "earliest");
        p.put("commit.interval.ms", "100");
        p.put("state.dir", System.getProperty("java.io.tmpdir") + "/streams-" + group);
        p.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.ByteArraySerde.class);
        p.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.ByteArraySerde.class);
        StreamsBuilder b = new StreamsBuilder();
        AtomicInteger n = new AtomicInteger();
        b.<byte[], byte[]>stream(topic).foreach((k, v) -> n.incrementAndGet());
        try (KafkaStreams s = new KafkaStreams(b.build(), p)) {
            s.start();
            while (n.get() < records || s.state() != KafkaStreams.State.RUNNING) Thread.sleep(50);
            Serve.say("ready");
            Serve.line();
        }
    }

    static void offsets(String bootstrap, String id, String group, String topic, int partition, long offset) throws Exception {
        var k = new KafkaProducer<byte[], byte[]>(config(bootstrap, "transactional.id", id, "transaction.timeout.ms", "600000",
            "key.serializer", ByteArraySerializer.class.getName(), "value.serializer", ByteArraySerializer.class.getName()));
        k.initTransactions();
        k.beginTransaction();
        try (var c = new KafkaConsumer<byte[], byte[]>(config(bootstrap, "group.id", group))) {
            k.sendOffsetsToTransaction(Map.of(new TopicPartition(topic, partition), new OffsetAndMetadata(offset)), c.groupMetadata());
        }
        Serve.say("ready");
        String how = Serve.line();
        if ("commit".equals(how)) k.commitTransaction();
        else if ("abort".equals(how)) k.abortTransaction();
        k.close(Duration.ZERO); // without EndTxn
    }

    public static void main(String[] a) throws Exception {
        switch (a[1]) {
            case "member" -> member(a[0], a[2], a[3], a[4], a[5], Integer.parseInt(a[6]));
            case "share" -> share(a[0], a[2], a[3], Integer.parseInt(a[4]));
            case "streams" -> streams(a[0], a[2], a[3], Integer.parseInt(a[4]));
            case "offsets" -> offsets(a[0], a[2], a[3], a[4], Integer.parseInt(a[5]), Long.parseLong(a[6]));
            default -> throw new IllegalArgumentException(a[1]);
        }
    }
}
