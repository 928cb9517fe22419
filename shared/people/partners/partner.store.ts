import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  json,
  nullable,
  outerJoined,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import { CREDENTIAL_COLUMNS, type StoredCredential } from './credential.store.ts';
import type { DeliveryMethod, PartnerStatus, SettlementPeriod } from './partner.ts';

const COLUMNS = `id, name, status, commission_bps as "commissionBps",
  settlement_period as "settlementPeriod", affiliate_id as "affiliateId", created_at as "createdAt",
  live_approved_at as "liveApprovedAt", demo`;
const PARTNER = {
  id: text,
  name: text,
  status: textOf<PartnerStatus>(),
  commissionBps: integer,
  settlementPeriod: textOf<SettlementPeriod>(),
  affiliateId: nullable(text),
  createdAt: timestamptz,
  liveApprovedAt: nullable(timestamptz),
  demo: boolean,
};

/** Inserts a partner. */
export const insertPartner = defineStatement({
  params: PARTNER,
  text: `insert into partners (id, name, status, commission_bps, settlement_period, affiliate_id,
      created_at, live_approved_at, demo)
    values (:id, :name, :status, :commissionBps, :settlementPeriod, :affiliateId, :createdAt,
      :liveApprovedAt, :demo)`,
});

/** Locks a partner until the transaction ends. */
export const selectPartnerForUpdate = defineStatement({
  params: { id: text },
  row: PARTNER,
  text: `select ${COLUMNS} from partners where id = :id for update`,
});

/** Suspends or resumes a partner. */
export const updateStatus = defineStatement({
  params: { id: text, status: textOf<PartnerStatus>() },
  text: 'update partners set status = :status where id = :id',
});

/** Allows LIVE keys for a partner. */
export const updateLiveApproved = defineStatement({
  params: { id: text, now: timestamptz },
  text: 'update partners set live_approved_at = :now where id = :id',
});

/** Links a partner to an affiliate account. */
export const updateAffiliate = defineStatement({
  params: { id: text, affiliateId: text },
  text: 'update partners set affiliate_id = :affiliateId where id = :id',
});

/** Selects the default for how a partner's sold domains reach their buyers. */
export const selectDeliveryMethod = defineStatement({
  params: { id: text },
  row: { method: textOf<DeliveryMethod>() },
  text: 'select delivery_method as "method" from partners where id = :id',
});

/** Sets the default for how a partner's sold domains reach their buyers. Returns no row for an unknown partner. */
export const updateDeliveryMethod = defineStatement({
  params: { id: text, method: textOf<DeliveryMethod>() },
  row: { before: text },
  text: `with before as (select id, delivery_method from partners where id = :id for update)
    update partners p set delivery_method = :method from before b where p.id = b.id
    returning b.delivery_method as before`,
});

/** Sets whether a partner's members need a second factor on its site. */
export const updateSecondFactorRequired = defineStatement({
  params: { id: text, required: boolean },
  text: 'update partners set second_factor_required = :required where id = :id',
});

/** Selects the status of a partner. */
export const selectStatus = defineStatement({
  params: { id: text },
  row: { status: textOf<PartnerStatus>() },
  text: 'select status from partners where id = :id',
});

/** Like {@link selectStatus}, and keeps the status from changing until the transaction ends. */
export const selectStatusForShare = defineStatement({
  params: { id: text },
  row: { status: textOf<PartnerStatus>() },
  text: 'select status from partners where id = :id for share',
});

/** Selects every partner, oldest first. */
export const selectPartners = defineStatement({
  row: PARTNER,
  text: `select ${COLUMNS} from partners order by created_at, id`,
});

const PARTNER_WITH_KEY_COUNTS = { ...PARTNER, sandboxKeys: bigint, liveKeys: bigint };
/** A partner and its numbers of currently valid key pairs. */
export type PartnerWithKeyCounts = RowOf<typeof PARTNER_WITH_KEY_COUNTS>;

/** Selects a page of partners with their numbers of valid key pairs. */
export const selectPartnersWithKeyCounts = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: { status: nullable(textOf<PartnerStatus>()), ...ID_PAGE, now: timestamptz },
    row: PARTNER_WITH_KEY_COUNTS,
    text: `select ${COLUMNS}, coalesce(k.sandbox, 0) as "sandboxKeys", coalesce(k.live, 0) as "liveKeys"
    from partners p
    left join lateral (
      select count(*) filter (where c.environment = 'SANDBOX') as sandbox,
        count(*) filter (where c.environment = 'LIVE') as live
      from credentials c where c.partner_id = p.id and c.status = 'active'
        and (c.expires_at is null or c.expires_at > :now)) k on true
    where (:status::text is null or p.status = :status) and ${idPageSql('p.id', sort)}`,
  }),
);

/** Selects one partner. */
export const selectPartner = defineStatement({
  params: { id: text },
  row: PARTNER,
  text: `select ${COLUMNS} from partners where id = :id`,
});

/** A row as JSON, with times as strings. */
type AsJson<T> = { [K in keyof T]: Date extends T[K] ? string | Exclude<T[K], Date> : T[K] };

/** Selects one partner with its credentials, oldest first, without their secrets; null if it has none. */
export const selectPartnerWithCredentials = defineStatement({
  params: { id: text },
  row: { ...PARTNER, credentials: nullable(json<AsJson<StoredCredential>[]>()) },
  text: `select ${COLUMNS}, (
      select json_agg(c) from (
        select ${CREDENTIAL_COLUMNS} from credentials where partner_id = :id
        order by created_at, key_id) c) as credentials
    from partners where id = :id`,
});

/** Selects a partner's share of a sale in basis points. */
export const selectCommission = defineStatement({
  params: { id: text },
  row: { commissionBps: integer },
  text: 'select commission_bps as "commissionBps" from partners where id = :id',
});

/** Selects the names of these partners, in no particular order. */
export const selectPartnerNames = defineStatement({
  params: { ids: arrayOf(text) },
  row: { id: text, name: text },
  text: 'select id, name from partners where id = any(:ids)',
});

const TAX_PROFILE = {
  partnerId: text,
  legalName: text,
  address: text,
  country: text,
  taxId: nullable(text),
  vatBps: nullable(integer),
};

/** Sets the tax profile of a partner. */
export const upsertTaxProfile = defineStatement({
  params: { ...TAX_PROFILE, now: timestamptz },
  text: `insert into partner_tax_profiles (partner_id, legal_name, address, country, tax_id, vat_bps, updated_at)
    values (:partnerId, :legalName, :address, :country, :taxId, :vatBps, :now)
    on conflict (partner_id) do update set legal_name = excluded.legal_name, address = excluded.address,
      country = excluded.country, tax_id = excluded.tax_id, vat_bps = excluded.vat_bps,
      updated_at = excluded.updated_at`,
});

/** Selects a partner's name, and its tax profile if it has one. */
export const selectTaxProfile = defineStatement({
  params: { id: text },
  row: {
    name: text,
    ...outerJoined({
      legalName: text,
      address: text,
      country: text,
      taxId: text,
      vatBps: integer,
    }),
  },
  text: `select p.name, t.legal_name as "legalName", t.address, t.country, t.tax_id as "taxId",
      t.vat_bps as "vatBps"
    from partners p left join partner_tax_profiles t on t.partner_id = p.id where p.id = :id`,
});
