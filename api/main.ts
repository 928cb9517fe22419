import { createServer } from 'node:http';
import { loadConfig } from '../shared/platform/config.ts';
import { createRuntime } from '../shared/runtime.ts';
import { createApp } from './app.ts';

const config = loadConfig();
const runtime = createRuntime(config, { process: 'web' });
const server = createServer(createApp(runtime));
// Longer than a proxy's own idle time, so that the proxy closes first.
server.keepAliveTimeout = 75_000;
server.requestTimeout = 30_000;

let signals = 0;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    signals += 1;
    if (signals > 1) process.exit(1);
    void stop(signal);
  });
}

/** Answers what is under way, takes nothing new, and leaves; what hangs is cut off after SHUTDOWN_MS. */
async function stop(reason: string): Promise<void> {
  runtime.log.info({ reason }, 'stopping');
  const force = setTimeout(() => server.closeAllConnections(), config.shutdownMs);
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await closed;
  clearTimeout(force);
  await runtime.stop();
}

await runtime.ready();
server.on('error', (error) => {
  runtime.log.fatal({ err: error }, 'cannot listen');
  process.exit(1);
});
server.listen({ port: config.port, ...(config.host && { host: config.host }) }, () => {
  runtime.log.info({ address: server.address() }, 'listening');
});
