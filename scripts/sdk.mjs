// `generate` writes the parts of the SDK that come from the OpenAPI document. `build` builds sdk/dist, or the package
// in a given folder. `oldest` tests the built package on the oldest Node version that it supports.
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ensureDependencies } from './lib/dependencies.mjs';
import { nodeProgram } from './lib/node-package.mjs';
import { runProcess } from './lib/processes.mjs';
import { main, projectRoot, say, UserError } from './lib/project.mjs';
import { runJest } from './lib/run-jest.mjs';
import { withShutdown } from './lib/shutdown.mjs';

const SDK = path.join(projectRoot, 'sdk');
const bin = (name) => path.join(projectRoot, 'node_modules', name);

const [, , task, folder = SDK] = process.argv;
const tasks = { generate, build, oldest };

await main(() =>
  withShutdown(async (shutdown) => {
    await ensureDependencies();
    if (!tasks[task]) throw new UserError(`Say which: ${Object.keys(tasks).join(' or ')}.`);
    const node = async (...args) => {
      const { code } = await runProcess(process.execPath, args, { cwd: projectRoot, shutdown });
      if (code !== 0) throw new UserError(`${args[0]} failed`);
    };
    return tasks[task](node, shutdown);
  }),
);

async function generate(node) {
  const documents = await mkdtemp(path.join(os.tmpdir(), 'openapi-'));
  try {
    await node('--import', 'tsx', 'api/openapi/write-documents.ts', documents);
    const document = path.join(documents, 'openapi-partner.json');
    await node('--import', 'tsx', 'sdk/generator/write.ts', document);
  } finally {
    await rm(documents, { recursive: true, force: true });
  }
}

/** Builds the sources twice, with types: as ES modules and as CommonJS. */
async function build(node) {
  const dist = path.resolve(folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  for (const [name, config, type] of [
    ['esm', 'tsconfig.build.json', 'module'],
    ['cjs', 'tsconfig.cjs.json', 'commonjs'],
  ]) {
    const out = path.join(dist, name);
    const project = path.join(SDK, config);
    await node(bin('typescript/bin/tsc'), '--project', project, '--outDir', out);
    await writeFile(path.join(out, 'package.json'), `${JSON.stringify({ type })}\n`);
    await nameCompiledFiles(out);
  }
  await chmod(path.join(dist, 'esm/cli/main.js'), 0o755);
  if (path.resolve(folder) === SDK) return;
  for (const file of ['package.json', 'README.md', 'METHODS.md']) {
    await cp(path.join(SDK, file), path.join(folder, file));
  }
}

/** Runs the tests of the built package with its programs on the oldest Node version that it supports. */
async function oldest(_node, shutdown) {
  const { engines } = JSON.parse(await readFile(path.join(SDK, 'package.json'), 'utf8'));
  const version = `${engines.node.replace('>=', '')}.0`;
  const program = await nodeProgram(version, shutdown);
  say(`The programs of the tests run on Node ${version}.`);
  return runJest(shutdown, ['test/sdk/package.test.ts'], { SDK_NODE: program });
}

/** Changes imports in declaration files from `.ts` to `.js`, which the compiler doesn't do. */
async function nameCompiledFiles(folder) {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = path.join(folder, name);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}
