import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;

/**
 * One Kafka node in one process: formats its directory if asked to, starts its ZooKeeper if asked to, then runs the broker.
 *
 *   Node [format ARG]... [zookeeper FILE] SERVER.properties
 *
 * Every {@code format ARG} adds an argument of the storage tool. Saves a JVM for each of the three, and what started
 * together ends together. It also ends when its stdin does: nodes never outlive the test that started them, however that died.
 * Reflection, since one class serves all versions of Kafka.
 */
public class Node {
    public static void main(String[] args) throws Exception {
        List<String> format = new ArrayList<>();
        String zookeeper = null;
        int i = 0;
        for (; i < args.length - 1; i += 2) {
            if (args[i].equals("format")) format.add(args[i + 1]);
            else if (args[i].equals("zookeeper")) zookeeper = args[i + 1];
            else throw new IllegalArgumentException(args[i]);
        }
        daemon("parent", Node::awaitParent);
        if (!format.isEmpty()) {
            Object code = call("kafka.tools.StorageTool", "execute", new Class<?>[] {String[].class, PrintStream.class},
                format.toArray(new String[0]), System.out);
            if (!code.equals(0)) System.exit(1);
        }
        if (zookeeper != null) {
            String[] file = {zookeeper};
            daemon("zookeeper", () -> {
                try {
                    call("org.apache.zookeeper.server.quorum.QuorumPeerMain", "main", new Class<?>[] {String[].class}, (Object) file);
                } catch (Exception e) {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(1);
                }
            });
        }
        call("kafka.Kafka", "main", new Class<?>[] {String[].class}, (Object) new String[] {args[i]});
    }

    static void awaitParent() {
        try {
            while (System.in.read() >= 0) { }
        } catch (IOException e) {
            // as good as the end
        }
        Runtime.getRuntime().halt(1);
    }

    static void daemon(String name, Runnable run) {
        Thread t = new Thread(run, name);
        t.setDaemon(true);
        t.start();
    }

    static Object call(String type, String method, Class<?>[] types, Object... args) throws Exception {
        try {
            return Class.forName(type).getMethod(method, types).invoke(null, args);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception x) throw x;
            throw e;
        }
    }
}
