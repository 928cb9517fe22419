import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/messaging/unit-of-work/database.ts';
import { createPaymentProviders } from '../../../shared/money/payments/create-payment-providers.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { type Config, loadConfig } from '../../../shared/platform/config/config.ts';
import { createLogger } from '../../../shared/platform/observability/logger.ts';
import { secretsKey } from '../../support/secrets-key.ts';
import {
  STRIPE_KEY,
  STRIPE_LIVE_KEY,
  STRIPE_WEBHOOK_SECRET,
} from '../../support/stripe-stand-in.ts';

const BASE = {
  DATABASE_URL: 'postgres://localhost/none',
  REDIS_URL: 'redis://localhost',
  SECRETS_KEY: secretsKey().toString('base64'),
  DATA_DIR: tmpdir(),
};
const PRODUCTION = { NODE_ENV: 'production', BASE_URL: 'https://market.example', MAIL: 'off' };
const STRIPE = {
  PAYMENTS_LIVE: 'stripe',
  STRIPE_SECRET_KEY: STRIPE_KEY,
  STRIPE_WEBHOOK_SECRET,
};

const load = (env: Record<string, string>) => loadConfig({ ...BASE, ...env });
function providersOf(config: Config) {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', name: 'test' }, { write: (line) => lines.push(line) });
  // Not used in these tests.
  const db = {} as Database;
  return { providers: createPaymentProviders({ db, clock: systemClock, config, log }), lines };
}

describe('the payment provider', () => {
  it('is always the sandbox for SANDBOX', () => {
    expect(providersOf(load(STRIPE)).providers('SANDBOX').name).toBe('sandbox');
  });

  it('is Stripe for LIVE if configured', () => {
    const { providers, lines } = providersOf(
      load({ ...PRODUCTION, ...STRIPE, STRIPE_SECRET_KEY: STRIPE_LIVE_KEY }),
    );
    expect(providers('LIVE')).toMatchObject({ name: 'stripe', collects: 'redirect' });
    expect(lines).toEqual([]);
  });

  it('is the sandbox for LIVE in development, and unavailable in production', () => {
    expect(providersOf(load({})).providers('LIVE').name).toBe('sandbox');
    const { providers } = providersOf(load(PRODUCTION));
    expect(() => providers('LIVE')).toThrow(
      expect.objectContaining({ code: 'service_unavailable' }),
    );
  });

  it('is the sandbox for LIVE in production only on request, with a warning', () => {
    const { providers, lines } = providersOf(load({ ...PRODUCTION, PAYMENTS_LIVE: 'sandbox' }));
    expect(providers('LIVE').name).toBe('sandbox');
    expect(lines.join('')).toContain('test cards');
  });
});

describe('Stripe configuration', () => {
  it.each([
    ['no key', { STRIPE_SECRET_KEY: '' }, 'STRIPE_SECRET_KEY'],
    ['a publishable key', { STRIPE_SECRET_KEY: 'pk_test_1' }, 'STRIPE_SECRET_KEY'],
    ['no webhook secret', { STRIPE_WEBHOOK_SECRET: '' }, 'STRIPE_WEBHOOK_SECRET'],
    ['a test key in production', PRODUCTION, 'STRIPE_SECRET_KEY is a test key'],
    [
      'a restricted test key in production',
      { ...PRODUCTION, STRIPE_SECRET_KEY: 'rk_test_1' },
      'STRIPE_SECRET_KEY is a test key',
    ],
    ['a secret that is none', { STRIPE_WEBHOOK_SECRET: 'secret' }, 'STRIPE_WEBHOOK_SECRET'],
    [
      'another server in production',
      { ...PRODUCTION, STRIPE_SECRET_KEY: STRIPE_LIVE_KEY, TUNING: '{"stripeApiUrl":"https://x"}' },
      'TUNING',
    ],
  ])('is rejected with %s, naming the variable without quoting the key', (_what, env, name) => {
    const fault = () => load({ ...STRIPE, ...env });
    expect(fault).toThrow(name);
    expect(fault).not.toThrow(STRIPE_KEY);
    expect(fault).not.toThrow(STRIPE_WEBHOOK_SECRET);
  });
});
