// Compiles many scripts with SystemDS in one process and prints what its compiler knows of their variables.
//
// One job is one line on standard input: the script's path, then name=value for each argument, separated by tabs. One
// answer is one line of JSON. Nothing is run: parsing, validation, the DAGs, and sizes through control flow and calls.
//
// "statements" has each statement as a block of its own, so that every assignment keeps its write; "plan" has the
// writes that are left in the plan that SystemDS would print. It must never write outside of standard output.

import java.io.*;
import java.lang.reflect.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.antlr.v4.runtime.*;
import org.apache.sysds.api.DMLScript;
import org.apache.sysds.common.Types.OpOpData;
import org.apache.sysds.conf.*;
import org.apache.sysds.hops.*;
import org.apache.sysds.hops.ipa.*;
import org.apache.sysds.hops.rewrite.*;
import org.apache.sysds.parser.*;
import org.apache.sysds.parser.dml.DmlLexer;
import org.apache.sysds.runtime.controlprogram.LocalVariableMap;

public class CompileScripts {
    /** A block of one statement that stays one. */
    static class Single extends StatementBlock {
        Single(StatementBlock whole, Statement statement) {
            setParseInfo(statement);
            setDMLProg(whole.getDMLProg());
            addStatement(statement);
        }
        @Override
        public boolean isMergeableFunctionCallBlock(DMLProgram program) {
            return false;
        }
    }

    interface Visit {
        void block(StatementBlock block) throws Exception;
    }

    interface Task {
        String run(String[] stage) throws Exception;
    }

    static PrintStream out;

