import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Fills the partitions of a topic with random logs, drawn from a seed: three transactional producers, an idempotent one
 * and a plain one write runs of random length in batches of random size and compression; transactions spread over
 * partitions, interleave, and are committed, aborted or left open. One topic of 32 partitions is 32 logs.
 *
 *   LogMaker BOOTSTRAP TOPIC SEED [name=value]...
 *
 *   partitions=32   of the topic, which must exist
 *   steps=30        runs and endings per partition; 0: on and on until a line is told
 *   keys=0          0: records without keys; N: keys from a pool of N, and one value in six is null
 *   deletes=0       DeleteRecords to random offsets, spread over the whole run
 *   batch=4000      bytes of the largest batch; a topic's segments must not be shorter
 *   codecs=none,gzip,snappy,lz4,zstd   to draw from (brokers before 2.1 know no zstd)
 *   retry=false     true: survives brokers that go away (aborts, or begins anew with a fresh producer)
 *
 * Says "ready open=ID@PARTITION,...;..." and waits for a line: commit, abort or leave (also: the end of lines). Leave
 * forgets the producers with their transactions open, like a client that died.
 */
public class LogMaker {
    final String bootstrap, topic;
    final Random random;
    final Map<String, String> options = new TreeMap<>();
    final int partitions;
    final List<Writer> writers = new ArrayList<>();

    /** A producer and the partitions of its open transaction. */
    class Writer {
        final String id; // transactional; null: none
        final Properties config = new Properties();
        final TreeSet<Integer> open = new TreeSet<>();
        KafkaProducer<byte[], byte[]> producer;
        boolean begun;

        Writer(String id, boolean idempotent, String[] codecs) {
            this.id = id;
            config.put("bootstrap.servers", bootstrap);
            config.put("compression.type", codecs[random.nextInt(codecs.length)]);
            config.put("batch.size", String.valueOf(200 + random.nextInt(number("batch") - 200)));
            config.put("linger.ms", "1000"); // full batches or flush
            config.put("enable.idempotence", String.valueOf(idempotent));
            config.put("acks", idempotent ? "all" : "1");
            config.put("request.timeout.ms", "30000");
            config.put("delivery.timeout.ms", "120000");
            config.put("max.block.ms", "180000"); // a coordinator may be elected first
            config.put("key.serializer", ByteArraySerializer.class.getName());
            config.put("value.serializer", ByteArraySerializer.class.getName());
            if (id != null) {
                config.put("transactional.id", id);
                config.put("transaction.timeout.ms", "600000");
            }
            connect();
        }

        void connect() {
            producer = new KafkaProducer<>(config);
            if (id != null) producer.initTransactions();
        }

        void step() throws Exception {
            int partition = random.nextInt(partitions);
            if (id != null && begun && random.nextInt(1 + partitions / 2) == 0) {
                end(random.nextBoolean());
                return;
            }
            int records = 1 + (random.nextInt(4) == 0 ? random.nextInt(40) : random.nextInt(5));
            int keys = Integer.parseInt(options.get("keys"));
            if (id != null && !begun) producer.beginTransaction();
            begun = id != null;
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 0; i < records; i++) {
                byte[] key = keys == 0 ? null : ("k" + random.nextInt(keys)).getBytes();
                byte[] value = new byte[random.nextInt(120)];
                if (random.nextBoolean()) random.nextBytes(value); // else it compresses well
                if (keys > 0 && random.nextInt(6) == 0) value = null;
                long created = System.currentTimeMillis() - random.nextInt(3_600_000); // each at a time of its own
                sent.add(producer.send(new ProducerRecord<>(topic, partition, created, key, value)));
            }
            producer.flush();
            if (begun) open.add(partition);
            for (Future<?> f : sent) f.get();
        }

        void end(boolean commit) {
            if (commit) producer.commitTransaction(); else producer.abortTransaction();
            begun = false;
            open.clear();
        }

        /** After an error: whatever became of the transaction, go on. */
        void recover() {
            try {
                if (begun) {
                    end(false);
                    return;
                }
            } catch (KafkaException e) {
                // a new producer aborts it
            }
            begun = false;
            open.clear();
            for (int tries = 1; ; tries++) {
                producer.close(Duration.ZERO);
                try {
                    connect();
                    return;
                } catch (KafkaException e) {
                    if (tries == 3) throw e; // nobody is there who would take it
                }
            }
        }
    }

    LogMaker(String[] args) {
        bootstrap = args[0];
        topic = args[1];
        random = new Random(Long.parseLong(args[2]));
        options.putAll(Map.of("partitions", "32", "steps", "30", "keys", "0", "deletes", "0", "batch", "4000",
            "codecs", "none,gzip,snappy,lz4,zstd", "retry", "false"));
        for (int i = 3; i < args.length; i++) {
            String[] kv = args[i].split("=", 2);
            if (options.put(kv[0], kv[1]) == null) throw new IllegalArgumentException("no option " + kv[0]);
        }
        partitions = number("partitions");
    }

    int number(String option) {
        return Integer.parseInt(options.get(option));
    }

    void run() throws Exception {
        String[] codecs = options.get("codecs").split(",");
        for (int i = 0; i < 3; i++) writers.add(new Writer(topic + "-" + i, true, codecs));
        writers.add(new Writer(null, true, codecs));
        writers.add(new Writer(null, false, codecs));
        int steps = number("steps") * partitions;
        int deletes = number("deletes"), every = deletes == 0 ? 0 : Math.max(1, steps / deletes);
        boolean retry = Boolean.parseBoolean(options.get("retry"));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            for (int s = 1; steps == 0 ? !Serve.told() : s <= steps; s++) {
                Writer w = writers.get(random.nextInt(writers.size()));
                try {
                    w.step();
                } catch (Exception e) {
                    if (!retry) throw e;
                    w.recover();
                }
                if (every > 0 && s % every == 0) delete(admin);
            }
        }
        if (steps == 0) Serve.line();
        List<String> open = new ArrayList<>();
        for (Writer w : writers) if (w.begun) open.add(w.id + "@" + w.open.toString().replaceAll("[\\[\\] ]", ""));
        Serve.say("ready open=" + String.join(";", open));
        String how = Serve.line();
        for (Writer w : writers) {
            if (how == null || how.equals("leave")) {
                w.producer.close(Duration.ZERO); // no EndTxn
                continue;
            }
            if (w.begun) w.end(how.equals("commit"));
            w.producer.close();
        }
    }

    void delete(Admin admin) throws Exception {
        TopicPartition tp = new TopicPartition(topic, random.nextInt(partitions));
        long end = admin.listOffsets(Map.of(tp, OffsetSpec.latest())).all().get().get(tp).offset();
        long before = (long) (random.nextDouble() * (end + 1));
        admin.deleteRecords(Map.of(tp, RecordsToDelete.beforeOffset(before))).all().get();
    }

    public static void main(String[] args) throws Exception {
        new LogMaker(args).run();
    }
}
