// Bundles the extension into dist/extension.js, or with --tests the unit tests into dist/test/.
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const common = { bundle: true, platform: 'node', target: 'node20', format: 'cjs', sourcemap: true, logLevel: 'warning' };

if (process.argv.includes('--tests')) {
  rmSync('dist/test', { recursive: true, force: true });
  const entryPoints = readdirSync('test/unit').filter((name) => name.endsWith('.test.ts')).map((name) => `test/unit/${name}`);
  await build({ ...common, entryPoints, outdir: 'dist/test', outExtension: { '.js': '.cjs' }, packages: 'external' });
} else {
  await build({ ...common, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', external: ['vscode'], minify: true });
}
