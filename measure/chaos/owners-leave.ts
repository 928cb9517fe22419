import { setTimeout as sleep } from 'node:timers/promises';
import { grantDomains } from '../../shared/domains/domain-grants/grant-domains.ts';
import type { EppClient } from '../../shared/domains/epp/epp-client.ts';
import { EppRefused } from '../../shared/domains/epp/epp-errors.ts';
import { stopTransferOut } from '../../shared/domains/transfers-out/follow-transfer-out.ts';
import { issueOwnCode } from '../../shared/domains/transfers-out/issue-own-code.ts';
import type { TransferOutStatus } from '../../shared/domains/transfers-out/transfer-out.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { givenAccount } from '../../test/support/accounts.ts';
import type { Account, DemoRegistry } from '../../test/support/demo-registry.ts';
import { AUTH_CODE, registered } from '../../test/support/live-registry.ts';
import type { TestRuntime } from '../../test/support/runtime.ts';
import type { Trial } from './trial.ts';

export interface Scene {
  trial: Trial;
  runtime: TestRuntime;
  registry: DemoRegistry;
  /** Clients for each account, separate from those of the workers. */
  clients: Readonly<Record<Account, EppClient>>;
  /** Retries until the attempt returns true without meeting a fault. */
  patiently(attempt: () => Promise<boolean>): Promise<void>;
}

/** What happens to the authorization code of an owner's domain, and how the transfer out may end. */
const PLAYS = {
  used: ['left'],
  /** A second code is used, after the first one was tried in vain. */
  replaced: ['left'],
  /** The owner clicks "This wasn’t me" before another registrar requests the domain. */
  stopped: ['stopped'],
  /** The same, but after the request. */
  stopped_late: ['left', 'stopped'],
  /** Nobody requests the domain before the code expires. */
  ended: ['expired'],
} as const satisfies Record<string, readonly TransferOutStatus[]>;
type Play = keyof typeof PLAYS;

/** A domain whose owner got an authorization code. */
export interface Leaving {
  domain: string;
  userId: string;
  play: Play;
}

/** Gives a new owner a domain, and plays out one of the cases with its code. */
export function ownerLeaves(scene: Scene): Promise<Leaving> {
  const { trial, registry } = scene;
  const play = trial.random.pick(Object.keys(PLAYS) as Play[]);
  return carryOut(scene, { domain: registered(registry, 'gaining'), play }, trial.whole(0, 400));
}

async function carryOut(
  scene: Scene,
  { domain, play }: Pick<Leaving, 'domain' | 'play'>,
  hesitationMs: number,
): Promise<Leaving> {
  const { trial, runtime, registry, clients, patiently } = scene;
  const { knex } = runtime.db;
  const { id: userId, email } = await givenAccount(runtime, 'owner');
  await patiently(async () => {
    await grantDomains(runtime, 'test', { email, domains: [domain] });
    return true;
  });
  let asked = 0;
  /** Requests the domain until the registry says yes or no. */
  const ask = async (account: Account, authInfo: string): Promise<'taken' | 'refused'> => {
    asked += 1;
    const { signal } = createSharedAbort();
    const name = { clTRID: `${account}-${domain}-${asked}`, since: new Date(), signal };
    let resumed = false;
    let answer: 'taken' | 'refused' = 'taken';
    await patiently(async () => {
      try {
        await clients[account].requestTransfer({ domain, authInfo }, { ...name, resumed });
      } catch (error) {
        resumed = true;
        if (!(error instanceof EppRefused) || error.isTemporary) throw error;
        answer = 'refused';
      }
      return true;
    });
    return answer;
  };
  const mustFail = async (account: Account, code: string, which: string) => {
    const answer = await ask(account, code);
    trial.expect(answer === 'refused', `${domain} (${play}): ${which} code was taken`);
  };
  const newCode = async () => {
    let code = '';
    await patiently(async () => {
      code = (await issueOwnCode(runtime, { userId, domain })).authCode;
      return true;
    });
    return code;
  };
  const stop = () => runtime.db.transact((uow) => stopTransferOut(uow, userId, { domain }));

  let code = await newCode();
  await mustFail('losing', AUTH_CODE, 'a foreign');
  if (play === 'replaced') {
    const first = code;
    code = await newCode();
    await mustFail('losing', first, 'a replaced');
  }
  if (play === 'stopped') await stop();
  if (play === 'ended') {
    await knex('transfers_out').where({ domain }).update({ expires_at: new Date() });
  } else {
    // The registry may still accept a stopped code, until it has been told.
    await ask('losing', code);
  }
  if (play === 'stopped_late') {
    await sleep(hesitationMs);
    await stop().catch(() => {});
  }
  await patiently(async () => {
    const underWay = await knex('transfers_out').where({ domain, ended_at: null });
    return underWay.length === 0;
  });
  const hasLeft = registry.state.domains[domain]?.clID === 'losing';
  await mustFail(hasLeft ? 'gaining' : 'losing', code, 'a used, stopped or ended');
  return { domain, userId, play };
}

/** Expects our records of a domain to match the registry, and the domain to have its one owner, or none if it left. */
export async function compareLeaving(
  { trial, runtime, registry }: Pick<Scene, 'trial' | 'runtime' | 'registry'>,
  leaving: readonly Leaving[],
): Promise<void> {
  const { knex } = runtime.db;
  const approvals = registry.changes.filter(({ command }) => command === 'transfer approve');
  for (const { domain, userId, play } of leaving) {
    const outs = await knex('transfers_out').where({ domain }).select('id', 'status');
    const said = outs.map(({ status }) => status).join();
    const ends: readonly string[] = PLAYS[play];
    trial.expect(ends.includes(said), `${domain} (${play}) is said to be ${said}`);
    const hasLeft = said === 'left';
    const { clID, authInfo, statuses = [], transfer } = registry.state.domains[domain] ?? {};
    const where = `${domain} (${play}, ${said}): ${clID}, ${transfer?.status}, ${statuses.join()}`;
    trial.expect(clID === (hasLeft ? 'losing' : 'gaining'), where);
    trial.expect(authInfo === null, `${domain} (${play}) has still a code`);
    const isLocked = statuses.includes('clientTransferProhibited');
    trial.expect(isLocked === (said === 'stopped'), where);
    const ours = approvals.filter(({ clTRID }) => clTRID?.startsWith(outs[0]?.id)).length;
    trial.expect(ours === (hasLeft ? 1 : 0), `${domain} (${play}): ${ours} approvals`);
    const owners: string[] = await knex('owned_domains').where({ domain }).pluck('user_id');
    trial.expect(
      owners.join() === (hasLeft ? '' : userId),
      `${domain} (${play}, ${said}) is owned by ${owners.join(' and ') || 'nobody'}`,
    );
  }
  const ends = leaving.map(({ play }) => play).sort();
  const counts = [...new Set(ends)].map(
    (play) => `${play} ${ends.filter((e) => e === play).length}`,
  );
  trial.note(`codes of owners: ${counts.join(', ')}`);
}
