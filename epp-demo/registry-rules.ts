import { CONTACT_EXTENSIONS, EXTENSIONS } from '../shared/domains/epp/epp-namespaces.ts';
import type { ResultCode } from '../shared/domains/epp/epp-result-codes.ts';
import { textsOf, type XmlElement, xml } from '../shared/domains/epp/epp-xml.ts';
import type { Clock } from '../shared/platform/clock.ts';
import type {
  DomainRecord,
  MessageRecord,
  RegistryState,
  TransferRecord,
} from './registry-objects.ts';

/** What the registry answers to a command. */
export interface Result {
  code: ResultCode;
  data?: XmlElement | undefined;
  extensions?: readonly (XmlElement | undefined)[] | undefined;
  /** Messages left, and the one that is shown. */
  messages?: { count: number; id: string; shown: MessageRecord | null } | undefined;
}

/** A command that is not carried out. */
export class Refusal extends Error {
  readonly code: ResultCode;

  constructor(code: ResultCode, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** How this registry decides. */
export interface RegistryPolicy {
  /** Milliseconds after which a transfer that nobody answers is approved; five days at most registries. */
  transferMs: number;
  /** Milliseconds after creation or transfer in which a domain may not be transferred. */
  transferLockMs: number;
  /** Milliseconds after creation in which a deletion is final at once. */
  addGraceMs: number;
  /** Whether it charges for premium names also who has not acknowledged the fee. */
  chargesUnasked?: boolean;
  /** Whether every name that is asked about is registered already, see {@link registerMadeUp}. */
  madeUpDomains?: boolean;
  /** Whether a restore needs no report: the domain is back at once. */
  restoresAtOnce?: boolean;
  /** Whether contacts are those of RFC 5733 alone. */
  plainContacts?: boolean;
}

/** The extensions that it offers. */
export function extensionsOffered({ plainContacts }: RegistryPolicy): readonly string[] {
  return plainContacts ? EXTENSIONS : [...EXTENSIONS, ...CONTACT_EXTENSIONS];
}

/** Says which objects are free. @param isTaken told the name or id as the client wrote it */
export function checkObjects(
  command: XmlElement,
  { namespace, tag }: { namespace: string; tag: string },
  isTaken: (name: string) => boolean,
): Result {
  const data = textsOf(command, tag).map((name) => {
    const taken = isTaken(name);
    return xml(namespace, 'cd', [
      xml(namespace, tag, name, { avail: taken ? '0' : '1' }),
      taken ? xml(namespace, 'reason', 'In use') : undefined,
    ]);
  });
  return { code: 1000, data: xml(namespace, 'chkData', data) };
}

/** What the commands of one account work on. */
export interface RegistryContext {
  state: RegistryState;
  policy: RegistryPolicy;
  clock: Clock;
  account: string;
  /** Namespaces that it announced at its login. */
  services: readonly string[];
}

/** What commands of an account and the registry itself work on. */
type Rules = Pick<RegistryContext, 'state' | 'policy' | 'clock'>;

/** The longest that a domain may be registered for, in years. */
const MAX_YEARS = 10;

/** The next number of the registry. */
export function nextNumber(state: RegistryState): number {
  state.sequence += 1;
  return state.sequence;
}

/** `at` moved by years, as the registry counts them. @throws Refusal when that is too far from now */
export function renewed(at: string, years: number, now: Date): string {
  if (!Number.isInteger(years) || years < 1 || years > MAX_YEARS) {
    throw new Refusal(2004, `a term is 1 to ${MAX_YEARS} years`);
  }
  const moved = new Date(at);
  moved.setUTCFullYear(moved.getUTCFullYear() + years);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_YEARS);
  if (moved > latest) throw new Refusal(2306, `a domain runs for ${MAX_YEARS} years at most`);
  return moved.toISOString();
}

/** Puts a message into an account's queue. */
export function notify(
  { state, clock }: Pick<RegistryContext, 'state' | 'clock'>,
  account: string,
  message: Partial<MessageRecord> & { text: string },
): void {
  state.queues[account] ??= [];
  state.queues[account].push({
    id: String(nextNumber(state)),
    queuedAt: clock.now().toISOString(),
    transfer: null,
    ...message,
  });
}

/** Approves every transfer whose time is up, as a registry does by itself. */
export function settleTransfers(context: Rules): boolean {
  const now = context.clock.now().toISOString();
  let changed = false;
  for (const [name, domain] of Object.entries(context.state.domains)) {
    if (domain.transfer?.status !== 'pending' || domain.transfer.actionAt > now) continue;
    completeTransfer(context, name, domain, 'serverApproved');
    changed = true;
  }
  return changed;
}

/** Ends a pending transfer; an approved one hands the domain over. Tells both accounts. */
export function completeTransfer(
  context: Rules,
  name: string,
  domain: DomainRecord,
  status: Exclude<TransferRecord['status'], 'pending'>,
): void {
  const { clock } = context;
  const { transfer } = domain;
  if (!transfer) return;
  const now = clock.now();
  transfer.status = status;
  transfer.actionAt = now.toISOString();
  if (status === 'clientApproved' || status === 'serverApproved') {
    domain.clID = transfer.reID;
    domain.transferredAt = now.toISOString();
    // RFC 9154, section 5.4.
    domain.authInfo = null;
    domain.expiresAt = longest(domain.expiresAt, transfer.years, now);
  }
  for (const account of [transfer.reID, transfer.acID]) {
    notify(context, account, {
      text: `Transfer ${status}.`,
      transfer: { name, at: { ...transfer } },
    });
  }
}

function longest(expiresAt: string, years: number, now: Date): string {
  try {
    return renewed(expiresAt, years, now);
  } catch {
    return expiresAt;
  }
}
