import { defineStatement } from '../../platform/database/sql-statement.ts';
import { integer, nullable, text, textOf, timestamptz } from '../../platform/database/sql-types.ts';
import type { Payment } from './payment.ts';

const KEPT_CARD = {
  provider: textOf<Payment['provider']>(),
  token: text,
  customer: nullable(text),
  brand: text,
  last4: text,
  expMonth: integer,
  expYear: integer,
};

/** Stores a user's card, replacing the previous one. */
export const upsertKeptCard = defineStatement({
  params: { userId: text, ...KEPT_CARD, now: timestamptz },
  text: `insert into kept_cards (user_id, provider, token, customer, brand, last4, exp_month, exp_year, kept_at)
    values (:userId, :provider, :token, :customer, :brand, :last4, :expMonth, :expYear, :now)
    on conflict (user_id) do update set provider = excluded.provider, token = excluded.token,
      customer = excluded.customer, brand = excluded.brand, last4 = excluded.last4,
      exp_month = excluded.exp_month, exp_year = excluded.exp_year, kept_at = excluded.kept_at`,
});

/** Selects a user's stored card. */
export const selectKeptCard = defineStatement({
  params: { userId: text },
  row: KEPT_CARD,
  text: `select provider, token, customer, brand, last4, exp_month as "expMonth", exp_year as "expYear"
    from kept_cards where user_id = :userId`,
});

/** Updates the data of a card. */
export const updateKeptCard = defineStatement({
  params: {
    provider: KEPT_CARD.provider,
    token: text,
    brand: text,
    last4: text,
    expMonth: integer,
    expYear: integer,
  },
  text: `update kept_cards set brand = :brand, last4 = :last4, exp_month = :expMonth, exp_year = :expYear
    where provider = :provider and token = :token`,
});

/** Deletes a card that is gone at its provider; returns its user. */
export const deleteCardOf = defineStatement({
  params: { provider: KEPT_CARD.provider, token: text },
  row: { userId: text },
  text: 'delete from kept_cards where provider = :provider and token = :token returning user_id as "userId"',
});

/** Deletes a user's card and returns it. */
export const deleteKeptCard = defineStatement({
  params: { userId: text },
  row: KEPT_CARD,
  text: `delete from kept_cards where user_id = :userId
    returning provider, token, customer, brand, last4, exp_month as "expMonth", exp_year as "expYear"`,
});
