// Checks format and lint, types, unused code, the API documents, the generated docs and the architecture rules.
// Runs every check, even after one has failed, two at a time.
import path from 'node:path';
import { ensureDependencies } from './lib/dependencies.mjs';
import { describeExit, runProcess } from './lib/processes.mjs';
import { main, projectRoot, say } from './lib/project.mjs';
import { withShutdown } from './lib/shutdown.mjs';

const bin = (name) => path.join(projectRoot, 'node_modules', name);

/** The longest first, so that none runs alone at the end. */
const checks = [
  ['Architecture', [path.join(projectRoot, 'scripts/test.mjs'), 'test/architecture']],
  ['Types', [bin('typescript/bin/tsc'), '--noEmit', '--project', '.']],
  ['Format and lint', [bin('@biomejs/biome/bin/biome'), 'ci', '.']],
  ['SDK types', [bin('typescript/bin/tsc'), '--noEmit', '--project', 'sdk']],
  ['Unused code', [bin('knip/bin/knip.js'), '--no-progress', '--config', 'scripts/knip.jsonc']],
  ['API documents', [path.join(projectRoot, 'scripts/lint-openapi.mjs')]],
  ['Generated docs', [path.join(projectRoot, 'scripts/docs.mjs'), '--check']],
];

/** Most checks use one core. */
const AT_A_TIME = 2;

await main(() => withShutdown(runChecks));

async function runChecks(shutdown) {
  await ensureDependencies();
  const waiting = [...checks];
  const summary = [];
  const runWaiting = async () => {
    while (waiting.length > 0 && !shutdown.requested) {
      summary.push(await runCheck(waiting.shift(), shutdown));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, runWaiting));
  say('\n== Summary');
  for (const { name, result, seconds } of summary) {
    const verdict = result.code === 0 ? 'passed' : `FAILED (${describeExit(result)})`;
    say(`${name.padEnd(16)} ${verdict}, ${seconds.toFixed(1)} s`);
  }
  return summary.every(({ result }) => result.code === 0) ? 0 : 1;
}

/** Runs a check, and shows all that it wrote once it has ended, because another one runs beside it. */
async function runCheck([name, args], shutdown) {
  const startedAt = Date.now();
  const result = await runProcess(process.execPath, args, {
    cwd: projectRoot,
    shutdown,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  say(`\n== ${name}\n${result.stdout}${result.stderr}`);
  return { name, result, seconds: (Date.now() - startedAt) / 1_000 };
}
