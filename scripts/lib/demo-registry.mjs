import { rmSync } from 'node:fs';
import path from 'node:path';
import { tsx } from './application.mjs';
import { readSettings } from './instance-settings.mjs';
import { patientWait } from './patient-wait.mjs';
import { describeExit, startProcess } from './processes.mjs';
import { projectRoot, UserError } from './project.mjs';

/**
 * Runs the demo registry, in which every domain on the market is registered, until the shutdown. Returns the
 * environment variables with which the service moves LIVE domains there automatically.
 */
export async function startDemoRegistry(shutdown, dataDir) {
  const settings = path.join(dataDir, 'registry-settings.json');
  rmSync(settings, { force: true });
  const options = ['--port', '0', '--made-up-domains', '--transfer-seconds', '5'];
  const files = ['--file', path.join(dataDir, 'registry.json'), '--settings', settings];
  const registry = startProcess(process.execPath, tsx('epp-demo/main.ts', ...options, ...files), {
    cwd: projectRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  shutdown.add(() => registry.stop());
  let ended;
  registry.exited.then((result) => {
    ended = result;
  });
  let access;
  const isReady = () => {
    access = readSettings(settings);
    return ended !== undefined || access.EPP_HOST !== undefined;
  };
  await patientWait(isReady, { everyMs: 100, what: () => 'the demo registry' });
  if (ended) throw new UserError(`The demo registry did not start (${describeExit(ended)}).`);
  return { TRANSFER_POLICY_LIVE: 'automatic', ...access };
}
