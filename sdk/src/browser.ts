/** What a bundler puts into a page instead of this package: the same names, and a clear refusal. */
import { refuse } from './refuse-browser.ts';

export * from './errors.ts';
export * from './order-in.ts';

export const createClient = refuse;
export const followEvents = refuse;
export const verifyWebhook = refuse;
export const canonicalQuery = refuse;
export const canonicalString = refuse;
export const signatureHeaders = refuse;
