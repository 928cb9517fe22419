/** How often a partner's statements close. */
export const SETTLEMENT_PERIODS = ['monthly', 'semi_monthly', 'weekly'] as const;

export type SettlementPeriod = (typeof SETTLEMENT_PERIODS)[number];

export type PartnerStatus = 'active' | 'suspended';

/**
 * How a domain reaches its buyer: `account`, into an account with us that the buyer opens or has; `partner_registrar`,
 * by an authorization code to the registrar at which the partner registers.
 */
export const DELIVERY_METHODS = ['account', 'partner_registrar'] as const;

export type DeliveryMethod = (typeof DELIVERY_METHODS)[number];

/** A company that sells from the inventory. */
export interface Partner {
  id: string;
  name: string;
  status: PartnerStatus;
  /** Its share of a sale in basis points. */
  commissionBps: number;
  settlementPeriod: SettlementPeriod;
  /** Set when it is linked to an affiliate account. */
  affiliateId: string | null;
  createdAt: Date;
  /** Since when it may have LIVE keys; null until staff approves it. */
  liveApprovedAt: Date | null;
  /** Made by seeding; production refuses it. */
  demo: boolean;
}

export const DEFAULT_COMMISSION_BPS = 1_500;
