/** The exports of `@domain-marketplace/sdk`. */
export { type Client, createClient } from './client.ts';
export * from './errors.ts';
export { type FollowOptions, followEvents } from './follow-events.ts';
export type { Methods } from './generated/operations.ts';
export type * from './generated/types.ts';
export type { CallOptions, KeyedCallOptions } from './method.ts';
export type { AttemptReport, ClientOptions } from './options.ts';
export { orderIn } from './order-in.ts';
export {
  canonicalQuery,
  canonicalString,
  type KeyPair,
  type QueryPairs,
  type RequestToSign,
  signatureHeaders,
} from './sign.ts';
export { type HeadersDelivery, type SignatureDelivery, verifyWebhook } from './webhooks.ts';
