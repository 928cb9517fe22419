import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { fail } from '../../platform/errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { PaymentProvider, PaymentProviders } from './payment-provider.ts';
import { createSandboxProvider } from './sandbox-payment-provider.ts';
import { createStripeProvider } from './stripe-provider.ts';

/**
 * Creates the payment providers of both environments. In production, requesting the LIVE provider throws
 * service_unavailable until one is configured, so that test cards cannot buy real domains by oversight.
 */
export function createPaymentProviders(scope: {
  db: Database;
  clock: Clock;
  config: Config;
  log: Logger;
}): PaymentProviders {
  const { config, log } = scope;
  const sandbox = createSandboxProvider(scope);
  const live = createLiveProvider(scope) ?? (config.paymentsLive === 'sandbox' ? sandbox : null);
  if (live === sandbox && config.nodeEnv === 'production') {
    log.warn('LIVE payments go to the sandbox provider, which takes test cards and no money');
  }
  return (environment) => {
    if (environment === 'SANDBOX') return sandbox;
    if (live) return live;
    throw fail('service_unavailable', { message: 'Payments are not set up here yet.' });
  };
}

function createLiveProvider(scope: {
  clock: Clock;
  config: Config;
  log: Logger;
}): PaymentProvider | null {
  const { config } = scope;
  if (config.paymentsLive !== 'stripe') return null;
  return createStripeProvider({
    ...scope,
    secretKey: config.stripeSecretKey,
    webhookSecret: config.stripeWebhookSecret,
    apiUrl: config.stripeApiUrl,
  });
}
