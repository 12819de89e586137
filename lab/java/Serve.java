import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Runs main methods as jobs of one warm JVM: a cold one costs seconds on two cores, and a test run needs dozens of programs.
 *
 *   stdin:  ID start CLASS ARG...   runs a main in a thread of its own (arguments URL-encoded, fields separated by tabs)
 *           ID line TEXT            one line for Serve.line() of that job
 *           ID close                no more lines
 *   stdout: ID out TEXT             a line that the job printed
 *           ID end MESSAGE          the job's main returned (empty message), threw, or called exit with another code than 0
 *
 * System.out belongs to the job whose thread, or whose thread's ancestor, prints. The JVM ends with its stdin.
 */
public class Serve {
    static final InheritableThreadLocal<Job> current = new InheritableThreadLocal<>();
    static final PrintStream wire = System.out;

    /** Unwinds a main that wanted to exit. */
    static class Exited extends Error {
        private static final long serialVersionUID = 1;
    }

    static class Job {
        static final String END = new String("end"); // told apart by identity
        final String id;
        final BlockingQueue<String> in = new LinkedBlockingQueue<>();
        final ByteArrayOutputStream line = new ByteArrayOutputStream();
        volatile Integer exit; // the first code that it wanted to exit with

        Job(String id) {
            this.id = id;
        }

        synchronized void write(int b) {
            if (b != '\n') {
                line.write(b);
                return;
            }
            say("out", line.toString(StandardCharsets.UTF_8));
            line.reset();
        }

        void say(String what, String text) {
            synchronized (wire) {
                wire.print(id + "\t" + what + "\t" + text.replace("\r", "").replace('\n', ' ') + "\n");
                wire.flush();
            }
        }

        void run(String type, String[] args) {
            current.set(this);
            String message = "";
            try {
                Class.forName(type).getMethod("main", String[].class).invoke(null, (Object) args);
            } catch (InvocationTargetException e) {
                if (exit == null) {
                    message = e.getCause().toString();
                    e.getCause().printStackTrace();
                } else if (exit != 0) {
                    message = "exit code " + exit;
                }
            } catch (ReflectiveOperationException e) {
                message = e.toString();
            }
            synchronized (this) {
                if (line.size() > 0) write('\n');
            }
            say("end", message);
        }
    }

    /** The next line for the calling job; null after the last. */
    static String line() throws InterruptedException {
        Job job = current.get();
        String s = job.in.take();
        if (s != Job.END) return s;
        job.in.add(s);
        return null;
    }

    /** Whether line() would not wait. */
    static boolean told() {
        return !current.get().in.isEmpty();
    }

    static void say(String text) {
        current.get().say("out", text);
    }

    /** Kafka's tools leave through a class of its own, which has moved between packages. */
    static void catchExit() throws ReflectiveOperationException {
        Class<?> exit, procedure;
        try {
            exit = Class.forName("org.apache.kafka.common.utils.internals.Exit");
        } catch (ClassNotFoundException e) {
            exit = Class.forName("org.apache.kafka.common.utils.Exit");
        }
        procedure = Class.forName(exit.getName() + "$Procedure");
        Object thrower = Proxy.newProxyInstance(Serve.class.getClassLoader(), new Class<?>[] {procedure}, (proxy, method, a) -> {
            Job job = current.get();
            if (job != null && job.exit == null) job.exit = (Integer) a[0];
            throw new Exited();
        });
        exit.getMethod("setExitProcedure", procedure).invoke(null, thrower);
        exit.getMethod("setHaltProcedure", procedure).invoke(null, thrower);
    }

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        System.setOut(new PrintStream(new OutputStream() {
            @Override
            public void write(int b) {
                Job job = current.get();
                if (job != null) job.write(b);
                else System.err.write(b);
            }
        }, false, StandardCharsets.UTF_8));
        catchExit();
        Map<String, Job> jobs = new ConcurrentHashMap<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String s; (s = in.readLine()) != null; ) {
            String[] f = s.split("\t", -1);
            switch (f[1]) {
                case "start" -> {
                    String[] a = new String[f.length - 3];
                    for (int i = 0; i < a.length; i++) a[i] = URLDecoder.decode(f[i + 3], StandardCharsets.UTF_8);
                    Job job = new Job(f[0]);
                    jobs.put(f[0], job);
                    Thread t = new Thread(() -> {
                        job.run(f[2], a);
                        jobs.remove(job.id);
                    }, f[2] + "-" + f[0]);
                    t.setDaemon(true);
                    t.start();
                }
                case "line", "close" -> {
                    Job job = jobs.get(f[0]);
                    if (job != null) job.in.add(f[1].equals("close") ? Job.END : f[2]);
                }
                default -> throw new IllegalArgumentException(s);
            }
        }
        Runtime.getRuntime().halt(0);
    }
}
