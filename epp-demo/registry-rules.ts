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

/** The registry's result of a command. */
export interface Result {
  code: ResultCode;
  data?: XmlElement | undefined;
  extensions?: readonly (XmlElement | undefined)[] | undefined;
  /** The number of messages in the queue, and the one that is shown. */
  messages?: { count: number; id: string; shown: MessageRecord | null } | undefined;
}

/** A command was refused. */
export class Refusal extends Error {
  readonly code: ResultCode;

  constructor(code: ResultCode, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** The policy of this registry. */
export interface RegistryPolicy {
  /** Milliseconds after which an unanswered transfer is approved; five days at most registries. */
  transferMs: number;
  /** Milliseconds after creation or transfer during which a domain cannot be transferred. */
  transferLockMs: number;
  /** Milliseconds after creation during which a deletion is immediately final. */
  addGraceMs: number;
  /** Whether it charges for premium names even without an acknowledged fee. */
  chargesUnasked?: boolean;
  /** Whether every requested name is treated as registered, see {@link registerMadeUp}. */
  madeUpDomains?: boolean;
  /** Whether a restore needs no report: the domain is restored at once. */
  restoresAtOnce?: boolean;
  /** Whether contacts have no extensions to RFC 5733. */
  plainContacts?: boolean;
}

/** Returns the extensions that it offers. */
export function extensionsOffered({ plainContacts }: RegistryPolicy): readonly string[] {
  return plainContacts ? EXTENSIONS : [...EXTENSIONS, ...CONTACT_EXTENSIONS];
}

/** Checks which objects are available. @param isTaken gets the name or ID as the client wrote it */
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

/** The context of one account's commands. */
export interface RegistryContext {
  state: RegistryState;
  policy: RegistryPolicy;
  clock: Clock;
  account: string;
  /** The namespaces that the client announced at login. */
  services: readonly string[];
}

/** The context shared by an account's commands and the registry itself. */
type Rules = Pick<RegistryContext, 'state' | 'policy' | 'clock'>;

/** The maximum registration period in years. */
const MAX_YEARS = 10;

/** Returns the next number of the registry. */
export function nextNumber(state: RegistryState): number {
  state.sequence += 1;
  return state.sequence;
}

/** Adds years to `at`. @throws Refusal if the result is too far from now */
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

/** Adds a message to an account's queue. */
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

/** Approves every overdue transfer, as registries do on their own. Returns whether any was. */
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

/** Ends a pending transfer and notifies both accounts; an approved one hands the domain over. */
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
    // A transfer voids the code (RFC 9154, section 5.4).
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
