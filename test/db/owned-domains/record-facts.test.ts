import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { recordFacts } from '../../../shared/domains/owned-domains/manage-owned-domains.ts';
import type { DomainFacts } from '../../../shared/domains/registrar/registrar.ts';
import { givenOwnerOf, ownedNow } from '../../support/bulk.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

it('keeps the latest registrar state, in whatever order responses arrive', async () => {
  const owner = await givenOwnerOf(runtime, 2);
  const [first, second] = await runtime.registrars('LIVE').inspect(owner.domains);
  const at = (facts: DomainFacts | undefined, version: number): DomainFacts => ({
    ...(facts as DomainFacts),
    version,
    nameservers: [`ns${version}.example.net`, 'ns.example.net'],
  });
  const told = (...facts: DomainFacts[]) => runtime.db.transact((uow) => recordFacts(uow, facts));
  await told(at(first, 3), at(second, 2));
  await told(at(first, 2), at(second, 3));
  const names = (await ownedNow(runtime, owner)).map(({ nameservers }) => nameservers[0]);
  expect(names).toEqual(['ns3.example.net', 'ns3.example.net']);
});
