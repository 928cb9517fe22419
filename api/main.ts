import { loadConfig, requireSecretsKey } from '../shared/platform/config/config.ts';
import { createLogger } from '../shared/platform/observability/logger.ts';
import { supervisesWebProcesses, superviseWebProcesses } from './web-processes.ts';

const config = loadConfig();
requireSecretsKey(config);
if (supervisesWebProcesses(config)) {
  superviseWebProcesses(config, createLogger({ level: config.logLevel, name: 'web-supervisor' }));
} else {
  // Imported here, so that the supervising process stays small.
  const { serve } = await import('./serve.ts');
  await serve(config);
}
