import { type Static, Type } from 'typebox';
import type { PremiumTerms } from '../../shared/market/inventory/listing.ts';
import { nullable } from '../http/common-schemas.ts';

/** What the registry of a premium domain asks. */
export const PremiumView = nullable(
  Type.Object(
    {
      class: nullable(
        Type.String({ description: 'What the registry calls it, such as `premium`.' }),
      ),
      renewal_fee_cents: nullable(
        Type.Integer({ minimum: 0, description: 'Minor units of `currency`.' }),
      ),
      currency: nullable(Type.String()),
    },
    {
      title: 'PremiumTerms',
      description:
        'Its registry renews it at a price of its own: its fee for a year. Tell your buyer before the sale, and send the fee with the order (`premium_renewal_fee_cents`). Null for any other domain, and while no registry was asked.',
    },
  ),
);

/** The same as a response has it. */
export function premiumView(terms: PremiumTerms | null): Static<typeof PremiumView> {
  return (
    terms && {
      class: terms.class,
      renewal_fee_cents: terms.renewalFee?.amount ?? null,
      currency: terms.renewalFee?.currency ?? null,
    }
  );
}
