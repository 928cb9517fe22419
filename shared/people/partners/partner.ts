/** How often a partner's statements close. */
export const SETTLEMENT_PERIODS = ['monthly', 'semi_monthly', 'weekly'] as const;

export type SettlementPeriod = (typeof SETTLEMENT_PERIODS)[number];

export type PartnerStatus = 'active' | 'suspended';

/**
 * How a domain reaches its buyer. `account`: into the buyer's account with us, new or existing. `partner_registrar`:
 * to the partner's registrar, with an authorization code.
 */
export const DELIVERY_METHODS = ['account', 'partner_registrar'] as const;

export type DeliveryMethod = (typeof DELIVERY_METHODS)[number];

/** A company that sells from the inventory. */
export interface Partner {
  id: string;
  name: string;
  status: PartnerStatus;
  /** The partner's share of a sale in basis points. */
  commissionBps: number;
  settlementPeriod: SettlementPeriod;
  /** Set if the partner is linked to an affiliate account. */
  affiliateId: string | null;
  createdAt: Date;
  /** When the partner was approved for LIVE keys; null until staff approve it. */
  liveApprovedAt: Date | null;
  /** Created by seeding. Production rejects demo partners. */
  demo: boolean;
}

export const DEFAULT_COMMISSION_BPS = 1_500;
