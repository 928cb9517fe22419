import { Type } from 'typebox';
import { readDueInstants } from '../../../shared/operations/sandbox-clock/advance-clock.ts';
import { readClock } from '../../../shared/operations/sandbox-clock/move-clock.ts';
import {
  type KeyTerms,
  MAX_KEY_DAYS,
  MAX_KEY_NAME,
  SCOPES,
} from '../../../shared/people/partners/credential.ts';
import {
  changeCredential,
  createCredential,
  DEFAULT_OVERLAP_HOURS,
  revokeCredential,
  rotateCredential,
} from '../../../shared/people/partners/credential-lifecycle.ts';
import {
  DEFAULT_COMMISSION_BPS,
  DELIVERY_METHODS,
  SETTLEMENT_PERIODS,
} from '../../../shared/people/partners/partner.ts';
import {
  approvePartner,
  createPartner,
  linkAffiliate,
  resumePartner,
  setDeliveryMethod,
  suspendPartner,
} from '../../../shared/people/partners/partner-lifecycle.ts';
import { readCredentials } from '../../../shared/people/partners/read-credentials.ts';
import { listPartners, readPartner } from '../../../shared/people/partners/read-partners.ts';
import { setTaxProfile } from '../../../shared/people/partners/tax-profile.ts';
import { SECOND } from '../../../shared/platform/clock.ts';
import { setConnectedAccount } from '../../../shared/settlement/payouts/connected-account.ts';
import {
  approveDestination,
  DESTINATION_KINDS,
} from '../../../shared/settlement/payouts/destination.ts';
import { setPayoutAccount } from '../../../shared/settlement/payouts/payout-account.ts';
import { CountryField } from '../../http/common-schemas.ts';
import {
  type ActionOf,
  DANGEROUS,
  EnvironmentField,
  EVERYONE,
  FINANCE,
  HARMLESS,
  OPERATIONS,
  opsAction,
  PartnerField,
  route,
} from '../ops-action.ts';

const ByPartner = Type.Object({ partner: PartnerField });

export const partnerCreate = opsAction({
  name: 'partner:create',
  summary: 'Open a partner account',
  input: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the company.' }),
    commission_bps: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        description: `Its share of a sale in basis points. Defaults to ${DEFAULT_COMMISSION_BPS}.`,
      }),
    ),
    period: Type.Optional(
      Type.Enum([...SETTLEMENT_PERIODS], {
        description: 'How often its statements close. Defaults to monthly.',
      }),
    ),
    affiliate: Type.Optional(Type.Boolean({ description: 'Link an affiliate account.' })),
  }),
  async run(context, input) {
    const partner = await createPartner(context, context.actor, {
      name: input.name,
      commissionBps: input.commission_bps,
      settlementPeriod: input.period,
      affiliate: input.affiliate,
    });
    return {
      partner_id: partner.id,
      ...(partner.affiliateId && { affiliate_id: partner.affiliateId }),
    };
  },
});

export const partnerSuspend = partnerAction(
  'partner:suspend',
  'Suspend a partner until it is resumed',
  suspendPartner,
);

export const partnerApprove = opsAction({
  name: 'partner:approve',
  summary: 'Allow a partner to have LIVE key pairs',
  input: ByPartner,
  async run(context, { partner }) {
    const live_approved_at = await approvePartner(context, context.actor, partner);
    return { partner_id: partner, live_approved_at };
  },
});

export const partnerAffiliate = opsAction({
  name: 'partner:affiliate',
  summary: 'Link a partner to an affiliate account, so that it can create referral links',
  input: ByPartner,
  redis: 'publishes',
  async run(context, { partner }) {
    const affiliate_id = await linkAffiliate(context, context.actor, partner);
    return { partner_id: partner, affiliate_id };
  },
});

