// Runs many scripts with SystemDS in one process, one after the other, and says what each printed.
//
// One job is one line on standard input: the script's path, then name=value for each argument, separated by tabs. One
// answer is one line of JSON: {"printed": text, "error": text or null, "milliseconds": number}. Arguments whose names
// are numbers are given by position; -config names a configuration, the same for all jobs of a process. Scripts write their files where their arguments say; what SystemDS itself leaves
// behind stays below the folder that the process runs in.

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import org.apache.sysds.api.DMLScript;

public class RunScripts {
    /** Seconds for one script. */
    static final int LIMIT = 120;

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        org.apache.log4j.Logger.getRootLogger().setLevel(org.apache.log4j.Level.OFF);
        BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = jobs.readLine()) != null;)
            answers.println(job(line.split("\t")));
        System.exit(0);
    }

    static String job(String[] words) throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, "UTF-8"));
        long start = System.nanoTime();
        String error = run(commandLine(words));
        long took = (System.nanoTime() - start) / 1_000_000;
        return "{\"printed\":" + quote(printed.toString(StandardCharsets.UTF_8)) + ",\"error\":" + error
            + ",\"milliseconds\":" + took + "}";
    }

    static String[] commandLine(String[] words) {
        List<String> line = new ArrayList<>(List.of("-exec", "singlenode", "-f", words[0]));
        TreeMap<Integer, String> positional = new TreeMap<>();
        List<String> named = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            int at = words[i].indexOf('=');
            String name = words[i].substring(0, at);
            if (name.equals("-config"))
                line.addAll(List.of(name, words[i].substring(at + 1)));
            else if (name.chars().allMatch(Character::isDigit))
                positional.put(Integer.parseInt(name), words[i].substring(at + 1));
            else
                named.add(words[i]);
        }
        if (!positional.isEmpty()) {
            line.add("-args");
            for (int i = 1; i <= positional.lastKey(); i++)
                line.add(positional.getOrDefault(i, "0"));
        } else if (!named.isEmpty()) {
            line.add("-nvargs");
            line.addAll(named);
        }
        return line.toArray(new String[0]);
    }

    /** Null as JSON, or the words of the innermost reason. */
    static String run(String[] line) throws Exception {
        String[] error = {"null"};
        Thread script = new Thread(null, () -> {
            try {
                if (!DMLScript.executeScript(line))
                    error[0] = quote("the command line is refused");
            } catch (Throwable failure) {
                StringBuilder text = new StringBuilder();
                for (Throwable cause = failure; cause != null; cause = cause.getCause())
                    text.append(cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage()).append('\n');
                error[0] = quote(text.toString());
            }
        }, "script", 64 << 20);
        script.setDaemon(true);
        script.start();
        script.join(LIMIT * 1000L);
        if (script.isAlive()) {
            script.interrupt();
            return quote("no end within " + LIMIT + " s");
        }
        return error[0];
    }

    static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\')
                out.append('\\').append(c);
            else if (c < 0x20 || c > 0x7e)
                out.append(String.format("\\u%04x", (int) c));
            else
                out.append(c);
        }
        return out.append('"').toString();
    }
}
