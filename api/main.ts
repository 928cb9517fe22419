import { loadConfig } from '../shared/platform/config.ts';
import { startTracing } from '../shared/platform/tracing.ts';
import { createRuntime } from '../shared/runtime.ts';
import { createApp } from './app.ts';
import { createApiServer } from './http/server.ts';

/** What is left after the drain (closing connections) must not hold the process for longer. */
const RELEASE_MS = 5_000;

const config = loadConfig();
const runtime = createRuntime(config, { process: 'web' });
const tracing = await startTracing(config, { process: 'web', log: runtime.log });
const { server, stop } = createApiServer(createApp(runtime));

let signals = 0;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    signals += 1;
    if (signals > 1) process.exit(1);
    void leave(signal);
  });
}

async function leave(reason: string): Promise<void> {
  runtime.log.info({ reason }, 'stopping');
  setTimeout(() => process.exit(1), config.shutdownMs + RELEASE_MS).unref();
  await stop(config.shutdownMs);
  await tracing.stop();
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
