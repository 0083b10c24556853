// Makes code of the user's ready to be loaded, in the build: adds what exports functions that it keeps to itself, and
// where this Node cannot take it as it is, compiles it by the esbuild or TypeScript of its project. The result lies
// beside the source, so that all that it names is found from there. Without such a tool it stays as it is, and the
// runner says what is missing.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import module from 'node:module';
import path from 'node:path';

const GIVEN = 'own/given.json';
const OWN = path.resolve('own');
const NAMES_OF_PACKAGES = /^[^./#]/;
const OLD = { noCheck: 5.5 }; // options of tsc, and the versions since which it knows them

const given = JSON.parse(fs.readFileSync(GIVEN, 'utf8'));
if (given.appended) append(given.entry, given.appended);
if (!isTaken()) {
  const tool = found('esbuild');
  const result = tool ? await bundled(tool) : compiled(found('typescript'));
  if (result) fs.writeFileSync(GIVEN, JSON.stringify({ ...given, made: result }));
}
process.exit(0); // esbuild leaves a child

// A new file, as the copy may be read-only.
function append(file, text) {
  const whole = fs.readFileSync(file, 'utf8') + text;
  fs.rmSync(file);
  fs.writeFileSync(file, whole);
}

// Whether this Node takes the code without a compiler.
function isTaken() {
  if (given.typed.length === 0 && given.plain) return true;
  if (given.typed.length > 0 && !process.features.typescript) return false;
  if (!given.plain) return false;
  try {
    for (const each of given.typed) module.stripTypeScriptTypes(fs.readFileSync(each, 'utf8'), { mode: 'strip' });
  } catch {
    return false;
  }
  return spawnSync(process.execPath, ['--check', given.entry], { stdio: 'ignore' }).status === 0;
}

// The folder of a package of the project, where any of its node_modules has it, or has it for another package.
function found(name) {
  for (const link of [...given.links].reverse()) {
    const others = fs.readdirSync(link).map((each) => path.join(each, 'node_modules'));
    for (const place of ['', '.pnpm/node_modules', ...others]) {
      const folder = path.join(link, place, name);
      if (fs.existsSync(path.join(folder, 'package.json'))) return fs.realpathSync(folder);
    }
  }
  return null;
}

// A name beside the source for what is made of it.
function beside(format) {
  const { dir, name } = path.parse(given.entry);
  return path.join(dir, `${name}.compiled.${format === 'esm' ? 'mjs' : 'cjs'}`);
}

async function bundled(folder) {
  const { build } = module.createRequire(path.join(folder, 'package.json'))(folder);
  const { format } = given;
  const banner = "import { createRequire as iogaugeRequires } from 'node:module'; const require = iogaugeRequires(import.meta.url);";
  try {
    await build({
      entryPoints: [given.entry],
      outfile: beside(format),
      bundle: true,
      platform: 'node',
      target: `node${process.versions.node}`,
      format,
      sourcemap: 'linked',
      banner: format === 'esm' && given.requires ? { js: banner } : {},
      loader: { '.node': 'copy' },
      logLevel: 'silent',
      plugins: [{ name: 'packages', setup: leaveInstalled }],
    });
  } catch (error) {
    const [{ text, location }] = error.errors?.length > 0 ? error.errors : [{ text: error.message }];
    fail(location ? `${location.file}:${location.line}:${location.column}: error: ${text}` : text);
  }
  return beside(format);
}

// Packages are loaded from where they are installed; those that lie beside this one, which may be TypeScript, too, come
// into the bundle. From there others are named by their paths.
function leaveInstalled(builder) {
  const isSeen = Symbol('seen');
  builder.onResolve({ filter: NAMES_OF_PACKAGES }, async ({ path: name, pluginData, ...asked }) => {
    if (pluginData === isSeen || asked.kind === 'entry-point' || module.isBuiltin(name)) return null;
    const { importer, resolveDir, kind } = asked;
    const at = await builder.resolve(name, { importer, resolveDir, kind, pluginData: isSeen });
    if (at.errors.length > 0 || at.external || at.namespace !== 'file') return { path: name, external: true };
    if (!at.path.split(path.sep).includes('node_modules')) return { path: at.path };
    return { path: importer.startsWith(OWN + path.sep) ? name : at.path, external: true };
  });
}

// By the compiler of TypeScript, file by file: nothing is checked but what stops it.
function compiled(folder) {
  if (folder === null) return null;
  const { version, bin } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const program = path.join(folder, typeof bin === 'string' ? bin : bin.tsc);
  const { dir, base } = path.parse(given.entry);
  const near = path.join(dir, 'tsconfig.iogauge.json');
  const own = fs.existsSync(path.join(dir, 'tsconfig.json')) ? { extends: './tsconfig.json' } : {};
  const isModule = given.format === 'esm';
  const compilerOptions = {
    noEmit: false, noEmitOnError: false, declaration: false, composite: false, incremental: false, emitDeclarationOnly: false,
    sourceMap: true, inlineSourceMap: false, outDir: OWN, rootDir: OWN, allowJs: false, skipLibCheck: true, types: [],
    target: 'es2022', module: isModule ? 'esnext' : 'commonjs', noCheck: true, ignoreDeprecations: undefined,
    allowImportingTsExtensions: false, rewriteRelativeImportExtensions: undefined, moduleResolution: undefined,
  };
  for (const [name, since] of Object.entries(OLD)) {
    if (Number.parseFloat(version) < since) delete compilerOptions[name];
  }
  const files = given.typed.map((each) => path.relative(dir, each));
  fs.writeFileSync(near, JSON.stringify({ ...own, compilerOptions, files, include: [] }));
  const { stdout } = spawnSync(process.execPath, [program, '-p', near, '--pretty', 'false'], { encoding: 'utf8' });
  const wrong = stdout.split('\n').find((each) => /: error TS1\d\d\d:/.test(each)); // these are of the syntax
  if (wrong) fail(wrong);
  const entry = given.entry.replace(/\.([cm]?)tsx?$/, '.$1js');
  if (!fs.existsSync(entry)) fail(`${base}: tsc ${version} makes nothing of it: ${stdout.trim().split('\n')[0]}`);
  return entry;
}

function fail(text) {
  process.stdout.write(`${text}\n`);
  process.exit(1);
}
