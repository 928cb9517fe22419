import { BULK_OPS, type BulkOp } from '../../shared/domains/bulk/bulk-operations.ts';
import { code, table } from './markdown.ts';

const OPERATIONS: Record<BulkOp, [params: string, what: string]> = {
  nameservers: [
    '`nameservers`: 2 to 13 host names, none in the domain itself',
    'Replaces all nameservers.',
  ],
  dnssec: [
    '`signers`: up to 12, each with `key_tag`, `algorithm`, `digest_type`, `digest`',
    'Replaces the DS records; none turns DNSSEC off.',
  ],
  lock: ['`enabled`', 'Sets the lock against transfers away.'],
  auto_renew: ['`enabled`', 'Sets automatic renewal.'],
  privacy: ['`enabled`', 'Sets whether WHOIS hides the registrant.'],
  renew: ['`years`: 1 to 10', 'Adds years, within the TLD’s maximum term.'],
  list: [
    '`price_cents`, `floor_price_cents`?, `currency`?, `offers_accepted`?',
    'Lists domains, or gives listed ones new terms. Amounts are in minor units of `currency` (ISO 4217, default `USD`), whatever the domain was listed in before. Description, category and keywords stay.',
  ],
  unlist: [
    'none',
    'Takes domains off the market. Open quotes and payments in progress are honored until they expire; if such a sale is refunded, the domain stays off the market.',
  ],
  price: [
    '`price_cents`, `currency`?',
    'Sets the price of listed domains, in the currency each is listed in. With `currency`, domains listed in another one fail (`conflict`). A higher floor is lowered to the price; open quotes keep theirs.',
  ],
  tags: [
    '`add`, `remove`: up to 30 each',
    'Changes the owner’s tags. A tag has up to 50 characters, a domain up to 30 tags; case does not matter.',
  ],
};

/** The table in docs/bulk.md. */
export const bulkBlocks = {
  'bulk operations': () =>
    table(
      ['`op`', '`params`', 'What it does'],
      BULK_OPS.map((op) => [code(op), ...OPERATIONS[op]]),
    ),
};
