import { describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from '../../../shared/platform/config/config.ts';
import { createLogger } from '../../../shared/platform/observability/logger.ts';

const ENV = {
  DATABASE_URL: 'postgres://db/x',
  REDIS_URL: 'redis://redis',
  SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
  EMBEDDINGS_URL: 'https://models.example/v1/embeddings',
  EMBEDDINGS_MODEL: 'small',
  EMBEDDINGS_API_KEY: 'a-key-that-nobody-may-read',
};

describe('embeddings configuration', () => {
  it.each([
    [{ EMBEDDINGS_MODEL: '' }, 'EMBEDDINGS_MODEL is required with EMBEDDINGS_URL'],
    [{ EMBEDDINGS_URL: 'models' }, 'EMBEDDINGS_URL must start with http:// or https://'],
  ])('refuses %j', (env, fault) => {
    expect(() => loadConfig({ ...ENV, ...env })).toThrow(ConfigError);
    expect(() => loadConfig({ ...ENV, ...env })).toThrow(fault);
  });

  it('is logged without the API key', () => {
    const lines: string[] = [];
    const log = createLogger(
      { level: 'info', name: 'test' },
      { write: (line) => lines.push(line) },
    );
    log.info({ config: loadConfig(ENV) }, 'configuration');
    expect(lines.join()).toContain(ENV.EMBEDDINGS_URL);
    expect(lines.join()).not.toContain(ENV.EMBEDDINGS_API_KEY);
  });
});