export const partnerDelivery = opsAction({
  name: 'partner:delivery',
  summary: 'Set how the domains a partner sells are delivered to buyers',
  input: Type.Object({
    partner: PartnerField,
    method: Type.Enum([...DELIVERY_METHODS], {
      description:
        'account: the buyer claims it into an account with us. partner_registrar: the partner fetches it with a code.',
    }),
  }),
  async run(context, { partner, method }) {
    await setDeliveryMethod(context, context.actor, { partnerId: partner, method });
    return { partner_id: partner, delivery: method };
  },
});

export const partnerResume = partnerAction(
  'partner:resume',
  'Resume a suspended partner',
  resumePartner,
);

/** Defines an action that changes the status of one partner and returns it. */
function partnerAction(
  name: string,
  summary: string,
  change: typeof suspendPartner,
): ActionOf<typeof ByPartner> {
  return opsAction({
    name,
    summary,
    input: ByPartner,
    redis: 'publishes',
    async run(context, { partner }) {
      const { id, status } = await change(context, context.actor, partner);
      return { partner_id: id, status };
    },
  });
}

export const partnerSetTaxProfile = opsAction({
  name: 'partner:set-tax-profile',
  summary: "Set the company and VAT details on a partner's documents",
  input: Type.Object({
    partner: PartnerField,
    legal_name: Type.String({ minLength: 1, maxLength: 200, description: 'Legal name.' }),
    address: Type.Optional(
      Type.String({ maxLength: 500, description: 'Address, lines separated by |.' }),
    ),
    country: CountryField,
    tax_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 50, description: 'Tax number, such as a VAT ID.' }),
    ),
    vat_bps: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        description: 'VAT rate in basis points. No VAT if omitted.',
      }),
    ),
  }),
  async run(context, input) {
    await setTaxProfile(context, context.actor, input.partner, {
      legalName: input.legal_name,
      address: input.address ?? '',
      country: input.country,
      taxId: input.tax_id ?? null,
      vatBps: input.vat_bps ?? null,
    });
    return { partner_id: input.partner };
  },
});

export const partnerSetPayoutAccount = opsAction({
  name: 'partner:set-payout-account',
  summary: 'Set the bank account for a partner’s payouts',
  input: Type.Object({
    partner: PartnerField,
    holder: Type.String({ maxLength: 70, description: 'Account holder, in Latin letters.' }),
    iban: Type.String({ maxLength: 50, description: 'IBAN.' }),
    bic: Type.Optional(
      Type.String({ maxLength: 11, description: 'BIC, if the bank requires it.' }),
    ),
  }),
  async run(context, { partner, holder, iban, bic = null }) {
    const account = { holder, iban, bic };
    const set = await setPayoutAccount(context, context.actor, partner, account);
    return { partner_id: partner, holder: set.holder, iban_end: set.ibanEnd, bic: set.bic };
  },
});

export const partnerSetConnectedAccount = opsAction({
  name: 'partner:set-connected-account',
  summary: 'Set the connected Stripe account for a partner’s payouts',
  input: Type.Object({
    partner: PartnerField,
    account: Type.String({ minLength: 1, maxLength: 100, description: 'acct_...' }),
  }),
  async run(context, { partner, account }) {
    await setConnectedAccount(context, context.actor, partner, account);
    return { partner_id: partner, account };
  },
});

export const partnerApproveAccount = opsAction({
  name: 'partner:approve-account',
  summary:
    'Approve a partner’s changed bank account for payouts, as a different person than the one who set it',
  input: Type.Object({
    partner: PartnerField,
    kind: Type.Enum([...DESTINATION_KINDS], {
      description: 'Its bank account, or its account at the payment provider.',
    }),
    revision: Type.Integer({
      minimum: 1,
      description:
        'The revision that you reviewed. A refused payout names the one that needs approval.',
    }),
  }),
  async run(context, { partner, kind, revision }) {
    const which = { partnerId: partner, kind, revision };
    const approved = await context.db.transact((uow) =>
      approveDestination(uow, context.config, context.actor, which),
    );
    return { partner_id: partner, kind, revision, approved_by: approved.approvedBy };
  },
});

