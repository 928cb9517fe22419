// The paths of the console's pages.

import { pathWith } from '../../pages/kit/format.ts';

export const CHECKOUT_REVIEWS_PATH = '/ops/review/checkouts';
export const TRANSFERS_PATH = '/ops/transfers';
export const REGISTRY_MESSAGES_PATH = '/ops/registry-messages';
export const REFUSED_HOLDS_PATH = '/ops/refused-holds';
export const LEGAL_HOLDS_PATH = '/ops/legal-holds';
export const PAYMENTS_PATH = '/ops/payments';
export const DISPUTES_PATH = '/ops/disputes';
export const RENEWALS_PATH = '/ops/renewals';
export const REPAYMENTS_PATH = '/ops/repayments';
export const PAYOUT_FILES_PATH = '/ops/payouts/files';
export const SCREENING_PATH = '/ops/screening';
export const IMPORT_PATH = '/ops/listings/import';
export const OWNERS_PATH = '/ops/owners';
export const UNRENEWED_PATH = `${OWNERS_PATH}?renewal=missed`;
export const BULK_JOBS_PATH = '/ops/bulk-jobs';
export const TRANSFERS_OUT_PATH = '/ops/transfers-out';
export const REFERRALS_PATH = '/ops/referrals';
export const REFERRAL_LINKS_PATH = '/ops/referrals/links';
export const MARKET_SEARCH_PATH = '/ops/market-search';
export const FAILED_SIGN_INS_PATH = '/ops/people/failed-sign-ins';
export const SEARCH_MISSES_PATH = '/ops/market-search/nothing-found';

export function orderPath(id: string): string {
  return `/ops/orders/${encodeURIComponent(id)}`;
}

export function importPath(id: number): string {
  return `/ops/listings/imports/${id}`;
}

export function bulkJobPath(id: string): string {
  return `${BULK_JOBS_PATH}/${encodeURIComponent(id)}`;
}

export function casePath(id: string): string {
  return `/ops/brokerage/${encodeURIComponent(id)}`;
}

export function offerPath(id: string): string {
  return `/ops/offers/${encodeURIComponent(id)}`;
}

export function partnerPath(id: string): string {
  return `/ops/partners/${encodeURIComponent(id)}`;
}

export function mailPath(id: string): string {
  return `/ops/mail/${encodeURIComponent(id)}`;
}

export function personPath(id: string): string {
  return `/ops/people/${encodeURIComponent(id)}`;
}

/** Returns the path of an account's failed sign-ins. */
export function failedSignInsPath(userId: string): string {
  return pathWith(FAILED_SIGN_INS_PATH, { account: userId });
}

export function endpointPath(id: string): string {
  return `/ops/webhooks/${encodeURIComponent(id)}`;
}

export function replaysPath(endpointId: string): string {
  return `${endpointPath(endpointId)}/replays`;
}

/** Returns the path of a partner's endpoints in an environment. */
export function endpointsPath(owner: { environment: string; partnerId: string }): string {
  return `/ops/webhooks/${owner.environment}/${encodeURIComponent(owner.partnerId)}`;
}

export function settlementPath(id: string): string {
  return `/ops/settlements/${encodeURIComponent(id)}`;
}

export function settlementRunPath(id: string): string {
  return `/ops/settlement-runs/${encodeURIComponent(id)}`;
}

/** Returns the path of a subject's audit trail. */
export function auditPath(subject: string): string {
  return `/ops/audit?subject=${encodeURIComponent(subject)}`;
}

/** Returns the path of a document as PDF. */
export function documentPath(id: string): string {
  return `/ops/documents/${encodeURIComponent(id)}`;
}
