import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { takeLock } from './lock.mjs';
import { projectRoot, sleep } from './project.mjs';

/** How long to keep files of earlier builds, which a running process may still load. */
const keepMs = 24 * 3_600_000;
/** How often to check whether another process has finished its build. */
const WAIT_MS = 50;

/**
 * Packages that are not bundled: they serve their own files (bull-board) or load others by name (knex, which has to
 * load the same pg as we do).
 */
const EXTERNAL = ['knex', 'pg', '@bull-board/*'];

/** Maximum line length, so that stack frames in packages still point to a readable place. */
const LINE = 200;

/** The CommonJS globals, which bundled packages need. */
const COMMON_JS = `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url);
const __filename = import.meta.filename ?? new URL(import.meta.url).pathname;
const __dirname = require('node:path').dirname(__filename);`;

/** Builds the production programs that have no current build. */
export async function buildPrograms() {
  for (const program of ['api/main.ts', 'workers/main.ts', 'api/ops/cli.ts']) {
    await builtProgram(program);
  }
}

/**
 * Returns the built file of a program such as `api/main.ts`. Builds it first (in a few seconds) unless the last build
 * is newer than all its inputs. Imported packages are bundled: finding their thousands of files would double the
 * startup time. Programs that only tests start are built without packages, in a fraction of a second.
 */
export async function builtProgram(program) {
  const source = path.relative(projectRoot, path.resolve(projectRoot, program));
  const folder = path.join(
    projectRoot,
    'dist',
    source.replace(/\.ts$/, '').replaceAll(path.sep, '-'),
  );
  await buildUnlessFresh(source, folder);
  return path.join(folder, 'program.js');
}

const listIn = (folder) => path.join(folder, 'inputs.json');

/** The list of inputs is written last, and its mtime is the time at which the build started to read them. */
function isFresh(folder) {
  try {
    const builtAt = statSync(listIn(folder)).mtimeMs;
    const inputs = JSON.parse(readFileSync(listIn(folder), 'utf8'));
    return inputs.every((file) => statSync(path.join(projectRoot, file)).mtimeMs < builtAt);
  } catch {
    return false;
  }
}

/** Builds unless the build is current. If several processes start at once, only one builds. */
async function buildUnlessFresh(source, folder) {
  while (!isFresh(folder)) {
    mkdirSync(path.dirname(folder), { recursive: true });
    const { holder, release } = takeLock(`${folder}.lock`);
    if (holder) {
      await sleep(WAIT_MS);
      continue;
    }
    try {
      return await build(source, folder);
    } finally {
      release();
    }
  }
}

async function build(source, folder) {
  // Loaded only if we really build.
  const esbuild = await import('esbuild');
  const startedAt = Date.now();
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: projectRoot,
    entryPoints: { program: source },
    outdir: folder,
    bundle: true,
    // Keeps lazily loaded modules in separate files.
    splitting: true,
    ...(source.startsWith('test/')
      ? { packages: 'external' }
      : { external: EXTERNAL, banner: { js: COMMON_JS } }),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // A process keeps its source in memory, and a quarter of it would be comments in packages.
    minifyWhitespace: true,
    legalComments: 'none',
    lineLimit: LINE,
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [placesOfSources(folder), lazyPackages],
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  mkdirSync(folder, { recursive: true });
  // Other processes may start from this folder: files are replaced atomically, and the program after its parts.
  const isProgram = (file) => path.basename(file.path).startsWith('program.');
  outputFiles.sort((a, b) => Number(isProgram(a)) - Number(isProgram(b)));
  for (const { path: file, text } of outputFiles)
    replace(file, file.endsWith('.map') ? await withoutPackages(text) : inAscii(text));
  const ours = Object.keys(metafile.inputs).filter((file) => !file.startsWith('node_modules/'));
  const inputs = [...ours, 'package-lock.json', 'scripts/lib/build.mjs'];
  replace(listIn(folder), JSON.stringify(inputs), startedAt);
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < startedAt - keepMs) rmSync(file, { force: true, recursive: true });
  }
}

function replace(file, contents, time = Date.now()) {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, contents);
  utimesSync(fresh, time / 1_000, time / 1_000);
  renameSync(fresh, file);
}

/** Keeps `import.meta.url` pointing to the source file: files that a program reads by path are next to its sources. */
function placesOfSources(folder) {
  return {
    name: 'places-of-sources',
    setup(builder) {
      builder.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
        const place = path.relative(folder, file).split(path.sep).join('/');
        const url = `new URL(${JSON.stringify(place)}, import.meta.url).href`;
        const text = readFileSync(file, 'utf8').replaceAll('import.meta.url', url);
        return { contents: text, loader: 'ts' };
      });
    },
  };
}

/**
 * Packages loaded with `import()` on first use are not bundled, either: they don't slow down the start, and in a
 * bundle, `import()` of a CommonJS package has no named exports.
 */
const lazyPackages = {
  name: 'lazy-packages',
  setup(builder) {
    builder.onResolve({ filter: /^[^./]/ }, ({ kind, path: name, importer }) =>
      kind === 'dynamic-import' && !importer.includes('/node_modules/')
        ? { path: name, external: true }
        : undefined,
    );
  },
};

/**
 * Escapes all non-ASCII characters: a pure ASCII program takes one byte per character in memory instead of two. esbuild
 * leaves such characters only in regular expressions and templates, where an escape means the same.
 */
function inAscii(text) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(/[^\0-\x7f]/g, escaped);
}

/** Removes packages from a source map: they would be most of what a process has to read at its first error. */
async function withoutPackages(text) {
  const { decode, encode } = await import('@jridgewell/sourcemap-codec');
  const map = JSON.parse(text);
  const isOurs = map.sources.map((source) => !source.includes('/node_modules/'));
  let before = true;
  const mappings = decode(map.mappings).map((line) =>
    line.flatMap((segment) => {
      const ours = isOurs[segment[1]] ?? false;
      const ends = before && !ours;
      before = ours;
      return ours ? [segment] : ends ? [[segment[0]]] : [];
    }),
  );
  return JSON.stringify({ ...map, mappings: encode(mappings) });
}
