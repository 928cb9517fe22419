import { createRequire } from 'node:module';
import type { Stripe } from 'stripe';
import { fail, type ServiceError } from '../../platform/errors.ts';

/** One try; with its retries a call ends well within the deadline of a job. */
const TIMEOUT_MS = 8_000;
const MAX_RETRIES = 2;

let loaded: typeof Stripe | undefined;

/** Loaded at its first use: it is large, and most processes never talk to Stripe. */
function stripeSdk(): typeof Stripe {
  loaded ??= createRequire(import.meta.url)('stripe') as typeof Stripe;
  return loaded;
}

export interface StripeAccess {
  secretKey: string;
  /** Another server than Stripe's own, for tests; empty is Stripe's. */
  apiUrl: string;
}

/** The SDK's client. It sends a POST again only under the same idempotency key. */
export function createStripeClient({ secretKey, apiUrl }: StripeAccess): Stripe {
  return new (stripeSdk())(secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: MAX_RETRIES,
    telemetry: false,
    ...(apiUrl !== '' && addressOf(new URL(apiUrl))),
  });
}

function addressOf(url: URL): { host: string; port: string; protocol: 'http' | 'https' } {
  const protocol = url.protocol === 'http:' ? 'http' : 'https';
  return { host: url.hostname, port: url.port || (protocol === 'http' ? '80' : '443'), protocol };
}

/** Whether Stripe refused the request itself, so that sending it again cannot help. */
export function isRejectedRequest(error: unknown): boolean {
  const { errors } = stripeSdk();
  return (
    error instanceof errors.StripeInvalidRequestError ||
    error instanceof errors.StripeIdempotencyError ||
    error instanceof errors.StripeCardError
  );
}

/** Whether a request under the same idempotency key is on its way, or was another one. */
export function isIdempotencyError(error: unknown): boolean {
  return error instanceof stripeSdk().errors.StripeIdempotencyError;
}

/** The refusal of a card. */
export function cardErrorOf(
  error: unknown,
): InstanceType<typeof Stripe.errors.StripeCardError> | undefined {
  return error instanceof stripeSdk().errors.StripeCardError ? error : undefined;
}

/** Stripe's code of a refusal. */
export function stripeCodeOf(error: unknown): string {
  const { errors } = stripeSdk();
  return (error instanceof errors.StripeError && error.code) || 'refused';
}

/** Whether Stripe has no such object. */
export function isMissing(error: unknown): boolean {
  return error instanceof stripeSdk().errors.StripeError && error.code === 'resource_missing';
}

/**
 * What a failed call may say in a log: never the error itself, which carries what was sent and the objects
 * of the payment.
 */
export function describeStripeError(error: unknown): string {
  if (!(error instanceof stripeSdk().errors.StripeError)) return 'unexpected error';
  const { type, code, param, statusCode, requestId } = error;
  return [type, code, param, statusCode, requestId].filter((part) => part !== undefined).join(' ');
}

/** The error for a call without an answer. */
export function stripeUnavailable(error: unknown): ServiceError {
  if (!(error instanceof stripeSdk().errors.StripeError)) throw error;
  return fail('service_unavailable', {
    message: 'The payment provider cannot be reached. Try again in a moment.',
    cause: new Error(`Stripe: ${describeStripeError(error)}`),
  });
}
