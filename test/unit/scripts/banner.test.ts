import { describe, expect, it } from '@jest/globals';

// The scripts run before anything is installed, so they are plain JavaScript without types.
const { banner } = await import(String('../../../scripts/lib/banner.mjs'));

const SERVICE = { baseUrl: 'https://market.example', dataDir: '.data', commandPrefix: '' };
const DEMO = {
  credentials: [
    { environment: 'LIVE', scopes: ['search'], key_id: 'key_live', secret: 'live-secret' },
    { environment: 'SANDBOX', scopes: ['search'], key_id: 'key_sandbox', secret: 'its-secret' },
  ],
  users: [{ role: 'ops', email: 'ops@market.example' }],
};
/** The rows of the banner, by name. */
const rowsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^ {2}(\S+(?: \S+)*) {2,}(\S.*)$/gm)].map(([, name, value]) => [name, value]),
  );

describe('the startup banner', () => {
  it('names the mailbox, the sign-ins, and a key in development', () => {
    const text = banner({ ...SERVICE, demo: DEMO, shellFile: '.data/sandbox.env' });
    expect(rowsOf(text)).toMatchObject({
      Console: 'https://market.example/ops   (sign in as ops@market.example)',
      Mail: 'https://market.example/dev/mail',
      Metrics: 'https://market.example/metrics',
      'Sandbox key': 'key_sandbox',
    });
    expect(text).toContain('. .data/sandbox.env');
    expect(text).toContain("KEY_ID='key_sandbox' SECRET='its-secret'");
    expect(text).not.toContain('live-secret');
  });

  it('quotes the file of the key where a shell needs that', () => {
    const text = banner({ ...SERVICE, demo: DEMO, shellFile: "Ada's data/sandbox.env" });
    expect(text).toContain(". 'Ada'\\''s data/sandbox.env'");
  });

  it('names no mailbox, account, or key in production', () => {
    const text = banner({ ...SERVICE, production: true, metricsPort: 9_100, demo: undefined });
    expect(text).not.toContain('/dev/');
    expect(rowsOf(text)).toEqual({
      'Partner API': 'https://market.example/api/partner/v1',
      'Public API': 'https://market.example/api',
      Docs: 'https://market.example/docs',
      Console: 'https://market.example/ops',
      Queues: 'https://market.example/ops/queues',
      Health: 'https://market.example/healthz   https://market.example/readyz',
      Metrics: 'http://localhost:9100/metrics',
      Data: '.data',
    });
  });
});
