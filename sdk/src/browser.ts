/** What bundlers use in browsers instead of this package: the same names, but functions that throw a clear error. */
import { refuse } from './refuse-browser.ts';

export * from './errors.ts';
export * from './order-in.ts';

export const createClient = refuse;
export const followEvents = refuse;
export const verifyWebhook = refuse;
export const canonicalQuery = refuse;
export const canonicalString = refuse;
export const signatureHeaders = refuse;
