import { Type } from 'typebox';
import { createPartner } from '../../../shared/partners/create-partner.ts';
import { listPartners } from '../../../shared/partners/list-partners.ts';
import { DEFAULT_COMMISSION_BPS, SETTLEMENT_PERIODS } from '../../../shared/partners/partner.ts';
import { resumePartner, suspendPartner } from '../../../shared/partners/set-partner-status.ts';
import { opsAction } from '../action.ts';

const ByPartner = Type.Object({ partner: Type.String({ description: 'Partner id (ptr_...).' }) });

export const partnerCreate = opsAction({
  name: 'partner:create',
  summary: 'Open a partner account',
  input: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the company.' }),
    commission_bps: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        description: `Its share of a sale in basis points; ${DEFAULT_COMMISSION_BPS} when left out.`,
      }),
    ),
    period: Type.Optional(
      Type.Enum([...SETTLEMENT_PERIODS], {
        description: 'How often its statements close; monthly when left out.',
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

export const partnerSuspend = opsAction({
  name: 'partner:suspend',
  summary: 'Shut a partner out until it is resumed',
  input: ByPartner,
  redis: 'announces',
  async run(context, { partner }) {
    const { id, status } = await suspendPartner(context, context.actor, partner);
    return { partner_id: id, status };
  },
});

export const partnerResume = opsAction({
  name: 'partner:resume',
  summary: 'Let a suspended partner in again',
  input: ByPartner,
  redis: 'announces',
  async run(context, { partner }) {
    const { id, status } = await resumePartner(context, context.actor, partner);
    return { partner_id: id, status };
  },
});

export const partnerList = opsAction({
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
        created_at: partner.createdAt,
      })),
    };
  },
});
