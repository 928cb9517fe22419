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

/** What an earlier build left may still be loaded by a process that runs since then. */
const keepMs = 24 * 3_600_000;
/** Between two looks at whether another process has built. */
const WAIT_MS = 50;

/**
 * Packages that a build leaves in node_modules: they serve files of their own (bull-board) or load others by name (knex,
 * which has to load the same pg).
 */
const EXTERNAL = ['knex', 'pg', '@bull-board/*'];

/** So long that frames of packages in a stack trace still name a place that one can look at. */
const LINE = 200;

/** CommonJS in a module of ours: packages ask for these. */
const COMMON_JS = `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url);
const __filename = import.meta.filename ?? new URL(import.meta.url).pathname;
const __dirname = require('node:path').dirname(__filename);`;

/** Builds the programs of a production, where that was not done. */
export async function buildPrograms() {
  for (const program of ['api/main.ts', 'workers/main.ts', 'api/ops/cli.ts']) {
    await builtProgram(program);
  }
}

/**
 * The built file of a program such as `api/main.ts`, which is built first (in a few seconds) unless the last build is
 * newer than all that went into it. The packages that it imports are part of it: a process that looks for their
 * thousands of files takes twice the time to start. What only tests start is built without packages, in a fraction of a
 * second.
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

/** The list of what went in is written last, and is as old as the moment at which that was read. */
function isFresh(folder) {
  try {
    const builtAt = statSync(listIn(folder)).mtimeMs;
    const inputs = JSON.parse(readFileSync(listIn(folder), 'utf8'));
    return inputs.every((file) => statSync(path.join(projectRoot, file)).mtimeMs < builtAt);
  } catch {
    return false;
  }
}

/** Of several processes that start at once, one builds. */
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
  // Only who builds pays for loading it.
  const esbuild = await import('esbuild');
  const startedAt = Date.now();
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: projectRoot,
    entryPoints: { program: source },
    outdir: folder,
    bundle: true,
    // What is loaded at its first use stays apart.
    splitting: true,
    ...(source.startsWith('test/')
      ? { packages: 'external' }
      : { external: EXTERNAL, banner: { js: COMMON_JS } }),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // A process keeps its source in memory, a quarter of which would be comments of packages.
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
  // Others may be starting from this folder: each file is whole at once, and the program comes after its parts.
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

/** `import.meta.url` stays that of the source: what a program reads by path lies beside its sources. */
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
 * A package that is loaded with `import()`, at its first use, stays in node_modules, too: it does not slow the start, and
 * in a bundle `import()` of a CommonJS package has no named exports.
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
 * A program without any letter outside ASCII takes a byte a letter in memory, and two otherwise. What esbuild leaves is
 * in regular expressions and templates, where an escape means the same.
 */
function inAscii(text) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(/[^\0-\x7f]/g, escaped);
}

/** A source map without packages, which would be most of what a process reads at its first error. */
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
