import { addMs, type Clock } from '../../platform/clock.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { EppRefused } from '../epp/epp-errors.ts';
import type { CommandName } from '../epp/epp-send.ts';
import {
  type CommandOutcome,
  claimCommand,
  claimPushCommand,
  selectAllowed,
  selectCommands,
  updateCommandAnswered,
  updateCommandReleased,
} from './epp-registrar.store.ts';
import { selectOnLegalHold } from './held-domain.store.ts';
import { RegistrarBusy } from './registrar.ts';

/** The books of what is sent to a registry: each change by its clTRID, noted before it is sent. */
export interface RegistryCommands {
  /**
   * Sends a change under its clTRID. One that a process noted before, and of which nobody knows what became, is
   * named again, so that the client asks the registry before it sends it. Whether it is wanted is asked when it is noted,
   * and again directly before it leaves, as it may wait for a session in between.
   * @throws OnLegalHold, CommandNotWanted when its push has ended or its transfer was stopped, and what `send` throws:
   *   ChangeNotSent when it did not send it
   */
  send<T>(
    change: Change,
    send: (name: CommandName, detail: string | null) => Promise<T>,
  ): Promise<T>;
  /** What the last attempt at this change had to know; null when there was none, or nothing to know. */
  lastDetail(change: Pick<Change, 'clientReference' | 'step'>): Promise<string | null>;
  /** Whether this very change was carried out. */
  isDone(change: Pick<Change, 'clientReference' | 'step'>): Promise<boolean>;
  /** Whether this change was noted to be sent, and nobody knows yet what became of it. */
  isUnanswered(change: Pick<Change, 'clientReference' | 'step'>): Promise<boolean>;
}

/** A change to be sent. */
export interface Change {
  /** The reference of the push, or of the change of a domain. */
  clientReference: string;
  step: string;
  domain: string;
  /** What a repetition has to know of the first attempt; kept from that. */
  detail?: string;
  /** Whether it is sent only while its push is open. */
  ofOpenPush: boolean;
  /** Whether it is sent although the domain is on legal hold. */
  duringLegalHold?: boolean;
  /** When the caller saw that it is to be made: another process may have made it since. */
  seenAt?: Date;
  signal: AbortSignal;
}

/** A change was not sent; why, in words for the owner of the domain. */
export class ChangeNotSent extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ChangeNotSent';
  }
}

/** The push of a command has ended, its transfer was stopped, or another process has made the change meanwhile. */
export class CommandNotWanted extends Error {
  constructor(clTRID: string) {
    super(`${clTRID} is not wanted any more`);
    this.name = 'CommandNotWanted';
  }
}

/** A domain is on legal hold: nothing is sent that would move or change it. */
export class OnLegalHold extends Error {
  constructor(domain: string) {
    super(`${domain} is on legal hold`);
    this.name = 'OnLegalHold';
  }
}

function isNotBefore(one: Date | null, other: Date | undefined): boolean {
  return one !== null && other !== undefined && one >= other;
}

/** Opens the books. @param scope.busyMs how long a process may take to send a command */
export function createRegistryCommands({
  sql,
  clock,
  busyMs,
}: {
  sql: Sql;
  clock: Clock;
  busyMs: number;
}): RegistryCommands {
  return {
    async send(change, send) {
      const { clientReference, step, domain, detail = null, ofOpenPush, signal } = change;
      const { duringLegalHold = false, seenAt } = change;
      const known = await selectCommands.all(sql, { clientReference });
      // A command that was answered is over; the same change again is another command.
      const over = known.filter((each) => each.step === step && each.outcome !== null).length;
      const clTRID = `${clientReference}-${step}-${over + 1}`;
      const isMade = known.some(
        (each) =>
          each.step === step && each.outcome === 'done' && isNotBefore(each.answeredAt, seenAt),
      );
      if (isMade) throw new CommandNotWanted(clTRID);
      const claim = ofOpenPush ? claimPushCommand : claimCommand;
      const now = clock.now();
      const busyUntil = addMs(now, busyMs);
      const command = { clTRID, clientReference, step, domain, detail };
      const noted = { ...command, duringLegalHold, now, busyUntil };
      const claimed = await claim.first(sql, noted);
      const refuseHeld = async () => {
        const { found: isHeld } = await selectOnLegalHold.one(sql, { domain });
        if (isHeld && !duringLegalHold) throw new OnLegalHold(domain);
      };
      const permit = async () => {
        const { allowed } = await selectAllowed.one(sql, { step, domain, duringLegalHold });
        if (allowed) return;
        await refuseHeld();
        throw new CommandNotWanted(clTRID);
      };
      if (!claimed) {
        await refuseHeld();
        const latest = await selectCommands.all(sql, { clientReference });
        const open = latest.find((each) => each.clTRID === clTRID && each.outcome === null);
        if (open) throw new RegistrarBusy(clTRID, open.busyUntil ?? now);
        throw new CommandNotWanted(clTRID);
      }
      const answered = (outcome: CommandOutcome, code: number | null) =>
        updateCommandAnswered.run(sql, { clTRID, outcome, code, now: clock.now() });
      try {
        const { since, resumed } = claimed;
        const result = await send({ clTRID, since, resumed, signal, permit }, claimed.detail);
        await answered('done', null);
        return result;
      } catch (error) {
        // A refusal for now did nothing, so the same command is sent again later.
        if (error instanceof EppRefused && !error.isTemporary) {
          await answered('refused', error.code);
        } else if (error instanceof ChangeNotSent) {
          await answered('not_made', null);
        } else {
          await updateCommandReleased.run(sql, { clTRID });
        }
        throw error;
      }
    },
    async lastDetail({ clientReference, step }) {
      const known = await selectCommands.all(sql, { clientReference });
      return known.findLast((each) => each.step === step)?.detail ?? null;
    },
    async isDone({ clientReference, step }) {
      const known = await selectCommands.all(sql, { clientReference });
      return known.some((each) => each.step === step && each.outcome === 'done');
    },
    async isUnanswered({ clientReference, step }) {
      const known = await selectCommands.all(sql, { clientReference });
      return known.some((each) => each.step === step && each.outcome === null);
    },
  };
}
