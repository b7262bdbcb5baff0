import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.LexerNoViableAltException;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.tree.ParseTree;
import org.apache.sysds.parser.dml.DmlLexer;
import org.apache.sysds.parser.dml.DmlParser;
import org.apache.sysds.parser.dml.DmlParser.*;

/**
 * Prints how SystemDS's own parser reads scripts: `DumpTrees LIST`, where LIST holds one path a line.
 *
 * Records are lines of tab-separated fields: `file PATH`, `skipped START END` (characters of the text that the lexer
 * leaves out), `rejected LINE COLUMN MESSAGE` (the first complaint of the parser), `statement LINE TREE`.
 * A tree is an S-expression; `bench/src/peer/tree/sexpr.rs` writes the same from our side.
 */
public final class DumpTrees {
    private static PrintStream out;

    public static void main(String[] args) throws Exception {
        out = new PrintStream(new java.io.BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
        for (String path : Files.readAllLines(Path.of(args[0]))) {
            out.println("file\t" + path);
            dump(Files.readString(Path.of(path)));
        }
        out.flush();
    }

    private static void dump(String text) {
        // SystemDS reads a script line by line and ends each with a newline; its comments need one.
        String script = text.endsWith("\n") ? text : text + "\n";
        DmlLexer lexer = new DmlLexer(CharStreams.fromString(script));
        lexer.removeErrorListeners();
        lexer.addErrorListener(new BaseErrorListener() {
            @Override
            public void syntaxError(Recognizer<?, ?> r, Object s, int line, int col, String m, RecognitionException e) {
                int start = ((LexerNoViableAltException) e).getStartIndex();
                int end = Math.min(lexer.getInputStream().index() + 1, lexer.getInputStream().size());
                out.println("skipped\t" + start + "\t" + end);
            }
        });
        DmlParser parser = new DmlParser(new CommonTokenStream(lexer));
        parser.removeErrorListeners();
        String[] first = new String[1];
        parser.addErrorListener(new BaseErrorListener() {
            @Override
            public void syntaxError(Recognizer<?, ?> r, Object s, int line, int col, String m, RecognitionException e) {
                if (first[0] == null)
                    first[0] = line + "\t" + (col + 1) + "\t" + m.replace('\t', ' ').replace('\n', ' ');
            }
        });
        ProgramrootContext root = parser.programroot();
        if (first[0] != null) {
            out.println("rejected\t" + first[0]);
            return;
        }
        for (ParseTree child : root.children)
            if (child instanceof ParserRuleContext context)
                out.println("statement\t" + context.start.getLine() + "\t" + statement(context));
    }

    private static String statement(ParserRuleContext node) {
        if (node instanceof ImportStatementContext s)
            return list("source", string(s.filePath.getText()), s.namespace.getText());
        if (node instanceof PathStatementContext s)
            return list("setwd", string(s.pathValue.getText()));
        if (node instanceof FunctionCallAssignmentStatementContext s) {
            String call = call(s.name.getText(), s.paramExprs);
            return s.targetList == null ? list("do", call) : list("=", data(s.targetList), call);
        }
        if (node instanceof FunctionCallMultiAssignmentStatementContext s)
            return list("=", all("targets", s.targetList, DumpTrees::data), call(s.name.getText(), s.paramExprs));
        if (node instanceof IfdefAssignmentStatementContext s)
            return list("=", data(s.targetList), list("call", "ifdef", data(s.commandLineParam), expr(s.source)));
        if (node instanceof AssignmentStatementContext s)
            return list("=", data(s.targetList), expr(s.source));
        if (node instanceof AccumulatorAssignmentStatementContext s)
            return list("+=", data(s.targetList), expr(s.source));
        if (node instanceof IfStatementContext s) {
            String then = all("block", s.ifBody, DumpTrees::statement);
            // A missing `else` and an empty one are told apart by the word itself.
            boolean otherwise = s.children.stream().anyMatch(child -> child.getText().equals("else"));
            return otherwise
                ? list("if", expr(s.predicate), then, all("block", s.elseBody, DumpTrees::statement))
                : list("if", expr(s.predicate), then);
        }
        if (node instanceof WhileStatementContext s)
            return list("while", expr(s.predicate), all("block", s.body, DumpTrees::statement));
        if (node instanceof ForStatementContext s)
            return loop("for", s.iterVar.getText(), s.iterPred, s.parForParams, s.body);
        if (node instanceof ParForStatementContext s)
            return loop("parfor", s.iterVar.getText(), s.iterPred, s.parForParams, s.body);
        if (node instanceof InternalFunctionDefExpressionContext s)
            return list("function", s.name.getText(),
                all("parameters", s.inputParams, DumpTrees::parameter),
                all("results", s.outputParams, DumpTrees::untouched),
                all("block", s.body, DumpTrees::statement));
        if (node instanceof ExternalFunctionDefExpressionContext s)
            return list("external", s.name.getText(),
                all("parameters", s.inputParams, DumpTrees::untouched),
                all("results", s.outputParams, DumpTrees::untouched),
                all("options", s.otherParams, o -> list("=", o.paramName.getText(), string(o.paramVal.getText()))));
        throw new IllegalStateException("unknown statement " + node.getClass());
    }

    private static String loop(String word, String variable, IterablePredicateContext range,
            List<StrictParameterizedExpressionContext> options, List<StatementContext> body) {
        String over;
        if (range instanceof IterablePredicateColonExpressionContext r) {
            over = list(":", expr(r.from), expr(r.to));
        } else {
            IterablePredicateSeqExpressionContext r = (IterablePredicateSeqExpressionContext) range;
            over = r.increment == null
                ? list("call", r.ID().getText(), expr(r.from), expr(r.to))
                : list("call", r.ID().getText(), expr(r.from), expr(r.to), expr(r.increment));
        }
        return list(word, variable, over,
            all("options", options, o -> list("=", o.paramName.getText(), expr(o.paramVal))),
            all("block", body, DumpTrees::statement));
    }

    private static String untouched(TypedArgNoAssignContext p) {
        return list(p.paramType.getText(), p.paramName.getText());
    }

    private static String parameter(TypedArgAssignContext p) {
        String type = p.paramType.getText();
        if (p.paramVal == null)
            return list(type, p.paramName.getText());
        return p.paramName == null
            ? list(type, "", expr(p.paramVal))
            : list(type, p.paramName.getText(), expr(p.paramVal));
    }

    private static String call(String name, List<ParameterizedExpressionContext> arguments) {
        return all("call " + name, arguments, a ->
            a.paramName == null ? expr(a.paramVal) : list("=", a.paramName.getText(), expr(a.paramVal)));
    }

    private static String data(DataIdentifierContext node) {
        if (node instanceof IndexedExpressionContext e) {
            boolean comma = e.children.stream().anyMatch(child -> child.getText().equals(","));
            String rows = side(e.rowLower, e.rowUpper);
            return comma
                ? list("index", e.name.getText(), rows, side(e.colLower, e.colUpper))
                : list("index", e.name.getText(), rows);
        }
        return node.getText();
    }

    private static String side(ExpressionContext from, ExpressionContext to) {
        if (from == null)
            return "_";
        return to == null ? expr(from) : list(":", expr(from), expr(to));
    }

    private static String expr(ExpressionContext node) {
        if (node instanceof PowerExpressionContext e)
            return list("^", expr(e.left), expr(e.right));
        if (node instanceof UnaryExpressionContext e)
            return list("unary", e.op.getText(), expr(e.left));
        if (node instanceof MatrixMulExpressionContext e)
            return list("%*%", expr(e.left), expr(e.right));
        if (node instanceof ModIntDivExpressionContext e)
            return list(e.op.getText(), expr(e.left), expr(e.right));
        if (node instanceof MultDivExpressionContext e)
            return list(e.op.getText(), expr(e.left), expr(e.right));
        if (node instanceof AddSubExpressionContext e)
            return list(e.op.getText(), expr(e.left), expr(e.right));
        if (node instanceof RelationalExpressionContext e)
            return list(e.op.getText(), expr(e.left), expr(e.right));
        if (node instanceof BooleanNotExpressionContext e)
            return list("unary", "!", expr(e.left));
        if (node instanceof BooleanAndExpressionContext e)
            return list("&", expr(e.left), expr(e.right));
        if (node instanceof BooleanOrExpressionContext e)
            return list("|", expr(e.left), expr(e.right));
        if (node instanceof BuiltinFunctionExpressionContext e)
            return call(e.name.getText(), e.paramExprs);
        if (node instanceof AtomicExpressionContext e)
            return list("parentheses", expr(e.left));
        if (node instanceof MultiIdExpressionContext e)
            return all("list", e.targetList, DumpTrees::expr);
        if (node instanceof ConstTrueExpressionContext)
            return "TRUE";
        if (node instanceof ConstFalseExpressionContext)
            return "FALSE";
        if (node instanceof ConstIntIdExpressionContext e)
            return digits(e.getText());
        if (node instanceof ConstDoubleIdExpressionContext e)
            return "double:" + Long.toHexString(Double.doubleToLongBits(Double.parseDouble(digits(e.getText()))));
        if (node instanceof ConstStringIdExpressionContext e)
            return string(e.getText());
        if (node instanceof DataIdExpressionContext e)
            return data(e.dataIdentifier());
        throw new IllegalStateException("unknown expression " + node.getClass());
    }

    /** A number without the sign of a long one; an integer also without leading zeros. */
    private static String digits(String text) {
        String digits = text.replaceAll("[Ll]$", "");
        return digits.matches("[0-9]+") ? new java.math.BigInteger(digits).toString() : digits;
    }

    /** The value of a quoted text: escapes resolved, then what would break a line written as a code. */
    private static String string(String quoted) {
        StringBuilder value = new StringBuilder("\"");
        for (int at = 1; at < quoted.length() - 1; at++) {
            char c = quoted.charAt(at);
            if (c == '\\') {
                char code = quoted.charAt(++at);
                int plain = "btnfr".indexOf(code);
                c = plain < 0 ? code : "\b\t\n\f\r".charAt(plain);
            }
            if (c < ' ' || c == '"' || c == '\\')
                value.append(String.format("\\%02x", (int) c));
            else
                value.append(c);
        }
        return value.append('"').toString();
    }

    private static String list(String... parts) {
        return "(" + String.join(" ", parts) + ")";
    }

    private static <T> String all(String head, List<T> items, java.util.function.Function<T, String> print) {
        StringBuilder text = new StringBuilder("(").append(head);
        for (T item : items)
            text.append(' ').append(print.apply(item));
        return text.append(')').toString();
    }
}
