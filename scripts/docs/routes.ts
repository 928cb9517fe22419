import type { PartnerRoute } from '../../api/partner/partner-route.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import type { PublicLimitGroup } from '../../api/public/public-limits.ts';
import { operations } from '../../api/public/public-operations.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import { SCOPES, type Scope } from '../../shared/people/partners/credential.ts';
import { VARIABLES } from '../../shared/platform/config/config.ts';
import type { Variable } from '../../shared/platform/config/variable.ts';
import { code, pathText, table } from './markdown.ts';

const OPENS: Record<Scope, string> = {
  search: 'Search, single domains, availability and prices; reading orders.',
  buy: 'Quotes, orders, refunds, settlement statements; advancing sandbox orders.',
  embed: 'Hosted checkout sessions.',
  broker: 'Checking, opening and reading brokerage cases.',
  refer: 'Making and listing tracked links.',
  report:
    'Transactions, payouts, the list of brokerage cases; clicks, sales, commissions, payouts and analytics of referrals.',
  webhook: 'The webhook endpoint, its deliveries, and the event history.',
};

/** The tables in docs/partner-api.md. */
export const partnerBlocks = {
  'partner endpoints': () =>
    table(
      ['Method', 'Path', 'Scope', 'Limit', 'What it does'],
      partnerRoutes.map((route) => [
        route.method,
        pathText(route.path),
        route.scopes.join(' or '),
        route.limit,
        whatItDoes(route),
      ]),
    ),
  scopes: () =>
    table(
      ['Scope', 'Opens'],
      SCOPES.map((scope) => [code(scope), OPENS[scope]]),
    ),
  'partner limits': () =>
    table(
      ['Group', 'Requests a minute'],
      [
        ['search', String(VARIABLES.limitSearch.fallback)],
        ['write', String(VARIABLES.limitWrite.fallback)],
        ['reporting', String(VARIABLES.limitReporting.fallback)],
        ['reads', String(VARIABLES.limitReads.fallback)],
      ],
    ),
};

function whatItDoes({ summary, idempotencyKey, sandboxOnly }: PartnerRoute): string {
  return [
    summary,
    ...(idempotencyKey === 'required' ? ['Needs `Idempotency-Key`.'] : []),
    ...(sandboxOnly ? ['SANDBOX only.'] : []),
  ].join(' ');
}

/** The tables in docs/public-api.md. */
export const publicBlocks = {
  'public endpoints': () =>
    table(
      ['Method', 'Path', 'Limit', 'What it does'],
      publicRoutes.map(({ method, path, limit, summary }) => [
        method,
        pathText(path),
        limit,
        summary,
      ]),
    ),
  'public limits': () =>
    table(
      ['Group', 'A minute, not signed in', 'A minute, signed in'],
      [
        limitRow('search', VARIABLES.limitPublicSearch, VARIABLES.limitUserSearch),
        limitRow('whois', VARIABLES.limitPublicWhois, VARIABLES.limitUserWhois),
        limitRow('reads', VARIABLES.limitPublicReads, VARIABLES.limitUserReads),
        limitRow('batch', VARIABLES.limitPublicBatch, VARIABLES.limitUserBatch),
        limitRow('bulk', undefined, VARIABLES.limitUserBulk),
      ],
    ),
};

/** `anonymous` is undefined for groups that require a sign-in. */
function limitRow(
  group: PublicLimitGroup,
  anonymous: Variable<number> | undefined,
  user: Variable<number>,
): string[] {
  return [group, anonymous ? String(anonymous.fallback) : 'none', String(user.fallback)];
}

/** The table in docs/tool-server.md. */
export const toolBlocks = {
  tools: () =>
    table(
      ['Tool', 'Single call', 'Limit', 'What it does'],
      operations.map(({ op, route, description }) => [
        code(op),
        code(`${route.method} /api${route.path.replace(/:(\w+)/g, '{$1}')}`),
        route.limit,
        description,
      ]),
    ),
};
