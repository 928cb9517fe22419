// Builds the OpenAPI and AsyncAPI documents from the code and lints them; part of `npm run check`.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runProcess } from './lib/processes.mjs';
import { main, projectRoot } from './lib/project.mjs';
import { withShutdown } from './lib/shutdown.mjs';

const REDOCLY = path.join(projectRoot, 'node_modules/@redocly/cli/bin/cli.js');
/** Turns off telemetry and the check for updates. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

await main(() => withShutdown(lint));

async function lint(shutdown) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'openapi-'));
  const options = { cwd: projectRoot, shutdown, env: { ...process.env, ...QUIET } };
  const run = async (...args) => (await runProcess(process.execPath, args, options)).code;
  try {
    const built = await run('--import', 'tsx', 'api/openapi/write-documents.ts', folder);
    if (built !== 0) return 1;
    const files = ['openapi.json', 'openapi-partner.json', 'asyncapi.json'].map((name) =>
      path.join(folder, name),
    );
    return (await run(REDOCLY, 'lint', '--config', 'scripts/redocly.yaml', ...files)) === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
