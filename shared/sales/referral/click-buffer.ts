import type { Config, Environment } from '../../platform/config/config.ts';
import { defineScript, hashTagPrefix, type Redis } from '../../platform/redis/redis.ts';
import { type CodeTarget, type LinkTarget, packTarget, unpackTarget } from './referral-link.ts';

/** The buffered counts of one link on one UTC day. */
export interface DayCounts {
  linkId: string;
  day: string;
  clicks: number;
  uniqueClicks: number;
  checkouts: number;
}

/** Counts that were taken from the buffer together. */
export interface ClickBatch {
  id: string;
  counts: readonly DayCounts[];
}

/**
 * The referral data in Redis: the target of every code, and the counts that are not rolled up yet. A HyperLogLog
 * counts the unique visitors of a link and day: it takes 12 kB at most, however many user agents somebody makes
 * up, and is off by less than one percent.
 */
export interface ClickBuffer {
  /**
   * Returns the target of a code, and counts the click if `visitor` is given, in one round trip. Returns null if
   * Redis does not know the code. @throws whatever Redis threw
   */
  visit(code: string, day: string, visitor: string | null): Promise<LinkTarget | null>;
  /**
   * Counts a checkout that a click led to, once per session. Returns false if it was already counted, or the code
   * is unknown or belongs to the other environment.
   */
  countCheckout(
    code: string,
    day: string,
    session: { id: string; environment: Environment },
  ): Promise<boolean>;
  putTargets(targets: readonly CodeTarget[]): Promise<void>;
  /** Returns whether all targets were stored since Redis was last wiped. */
  isFilled(): Promise<boolean>;
  markFilled(): Promise<void>;
  /** Returns the batch in progress, or a new one, `newId`, with all buffered counts; null if there are none. */
  takeBatch(newId: string): Promise<ClickBatch | null>;
  /** Deletes a batch. A later batch with another id stays. */
  dropBatch(id: string): Promise<void>;
}

const VISIT = `
local target = redis.call('HGET', KEYS[1], ARGV[1])
if not target or ARGV[3] == '' then return target end
local field = string.match(target, '^%S+') .. ' ' .. ARGV[2]
redis.call('HINCRBY', KEYS[2], field .. ' clicks', 1)
local before = redis.call('PFCOUNT', KEYS[3])
if redis.call('PFADD', KEYS[3], ARGV[3]) == 1 then
  if before == 0 then redis.call('EXPIRE', KEYS[3], 172800) end
  local more = redis.call('PFCOUNT', KEYS[3]) - before
  if more ~= 0 then redis.call('HINCRBY', KEYS[2], field .. ' unique', more) end
end
return target`;

const CHECKOUT = `
local target = redis.call('HGET', KEYS[1], ARGV[1])
if not target or string.match(target, '^%S+ (%S+)') ~= ARGV[3] then return 0 end
if not redis.call('SET', KEYS[3], '1', 'NX', 'EX', 172800) then return 0 end
redis.call('HINCRBY', KEYS[2], string.match(target, '^%S+') .. ' ' .. ARGV[2] .. ' checkouts', 1)
return 1`;

const TAKE = `
if redis.call('EXISTS', KEYS[2]) == 0 then
  if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
  redis.call('RENAME', KEYS[1], KEYS[2])
  redis.call('HSET', KEYS[2], 'id', ARGV[1])
end
return redis.call('HGETALL', KEYS[2])`;

const DROP = `
if redis.call('HGET', KEYS[1], 'id') == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

export function createClickBuffer(redis: Redis, config: Pick<Config, 'redisPrefix'>): ClickBuffer {
  const prefix = `${hashTagPrefix(config.redisPrefix, 'referral')}:referral`;
  const targets = `${prefix}:targets`;
  const filled = `${prefix}:filled`;
  const counts = `${prefix}:counts`;
  const batch = `${prefix}:batch`;
  const visit = defineScript(redis, 'referralVisit', VISIT);
  const checkout = defineScript(redis, 'referralCheckout', CHECKOUT);
  const take = defineScript(redis, 'referralTake', TAKE);
  const drop = defineScript(redis, 'referralDrop', DROP);
  return {
    async visit(code, day, visitor) {
      const visitors = `${prefix}:visitors:${day}:${code}`;
      const target = await visit([targets, counts, visitors], [code, day, visitor ?? '']);
      return typeof target === 'string' ? unpackTarget(target) : null;
    },
    async countCheckout(code, day, { id, environment }) {
      const seen = `${prefix}:checkout:${id}`;
      return (await checkout([targets, counts, seen], [code, day, environment])) === 1;
    },
    async putTargets(list) {
      if (list.length === 0) return;
      await redis.hset(targets, new Map(list.map((each) => [each.code, packTarget(each)])));
    },
    isFilled: async () => (await redis.exists(filled)) === 1,
    async markFilled() {
      await redis.set(filled, '1');
    },
    async takeBatch(newId) {
      const fields = (await take([counts, batch], [newId])) as string[];
      return fields.length === 0 ? null : readBatch(fields);
    },
    async dropBatch(id) {
      await drop([batch], [id]);
    },
  };
}

const COUNTERS = { clicks: 'clicks', unique: 'uniqueClicks', checkouts: 'checkouts' } as const;

function readBatch(fields: readonly string[]): ClickBatch {
  const days = new Map<string, DayCounts>();
  let id = '';
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', value = ''] = fields.slice(at, at + 2);
    if (name === 'id') {
      id = value;
      continue;
    }
    const [linkId = '', day = '', counter = ''] = name.split(' ');
    const key = `${linkId} ${day}`;
    const counts = days.get(key) ?? { linkId, day, clicks: 0, uniqueClicks: 0, checkouts: 0 };
    counts[COUNTERS[counter as keyof typeof COUNTERS]] = Number(value);
    days.set(key, counts);
  }
  return { id, counts: [...days.values()] };
}
