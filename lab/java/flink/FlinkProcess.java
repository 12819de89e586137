import java.io.IOException;
import java.util.Arrays;

import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;

/**
 * A JobManager or a TaskManager, which ends when its stdin does: none outlives the test that started it, however that died.
 *
 *   FlinkProcess jobmanager|taskmanager ARGUMENT...
 */
public class FlinkProcess {
    public static void main(String[] args) throws Exception {
        Thread parent = new Thread(FlinkProcess::awaitParent, "parent");
        parent.setDaemon(true);
        parent.start();
        String[] rest = Arrays.copyOfRange(args, 1, args.length);
        switch (args[0]) {
            case "jobmanager" -> StandaloneSessionClusterEntrypoint.main(rest);
            case "taskmanager" -> TaskManagerRunner.main(rest);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    static void awaitParent() {
        try {
            while (System.in.read() >= 0) { }
        } catch (IOException e) {
            // as good as the end
        }
        Runtime.getRuntime().halt(1);
    }
}
