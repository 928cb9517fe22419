import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../../api/app.ts';
import { loadConfig } from '../../../shared/platform/config/config.ts';
import { createRuntime } from '../../../test/support/runtime.ts';
import { profileUntilExit } from './profile.ts';
import { tellUsage } from './tell-usage.ts';

// The real application in its own process; sends its parent the port.
const runtime = createRuntime(loadConfig(), { process: 'bench-web' });
await runtime.ready();
tellUsage();
profileUntilExit('api');
const server = createServer(createApp(runtime));
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
process.once('SIGTERM', async () => {
  server.closeAllConnections();
  server.close();
  await runtime.stop();
  process.exit(0);
});
