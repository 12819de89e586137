import com.alibaba.otter.canal.instance.manager.CanalInstanceWithManager;
import com.alibaba.otter.canal.instance.manager.model.Canal;
import com.alibaba.otter.canal.instance.manager.model.CanalParameter;
import com.alibaba.otter.canal.protocol.CanalEntry.Entry;
import com.alibaba.otter.canal.protocol.CanalEntry.EventType;
import com.alibaba.otter.canal.protocol.ClientIdentity;
import com.alibaba.otter.canal.protocol.Message;
import com.alibaba.otter.canal.server.embedded.CanalServerWithEmbedded;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A Canal with one destination, lab, and one client, which acknowledges entry by entry what it reads. It keeps DIR/lab/meta.dat.
 *
 *   CanalRun PORT USER PASSWORD DIR GTIDS
 *
 * GTIDS, true or false, is whether it goes on by the set of transactions that it keeps. What it has acknowledged it prints. A row of a
 * table named held it reads, and waits for a line of stdin before it acknowledges it.
 * It ends with its stdin.
 */
public class CanalRun {
    static final Semaphore lines = new Semaphore(0);

    public static void main(String[] a) throws Exception {
        Thread stdin = new Thread(CanalRun::readLines, "stdin");
        stdin.setDaemon(true);
        stdin.start();
        CanalServerWithEmbedded server = CanalServerWithEmbedded.instance();
        Canal canal = canal(Integer.parseInt(a[0]), a[1], a[2], a[3], Boolean.parseBoolean(a[4]));
        server.setCanalInstanceGenerator(destination -> new CanalInstanceWithManager(canal, ".*\\..*"));
        server.start();
        server.start("lab");
        int held = 0;
        ClientIdentity client = new ClientIdentity("lab", (short) 1001);
        server.subscribe(client);
        while (true) {
            Message m = server.getWithoutAck(client, 1, 500L, TimeUnit.MILLISECONDS);
            if (m.getId() == -1) continue;
            for (Entry e : entries(m)) {
                String table = e.getHeader().getSchemaName() + "." + e.getHeader().getTableName();
                if (table.endsWith(".held") && e.getHeader().getEventType() == EventType.INSERT) {
                    System.out.println("holding " + ++held + ".");
                    lines.acquire();
                }
                System.out.println(e.getEntryType() + " " + table + " " + e.getHeader().getLogfileName() + ":" + e.getHeader().getLogfileOffset());
            }
            server.ack(client, m.getId());
        }
    }

    static Canal canal(int port, String user, String password, String dir, boolean gtids) {
        CanalParameter p = new CanalParameter();
        p.setMetaMode(CanalParameter.MetaMode.LOCAL_FILE);
        p.setDataDir(dir);
        p.setMetaFileFlushPeriod(200);
        p.setIndexMode(CanalParameter.IndexMode.MEMORY_META_FAILBACK);
        p.setStorageMode(CanalParameter.StorageMode.MEMORY);
        p.setStorageBatchMode(CanalParameter.BatchMode.ITEMSIZE);
        p.setMemoryStorageBufferSize(1024);
        p.setSourcingType(CanalParameter.SourcingType.MYSQL);
        p.setHaMode(CanalParameter.HAMode.HEARTBEAT);
        p.setDbAddresses(List.of(new InetSocketAddress("127.0.0.1", port)));
        p.setDbUsername(user);
        p.setDbPassword(password);
        p.setDefaultDatabaseName("mysql");
        p.setSlaveId(gtids ? 6402L : 6401L); // a server ends the dump of another with the same
        p.setGtidEnable(gtids);
        p.setParallel(true); // as its configuration has it; else 1.1.7 loses what is in compressed transactions
        p.setConnectionCharset("UTF-8");
        p.setDetectingEnable(false);
        Canal canal = new Canal();
        canal.setId(1L);
        canal.setName("lab");
        canal.setCanalParameter(p);
        return canal;
    }

    static List<Entry> entries(Message m) throws Exception {
        if (!m.isRaw()) return m.getEntries();
        List<Entry> all = new java.util.ArrayList<>();
        for (com.google.protobuf.ByteString raw : m.getRawEntries()) all.add(Entry.parseFrom(raw));
        return all;
    }

    static void readLines() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
            while (in.readLine() != null) lines.release();
        } catch (java.io.IOException e) {
            // as good as the end
        }
        Runtime.getRuntime().halt(1);
    }
}