const partnerList = opsAction({
  name: 'partner:list',
  summary: 'List the partner accounts, oldest first',
  columns: ['partner_id', 'name', 'status'],
  input: Type.Object({}),
  async run(context) {
    const partners = await listPartners(context);
    return {
      partners: partners.map((partner) => ({
        partner_id: partner.id,
        name: partner.name,
        status: partner.status,
        commission_bps: partner.commissionBps,
        period: partner.settlementPeriod,
        affiliate_id: partner.affiliateId,
        live_approved_at: partner.liveApprovedAt,
        created_at: partner.createdAt,
      })),
    };
  },
});

const sandboxClockShow = opsAction({
  name: 'sandbox-clock:show',
  summary: "Show a partner's sandbox clock and what is due next",
  input: ByPartner,
  async run(context, { partner }) {
    const { id } = await readPartner(context, partner);
    const [clock, due] = await Promise.all([readClock(context, id), readDueInstants(context, id)]);
    return {
      partner_id: id,
      now: clock.now,
      ahead_seconds: Math.floor(clock.aheadMs / SECOND),
      moved_at: clock.movedAt,
      advancing_to: clock.advancing ? clock.target : null,
      next: {
        transfer_step: due.transferStep,
        offer_expiry: due.offerExpiry,
        settlement: due.periodClose,
        payout: due.payout,
      },
    };
  },
});

const KeyId = Type.String({ description: 'Public key ID (pk_...).' });
const ScopesField = Type.Array(Type.Enum([...SCOPES]), {
  minItems: 1,
  description: `What it may do: any of ${SCOPES.join(', ')}.`,
});
const NameField = Type.Optional(
  Type.String({ maxLength: MAX_KEY_NAME, description: 'What the key is for.' }),
);
const allowedIpsField = (absent: string) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 50 }), {
      maxItems: 20,
      description: `Addresses and networks (CIDR) that may use it. ${absent}`,
    }),
  );

function termsOf({ environment, scopes, name, allowedIps, expiresAt }: KeyTerms) {
  return { environment, scopes, name, allowed_ips: allowedIps, expires_at: expiresAt };
}

export const credentialCreate = opsAction({
  name: 'credential:create',
  summary: 'Issue a key pair; its secret is shown only once',
  input: Type.Object({
    partner: PartnerField,
    environment: EnvironmentField,
    scopes: ScopesField,
    name: NameField,
    allowed_ips: allowedIpsField('Defaults to any.'),
    expires_in_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_KEY_DAYS,
        description: 'Days until it expires. Defaults to never.',
      }),
    ),
  }),
  async run(context, { partner, allowed_ips, expires_in_days, ...given }) {
    const issued = await createCredential(context, context.actor, {
      ...given,
      partnerId: partner,
      allowedIps: allowed_ips,
      expiresInDays: expires_in_days,
    });
    return { key_id: issued.keyId, secret: issued.secret, ...termsOf(issued) };
  },
});

export const credentialChange = opsAction({
  name: 'credential:change',
  summary: 'Change the name, scopes or networks of a key pair',
  input: Type.Object({
    key_id: KeyId,
    name: NameField,
    scopes: Type.Optional(ScopesField),
    allowed_ips: allowedIpsField('Unchanged if omitted. An empty list allows every address.'),
  }),
  redis: 'publishes',
  async run(context, { key_id, allowed_ips, ...given }) {
    const changes = { ...given, keyId: key_id, allowedIps: allowed_ips };
    const changed = await changeCredential(context, context.actor, changes);
    return { key_id: changed.keyId, ...termsOf(changed) };
  },
});

