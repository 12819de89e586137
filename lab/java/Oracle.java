import java.io.FileInputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Which records is a consumer handed that starts at an offset and reads to the end? Answered by letting Kafka's own
 * consumer do just that. The end is the last stable offset for read_committed and the high watermark else, both as they
 * were when the round began; position() tells when it is reached, so nothing waits behind trailing markers.
 *
 *   Oracle BOOTSTRAP [client.properties]
 *
 *   lines: TOPIC PARTITION OFFSET rc|ru, then an empty one: answers what was asked since the last
 *   out:   records=N begin=S end=E stalled=P first=T offsets=3-5,9    in the order asked; or error=...
 *
 * An offset below the log start is read from the log start, one at or above the end is handed nothing.
 * Where the cleaner has removed all that was left below an open transaction, a read_committed consumer is answered with
 * nothing for ever: after many such answers the partition is done, and stalled= is its position (else -1). first= is when
 * the first record was created or appended, in milliseconds since 1970 (-1: none was handed out).
 */
public class Oracle {
    static final int IDLE_FETCHES = 40;
    static final long IDLE_NANOS = 1_000_000_000L;

    record Question(TopicPartition tp, long offset, boolean committed) { }

    /** What a consumer is handed of one partition in one round. */
    static class Reading {
        final int index;
        final long from;
        final long begin;
        final long end;
        final List<Long> offsets = new ArrayList<>();
        long stalled = -1;
        long first = -1;

        Reading(int index, long offset, long begin, long end) {
            this.index = index;
            this.from = Math.max(offset, begin);
            this.begin = begin;
            this.end = end;
        }

        @Override
        public String toString() {
            StringBuilder runs = new StringBuilder();
            for (int i = 0, j; i < offsets.size(); i = j) {
                for (j = i + 1; j < offsets.size() && offsets.get(j) == offsets.get(j - 1) + 1; ) j++;
                if (i > 0) runs.append(',');
                runs.append(offsets.get(i));
                if (j > i + 1) runs.append('-').append(offsets.get(j - 1));
            }
            return "records=" + offsets.size() + " begin=" + begin + " end=" + end + " stalled=" + stalled
                + " first=" + first + " offsets=" + runs;
        }
    }

    static Consumer<byte[], byte[]> open(String bootstrap, String file, boolean committed) throws Exception {
        Properties p = new Properties();
        if (file != null) try (var in = new FileInputStream(file)) { p.load(in); }
        p.put("bootstrap.servers", bootstrap);
        p.put("isolation.level", committed ? "read_committed" : "read_uncommitted");
        p.put("enable.auto.commit", "false");
        p.put("auto.offset.reset", "none");
        p.put("max.poll.records", "100000");
        p.put("fetch.max.wait.ms", "20");
        p.put("key.deserializer", ByteArrayDeserializer.class.getName());
        p.put("value.deserializer", ByteArrayDeserializer.class.getName());
        return new KafkaConsumer<>(p);
    }

    static double fetches(Consumer<byte[], byte[]> c) {
        for (var m : c.metrics().entrySet())
            if (m.getKey().name().equals("fetch-total") && m.getKey().group().equals("consumer-fetch-manager-metrics"))
                return (Double) m.getValue().metricValue();
        throw new IllegalStateException("no metric fetch-total");
    }

    /** Reads each partition once, all of them side by side. */
    static Collection<Reading> read(Consumer<byte[], byte[]> c, Map<TopicPartition, Integer> which, List<Question> questions) {
        Map<TopicPartition, Long> begin = c.beginningOffsets(which.keySet()), end = c.endOffsets(which.keySet());
        Map<TopicPartition, Reading> all = new HashMap<>();
        which.forEach((tp, i) -> all.put(tp, new Reading(i, questions.get(i).offset(), begin.get(tp), end.get(tp))));
        Set<TopicPartition> open = new HashSet<>(all.keySet());
        open.removeIf(tp -> all.get(tp).from >= all.get(tp).end);
        c.unsubscribe(); // assign alone would keep what an earlier round paused
        c.assign(open);
        for (TopicPartition tp : open) c.seek(tp, all.get(tp).from);
        long moved = System.nanoTime();
        double answered = fetches(c);
        Map<TopicPartition, Long> at = new HashMap<>();
        while (!open.isEmpty()) {
            for (ConsumerRecord<byte[], byte[]> r : c.poll(Duration.ofMillis(100))) {
                Reading reading = all.get(new TopicPartition(r.topic(), r.partition()));
                if (r.offset() >= reading.end) continue;
                if (reading.offsets.isEmpty()) reading.first = r.timestamp();
                reading.offsets.add(r.offset());
            }
            boolean progress = false;
            List<TopicPartition> done = new ArrayList<>();
            for (TopicPartition tp : open) {
                long position = c.position(tp);
                if (position >= all.get(tp).end) done.add(tp);
                Long before = at.put(tp, position);
                progress |= before == null || before != position;
            }
            open.removeAll(done);
            c.pause(done);
            if (progress) {
                moved = System.nanoTime();
                answered = fetches(c);
            } else if (System.nanoTime() - moved > IDLE_NANOS && fetches(c) - answered > IDLE_FETCHES) {
                for (TopicPartition tp : open) all.get(tp).stalled = at.get(tp);
                break;
            }
        }
        return all.values();
    }

    static String[] answer(Consumer<byte[], byte[]> rc, Consumer<byte[], byte[]> ru, List<Question> questions) {
        String[] out = new String[questions.size()];
        for (boolean committed : new boolean[] {true, false}) {
            Deque<Integer> left = new ArrayDeque<>();
            for (int i = 0; i < questions.size(); i++) if (questions.get(i).committed() == committed) left.add(i);
            while (!left.isEmpty()) {
                Map<TopicPartition, Integer> which = new LinkedHashMap<>();
                for (Iterator<Integer> it = left.iterator(); it.hasNext(); ) {
                    int i = it.next();
                    if (which.putIfAbsent(questions.get(i).tp(), i) == null) it.remove();
                }
                try {
                    for (Reading r : read(committed ? rc : ru, which, questions)) out[r.index] = r.toString();
                } catch (RuntimeException e) {
                    for (int i : which.values()) out[i] = "error=" + e;
                }
            }
        }
        return out;
    }

    public static void main(String[] args) throws Exception {
        String file = args.length > 1 ? args[1] : null;
        try (var rc = open(args[0], file, true); var ru = open(args[0], file, false)) {
            List<Question> questions = new ArrayList<>();
            for (String s; (s = Serve.line()) != null; ) {
                if (!s.isEmpty()) {
                    String[] f = s.split(" ");
                    questions.add(new Question(new TopicPartition(f[0], Integer.parseInt(f[1])), Long.parseLong(f[2]), f[3].equals("rc")));
                    continue;
                }
                for (String a : answer(rc, ru, questions)) Serve.say(a);
                questions.clear();
            }
        }
    }
}
