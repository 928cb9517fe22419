import { redisWiped } from './f01-redis-wiped.ts';
import { redisAway } from './f02-redis-away.ts';
import { redisRefuses } from './f03-redis-refuses.ts';
import { workerKilled } from './f04-worker-killed.ts';
import { zombies } from './f05-zombies.ts';
import { postgresAway } from './f06-postgres-away.ts';
import { sameKey } from './f07-same-key.ts';
import { reader } from './f08-reader.ts';
import { hostileReceivers } from './f09-hostile-receivers.ts';
import { secretRotated } from './f10-secret-rotated.ts';
import { settlementDisturbed } from './f11-settlement-disturbed.ts';
import { takenBack } from './f12-taken-back.ts';
import { restarts } from './f13-restarts.ts';
import { soak } from './f14-soak.ts';
import { diskFull } from './f15-disk-full.ts';
import { readOnly } from './f16-read-only.ts';
import { mailDisturbed } from './f17-mail.ts';
import { registryCut } from './f18-registry-cut.ts';
import { redisSentinel } from './f19-redis-sentinel.ts';
import { poolerRestarted } from './f20-pooler-restarted.ts';
import { patroniFailsOver } from './f21-patroni-fails-over.ts';
import { clocksJump } from './f22-clocks-jump.ts';
import type { FaultRun } from './trial.ts';

/** Every fault run, in the order they run. */
export const FAULT_RUNS: readonly FaultRun[] = [
  redisWiped,
  redisAway,
  redisRefuses,
  workerKilled,
  zombies,
  postgresAway,
  sameKey,
  reader,
  hostileReceivers,
  secretRotated,
  settlementDisturbed,
  takenBack,
  restarts,
  soak,
  diskFull,
  readOnly,
  mailDisturbed,
  registryCut,
  redisSentinel,
  poolerRestarted,
  patroniFailsOver,
  clocksJump,
];
