import { type Static, Type } from 'typebox';
import type { PremiumTerms } from '../../shared/market/inventory/listing.ts';
import { nullable } from '../http/common-schemas.ts';

/** The registry's terms for a premium domain. */
export const PremiumView = nullable(
  Type.Object(
    {
      class: nullable(
        Type.String({ description: "The registry's name for the price class, such as `premium`." }),
      ),
      renewal_fee_cents: nullable(
        Type.Integer({ minimum: 0, description: 'Minor units of `currency`.' }),
      ),
      currency: nullable(Type.String()),
    },
    {
      title: 'PremiumTerms',
      description:
        'The registry charges a premium price to renew this domain: the fee for one year. Tell your buyer before the sale, and send the fee with the order (`premium_renewal_fee_cents`). Null for other domains, and while the registry has not been asked.',
    },
  ),
);

/** Returns premium terms as a response shows them. */
export function premiumView(terms: PremiumTerms | null): Static<typeof PremiumView> {
  return (
    terms && {
      class: terms.class,
      renewal_fee_cents: terms.renewalFee?.amount ?? null,
      currency: terms.renewalFee?.currency ?? null,
    }
  );
}
