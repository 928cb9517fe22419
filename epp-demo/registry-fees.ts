import { FEE } from '../shared/domains/epp/epp-namespaces.ts';
import {
  childrenOf,
  findChild,
  textOf,
  textsOf,
  type XmlElement,
  xml,
} from '../shared/domains/epp/epp-xml.ts';
import { decimalAmount, Money, parseDecimalAmount } from '../shared/platform/money.ts';
import type { RegistryState } from './registry-objects.ts';
import { Refusal, type RegistryContext } from './registry-rules.ts';

/** The commands that have a fee (RFC 8748). */
export type FeeCommand = 'create' | 'renew' | 'transfer' | 'restore';

const CURRENCY = 'USD';
/** In cents per year; a restore adds its own price. */
const STANDARD = 1_000;
const RESTORE = 4_000;
/** The label prefix of premium names, which cost this much unless they have their own price. */
const PREMIUM_LABEL = 'premium-';
const PREMIUM = 50_000;

/** Returns the yearly price of a premium name in cents; undefined for a name at standard prices. */
function premiumPriceOf({ premiums }: RegistryState, name: string): number | undefined {
  if (Object.hasOwn(premiums, name)) return premiums[name];
  return name.startsWith(PREMIUM_LABEL) ? PREMIUM : undefined;
}

function feeOf(state: RegistryState, name: string, command: FeeCommand, years: number): Money {
  const yearly = premiumPriceOf(state, name) ?? STANDARD;
  return new Money(command === 'restore' ? yearly + RESTORE : yearly * years, CURRENCY);
}

/** Returns the fees that a check requests; undefined if it requests none. */
export function checkedFees(
  { state }: RegistryContext,
  names: readonly string[],
  extension: XmlElement | undefined,
): XmlElement | undefined {
  const check = findChild(extension, FEE, 'check');
  if (!check) return undefined;
  const inOurs = (textOf(check, 'currency') ?? CURRENCY) === CURRENCY;
  const feesOf = (raw: string) => {
    const name = raw.toLowerCase();
    const isPremium = premiumPriceOf(state, name) !== undefined;
    return childrenOf(check, 'command').map((asked) => {
      const command = (asked.attributes.name ?? '') as FeeCommand;
      const years = Number(textOf(asked, 'period') ?? '1');
      const attributes = { name: command, ...(!isPremium && { standard: '1' }) };
      const period = command === 'restore' ? undefined : String(years);
      return xml(
        FEE,
        'command',
        [
          period === undefined ? undefined : xml(FEE, 'period', period, { unit: 'y' }),
          xml(FEE, 'fee', decimalAmount(feeOf(state, name, command, years))),
        ],
        attributes,
      );
    });
  };
  return xml(FEE, 'chkData', [
    xml(FEE, 'currency', CURRENCY),
    ...names.map((name) =>
      inOurs
        ? xml(
            FEE,
            'cd',
            [
              xml(FEE, 'objID', name),
              xml(FEE, 'class', classOf(state, name.toLowerCase())),
              ...feesOf(name),
            ],
            { avail: '1' },
          )
        : xml(FEE, 'cd', [xml(FEE, 'objID', name), xml(FEE, 'reason', `${CURRENCY} only`)], {
            avail: '0',
          }),
    ),
  ]);
}

const classOf = (state: RegistryState, name: string) =>
  premiumPriceOf(state, name) === undefined ? 'standard' : 'premium';

/** The fee elements in commands, which acknowledge a fee, and in their responses. */
const ELEMENTS = {
  create: { command: 'create', data: 'creData' },
  renew: { command: 'renew', data: 'renData' },
  transfer: { command: 'transfer', data: 'trnData' },
  restore: { command: 'update', data: 'updData' },
} as const;

/**
 * Charges the account. An acknowledged fee must be correct, and the fee of a premium name must be
 * acknowledged.
 * @returns the fee data for the response, if the client announced the fee extension
 * @throws Refusal
 */
export function charge(
  { state, account, services, policy }: RegistryContext,
  about: { name: string; command: FeeCommand; years?: number },
  extension: XmlElement | undefined,
): XmlElement | undefined {
  const { name, command, years = 1 } = about;
  const due = feeOf(state, name, command, years);
  const element = ELEMENTS[command];
  const given = findChild(extension, FEE, element.command);
  if (!given && premiumPriceOf(state, name) !== undefined && !policy.chargesUnasked) {
    throw new Refusal(2003, 'the fee of a premium name has to be acknowledged');
  }
  if (given) {
    const fees = textsOf(given, 'fee').map(
      (fee) => parseDecimalAmount(fee, CURRENCY) ?? Number.NaN,
    );
    const isRight =
      (textOf(given, 'currency') ?? CURRENCY) === CURRENCY &&
      fees.reduce((sum, fee) => sum + fee, 0) === due.amount;
    if (!isRight) throw new Refusal(2004, `the fee is ${decimalAmount(due)} ${CURRENCY}`);
  }
  state.charges.push({ account, name, command, amount: due.amount, acknowledged: Boolean(given) });
  if (!services.includes(FEE)) return undefined;
  return xml(FEE, element.data, [
    xml(FEE, 'currency', CURRENCY),
    xml(FEE, 'fee', decimalAmount(due)),
  ]);
}