export const credentialRotate = opsAction({
  name: 'credential:rotate',
  summary: 'Replace a key pair; the old pair keeps working during the overlap',
  input: Type.Object({
    key_id: KeyId,
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 24 * 90,
        description: `Hours for which the old pair keeps working. Defaults to ${DEFAULT_OVERLAP_HOURS}.`,
      }),
    ),
  }),
  redis: 'publishes',
  async run(context, { key_id, overlap_hours }) {
    const input = { keyId: key_id, overlapHours: overlap_hours };
    const rotation = await rotateCredential(context, context.actor, input);
    return {
      key_id: rotation.keyId,
      secret: rotation.secret,
      ...termsOf(rotation),
      previous: { key_id: rotation.previous.keyId, expires_at: rotation.previous.expiresAt },
    };
  },
});

export const credentialRevoke = opsAction({
  name: 'credential:revoke',
  summary: 'Revoke a key pair at once',
  input: Type.Object({ key_id: KeyId }),
  redis: 'publishes',
  async run(context, { key_id }) {
    const revoked = await revokeCredential(context, context.actor, key_id);
    return { key_id: revoked.keyId, status: revoked.status, revoked_at: revoked.revokedAt };
  },
});

const credentialList = opsAction({
  name: 'credential:list',
  summary: 'List the key pairs of a partner, without their secrets',
  columns: ['key_id', 'environment', 'status'],
  input: ByPartner,
  async run(context, { partner }) {
    const { id } = await readPartner(context, partner);
    const credentials = await readCredentials(context, id);
    return {
      credentials: credentials.map((credential) => ({
        key_id: credential.keyId,
        ...termsOf(credential),
        status: credential.status,
        created_at: credential.createdAt,
        last_used_at: credential.lastUsedAt,
        revoked_at: credential.revokedAt,
        replaced_by: credential.replacedBy,
      })),
    };
  },
});

export const partnerRoutes = [
  route('GET', '/partners', 200, partnerList, EVERYONE, HARMLESS),
  route('POST', '/partners', 201, partnerCreate, OPERATIONS, DANGEROUS),
  route('POST', '/partners/:partner/suspend', 200, partnerSuspend, OPERATIONS, HARMLESS),
  route(
    'POST',
    '/partners/:partner/connected-account',
    200,
    partnerSetConnectedAccount,
    FINANCE,
    DANGEROUS,
  ),
  route('POST', '/partners/:partner/tax-profile', 200, partnerSetTaxProfile, FINANCE, DANGEROUS),
  route(
    'POST',
    '/partners/:partner/payout-account',
    200,
    partnerSetPayoutAccount,
    FINANCE,
    DANGEROUS,
  ),
  route(
    'POST',
    '/partners/:partner/approve-account',
    200,
    partnerApproveAccount,
    FINANCE,
    DANGEROUS,
  ),
  route('POST', '/partners/:partner/approve', 200, partnerApprove, OPERATIONS, DANGEROUS),
  route('POST', '/partners/:partner/affiliate', 200, partnerAffiliate, OPERATIONS, DANGEROUS),
  route('POST', '/partners/:partner/delivery', 200, partnerDelivery, OPERATIONS, DANGEROUS),
  route('POST', '/partners/:partner/resume', 200, partnerResume, OPERATIONS, DANGEROUS),
  route('GET', '/partners/:partner/sandbox-clock', 200, sandboxClockShow, EVERYONE, HARMLESS),
  route('GET', '/partners/:partner/credentials', 200, credentialList, EVERYONE, HARMLESS),
  route('POST', '/partners/:partner/credentials', 201, credentialCreate, OPERATIONS, DANGEROUS),
  route('POST', '/credentials/:key_id/change', 200, credentialChange, OPERATIONS, DANGEROUS),
  route('POST', '/credentials/:key_id/rotate', 201, credentialRotate, OPERATIONS, DANGEROUS),
  route('POST', '/credentials/:key_id/revoke', 200, credentialRevoke, OPERATIONS, HARMLESS),
];
