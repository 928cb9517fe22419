// Runs the sample shop (docs/examples/shop) against a running `npm start`. Uses BASE_URL, KEY_ID and SECRET if KEY_ID
// is set, else the sandbox key of a demo partner.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { tsx } from './lib/application.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { readSettings } from './lib/instance-settings.mjs';
import { runProcess } from './lib/processes.mjs';
import { existingDataDir, main, projectRoot, UserError } from './lib/project.mjs';
import { withShutdown } from './lib/shutdown.mjs';

// Not the quickstart's partner: the shop would replace its webhook endpoint.
const PARTNER = 'Larkspur';

await main(() =>
  withShutdown(async (shutdown) => {
    await ensureDependencies();
    const env = process.env.KEY_ID ? process.env : { ...process.env, ...(await demoKey(shutdown)) };
    const { code } = await runProcess(process.execPath, tsx('docs/examples/shop/main.ts'), {
      cwd: projectRoot,
      env,
      shutdown,
    });
    return code ?? 0;
  }),
);

async function demoKey(shutdown) {
  const services = path.join(existingDataDir(), 'services.json');
  if (!existsSync(services)) {
    throw new UserError('The marketplace is not running. Start it in another terminal: npm start');
  }
  const args = tsx('api/ops/cli.ts', 'dev:credentials', '--json');
  const { code, stdout } = await runProcess(process.execPath, args, {
    cwd: projectRoot,
    env: process.env,
    shutdown,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (code !== 0) throw new UserError('The demo keys could not be read.');
  const key = JSON.parse(stdout).credentials.find(
    ({ environment, partner_name }) => environment === 'SANDBOX' && partner_name === PARTNER,
  );
  if (!key) {
    throw new UserError(
      `The demo data have no sandbox key of ${PARTNER}: they are of an older version. Remove the data folder and start again, or give KEY_ID and SECRET.`,
    );
  }
  const { baseUrl } = readSettings(services);
  return { BASE_URL: baseUrl, KEY_ID: key.key_id, SECRET: key.secret };
}
