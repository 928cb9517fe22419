import { createRequire } from 'node:module';
import type { Stripe } from 'stripe';
import { fail, type ServiceError } from '../../platform/errors.ts';

/** The timeout of one attempt; with retries, a call ends well within a job's deadline. */
const TIMEOUT_MS = 8_000;
const MAX_RETRIES = 2;

let loaded: typeof Stripe | undefined;

/** Loads the SDK on first use: it is large, and most processes never call Stripe. */
function stripeSdk(): typeof Stripe {
  loaded ??= createRequire(import.meta.url)('stripe') as typeof Stripe;
  return loaded;
}

export interface StripeAccess {
  secretKey: string;
  /** The URL of a test server; empty for Stripe's own. */
  apiUrl: string;
}

/** Creates the SDK's client. It repeats a POST only with the same idempotency key. */
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

/** Returns whether Stripe rejected the request itself, so that repeating it cannot help. */
export function isRejectedRequest(error: unknown): boolean {
  const { errors } = stripeSdk();
  return (
    error instanceof errors.StripeInvalidRequestError ||
    error instanceof errors.StripeIdempotencyError ||
    error instanceof errors.StripeCardError
  );
}

/** Returns whether a request with the same idempotency key is in progress, or had other parameters. */
export function isIdempotencyError(error: unknown): boolean {
  return error instanceof stripeSdk().errors.StripeIdempotencyError;
}

/** Returns the error if it is a card decline. */
export function cardErrorOf(
  error: unknown,
): InstanceType<typeof Stripe.errors.StripeCardError> | undefined {
  return error instanceof stripeSdk().errors.StripeCardError ? error : undefined;
}

/** Returns Stripe's error code. */
export function stripeCodeOf(error: unknown): string {
  const { errors } = stripeSdk();
  return (error instanceof errors.StripeError && error.code) || 'refused';
}

/** Returns whether Stripe has no such object. */
export function isMissing(error: unknown): boolean {
  return error instanceof stripeSdk().errors.StripeError && error.code === 'resource_missing';
}

/**
 * Describes a failed call for the log. Never log the error itself: it carries the request and the objects
 * of the payment.
 */
export function describeStripeError(error: unknown): string {
  if (!(error instanceof stripeSdk().errors.StripeError)) return 'unexpected error';
  const { type, code, param, statusCode, requestId } = error;
  return [type, code, param, statusCode, requestId].filter((part) => part !== undefined).join(' ');
}

/** Returns the error for a call without a response. */
export function stripeUnavailable(error: unknown): ServiceError {
  if (!(error instanceof stripeSdk().errors.StripeError)) throw error;
  return fail('service_unavailable', {
    message: 'We cannot reach the payment provider. Try again in a moment.',
    cause: new Error(`Stripe: ${describeStripeError(error)}`),
  });
}
