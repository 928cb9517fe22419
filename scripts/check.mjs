// Checks format and lint, types, unused code, the API documents, the generated docs and the architecture rules.
// Runs every check, even after one has failed.
import path from 'node:path';
import { ensureDependencies } from './lib/dependencies.mjs';
import { describeExit, runProcess } from './lib/processes.mjs';
import { main, projectRoot, say } from './lib/project.mjs';
import { withShutdown } from './lib/shutdown.mjs';

const bin = (name) => path.join(projectRoot, 'node_modules', name);

const checks = [
  ['Format and lint', [bin('@biomejs/biome/bin/biome'), 'ci', '.']],
  ['Types', [bin('typescript/bin/tsc'), '--noEmit', '--project', '.']],
  ['SDK types', [bin('typescript/bin/tsc'), '--noEmit', '--project', 'sdk']],
  ['Unused code', [bin('knip/bin/knip.js'), '--no-progress', '--config', 'scripts/knip.jsonc']],
  ['API documents', [path.join(projectRoot, 'scripts/lint-openapi.mjs')]],
  ['Generated docs', [path.join(projectRoot, 'scripts/docs.mjs'), '--check']],
  ['Architecture', [path.join(projectRoot, 'scripts/test.mjs'), 'test/architecture']],
];

await main(() => withShutdown(runChecks));

async function runChecks(shutdown) {
  await ensureDependencies();
  const summary = [];
  for (const [name, args] of checks) {
    if (shutdown.requested) break;
    say(`\n== ${name}`);
    const startedAt = Date.now();
    const result = await runProcess(process.execPath, args, { cwd: projectRoot, shutdown });
    summary.push({ name, result, seconds: (Date.now() - startedAt) / 1_000 });
  }
  say('\n== Summary');
  for (const { name, result, seconds } of summary) {
    const verdict = result.code === 0 ? 'passed' : `FAILED (${describeExit(result)})`;
    say(`${name.padEnd(16)} ${verdict}, ${seconds.toFixed(1)} s`);
  }
  return summary.every(({ result }) => result.code === 0) ? 0 : 1;
}