    public static void main(String[] args) throws Exception {
        out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        System.setOut(System.err);
        org.apache.log4j.Logger.getRootLogger().setLevel(org.apache.log4j.Level.OFF);
        DMLConfig config = DMLConfig.readConfigurationFile(null);
        ConfigurationManager.setGlobalConfig(config);
        ConfigurationManager.setGlobalConfig(OptimizerUtils.constructCompilerConfig(config));
        BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = jobs.readLine()) != null;)
            out.println(job(line.split("\t")));
    }

    static String job(String[] words) {
        Map<String, String> values = new HashMap<>();
        for (int i = 1; i < words.length; i++) {
            int at = words[i].indexOf('=');
            values.put("$" + words[i].substring(0, at), words[i].substring(at + 1));
        }
        String text;
        try {
            text = Files.readString(Path.of(words[0]));
        } catch (IOException unreadable) {
            text = "";
        }
        String script = text;
        StringBuilder json = new StringBuilder("{\"file\":").append(quote(words[0]));
        json.append(",\"skips\":").append(skips(script));
        json.append(",\"statements\":").append(attempt(stage -> statements(words[0], script, values, stage)));
        json.append(",\"plan\":").append(attempt(stage -> plan(words[0], script, values, stage)));
        return json.append("}").toString();
    }

    /** Whether the lexer complains of characters and goes on without them. */
    static boolean skips(String script) {
        boolean[] skips = {false};
        DmlLexer lexer = new DmlLexer(CharStreams.fromString(script));
        lexer.removeErrorListeners();
        lexer.addErrorListener(new BaseErrorListener() {
            @Override
            public void syntaxError(Recognizer<?, ?> from, Object symbol, int line, int column, String message,
                RecognitionException error) {
                skips[0] = true;
            }
        });
        while (lexer.nextToken().getType() != Token.EOF)
            continue;
        return skips[0];
    }

    /** What the task gives, or at which stage SystemDS refuses the script, and why. */
    static String attempt(Task task) {
        String[] stage = {"parse"};
        try {
            return "{\"writes\":" + task.run(stage) + "}";
        } catch (Throwable error) {
            StringBuilder message = new StringBuilder(error.getClass().getSimpleName());
            for (Throwable cause = error; cause != null; cause = cause.getCause())
                message.append("\n").append(cause.getMessage());
            return "{\"stage\":" + quote(stage[0]) + ",\"error\":" + quote(message.toString()) + "}";
        }
    }

    static DMLProgram parse(String path, String text, Map<String, String> values) {
        DMLScript.DML_FILE_PATH_ANTLR_PARSER = path;
        return ParserFactory.createParser().parse(path, text, values);
    }

    static String statements(String path, String text, Map<String, String> values, String[] stage) throws Exception {
        DMLProgram program = parse(path, text, values);
        program.setStatementBlocks(single(program.getStatementBlocks()));
        for (FunctionStatementBlock function : functions(program)) {
            FunctionStatement statement = (FunctionStatement) function.getStatement(0);
            statement.setBody(single(statement.getBody()));
        }
        DMLTranslator translator = new DMLTranslator(program);
        stage[0] = "validate";
        translator.liveVariableAnalysis(program);
        translator.validateParseTree(program);
        everyBlock(program, block -> {
            VariableSet updated = (VariableSet) field(block, "_updated");
            for (String name : updated.getVariableNames())
                if (!block.liveOut().containsVariable(name))
                    block.liveOut().addVariable(name, updated.getVariable(name));
        });
        stage[0] = "dags";
        translator.constructHops(program);
        stage[0] = "sizes";
        for (int round = 0; round < 3; round++) {
            new ProgramRewriter(new RewriteConstantFolding()).rewriteProgramHopDAGs(program, false);
            DMLTranslator.resetHopsDAGVisitStatus(program);
            propagate(program);
            DMLTranslator.resetHopsDAGVisitStatus(program);
        }
        return writes(program, path);
    }

    static String plan(String path, String text, Map<String, String> values, String[] stage) throws Exception {
        DMLProgram program = parse(path, text, values);
        DMLTranslator translator = new DMLTranslator(program);
        stage[0] = "validate";
        translator.liveVariableAnalysis(program);
        translator.validateParseTree(program);
        stage[0] = "dags";
        translator.constructHops(program);
        stage[0] = "rewrite";
        translator.rewriteHopsDAG(program);
        return writes(program, path);
    }

    static ArrayList<StatementBlock> single(List<StatementBlock> blocks) {
        ArrayList<StatementBlock> all = new ArrayList<>();
        for (StatementBlock block : blocks) {
            Statement first = block.getNumStatements() > 0 ? block.getStatement(0) : null;
            if (first instanceof IfStatement) {
                IfStatement branch = (IfStatement) first;
                branch.setIfBody(single(branch.getIfBody()));
                branch.setElseBody(single(branch.getElseBody()));
            } else if (first instanceof WhileStatement) {
                ((WhileStatement) first).setBody(single(((WhileStatement) first).getBody()));
            } else if (first instanceof ForStatement) {
                ((ForStatement) first).setBody(single(((ForStatement) first).getBody()));
            } else if (block.getNumStatements() > 1) {
                for (Statement statement : block.getStatements())
                    all.add(new Single(block, statement));
                continue;
            } else if (first != null && block.getClass() == StatementBlock.class) {
                all.add(new Single(block, first));
                continue;
            }
            all.add(block);
        }
        return all;
    }

    static void propagate(DMLProgram program) throws Exception {
        InterProceduralAnalysis analysis = new InterProceduralAnalysis(program);
        FunctionCallSizeInfo sizes = new FunctionCallSizeInfo(new FunctionCallGraph(program));
        Method across = InterProceduralAnalysis.class.getDeclaredMethod("propagateStatisticsAcrossBlock",
            StatementBlock.class, LocalVariableMap.class, FunctionCallSizeInfo.class, Set.class, boolean.class);
        across.setAccessible(true);
        LocalVariableMap values = new LocalVariableMap();
        for (StatementBlock block : program.getStatementBlocks())
            across.invoke(analysis, block, values, sizes, new HashSet<String>(), true);
    }

    static List<FunctionStatementBlock> functions(DMLProgram program) throws Exception {
        List<FunctionStatementBlock> all = new ArrayList<>();
        for (Object name : program.getNamespaces().keySet())
            all.addAll(program.getFunctionStatementBlocks((String) name).values());
        return all;
    }

    static void everyBlock(DMLProgram program, Visit visit) throws Exception {
        every(program.getStatementBlocks(), visit);
        for (FunctionStatementBlock function : functions(program))
            every(((FunctionStatement) function.getStatement(0)).getBody(), visit);
    }

    static void every(List<StatementBlock> blocks, Visit visit) throws Exception {
        for (StatementBlock block : blocks) {
            Statement first = block.getNumStatements() > 0 ? block.getStatement(0) : null;
            if (first instanceof IfStatement) {
                every(((IfStatement) first).getIfBody(), visit);
                every(((IfStatement) first).getElseBody(), visit);
            } else if (first instanceof WhileStatement) {
                every(((WhileStatement) first).getBody(), visit);
            } else if (first instanceof ForStatement) {
                every(((ForStatement) first).getBody(), visit);
            } else {
                visit.block(block);
            }
        }
    }

    /** The writes of variables in the script itself: not in builtins and not in sourced files. */
    static String writes(DMLProgram program, String path) throws Exception {
        List<String> all = new ArrayList<>();
        everyBlock(program, block -> {
            if (block.getHops() != null)
                for (Hop hop : block.getHops())
                    write(hop, path, all);
        });
        return "[" + String.join(",", all) + "]";
    }

    static void write(Hop hop, String path, List<String> all) {
        boolean own = hop.getFilename() == null || hop.getFilename().equals(path);
        if (own && hop instanceof DataOp && ((DataOp) hop).getOp() == OpOpData.TRANSIENTWRITE)
            all.add("{\"name\":" + quote(hop.getName()) + ",\"line\":" + hop.getBeginLine() + ",\"rows\":" + hop.getDim1()
                + ",\"cols\":" + hop.getDim2() + ",\"type\":" + quote(hop.getDataType().toString()) + "}");
    }

    static Object field(Object object, String name) throws Exception {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass())
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field.get(object);
            } catch (NoSuchFieldException inherited) {
                continue;
            }
        throw new NoSuchFieldException(name);
    }

    static String quote(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (char c : text.toCharArray())
            if (c == '"' || c == '\\')
                json.append('\\').append(c);
            else if (c < 32)
                json.append(String.format("\\u%04x", (int) c));
            else
                json.append(c);
        return json.append('"').toString();
    }
}
