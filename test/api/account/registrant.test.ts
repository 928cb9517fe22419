import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { registrantLockedUntil } from '../../../shared/domains/domain-registrants/change-registrant.ts';
import {
  findRegistrant,
  openRegistrant,
} from '../../../shared/domains/domain-registrants/registered-for.ts';
import { liftLegalHold, placeLegalHold } from '../../../shared/domains/legal-holds/legal-holds.ts';
import { addListing } from '../../../shared/market/inventory/change-listings.ts';
import { findListing } from '../../../shared/market/inventory/find-listing.ts';
import {
  confirmScreeningRelease,
  declineScreening,
  proposeScreeningRelease,
} from '../../../shared/operations/screening/decide-screening.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { createSharedAbort } from '../../../shared/platform/concurrency/deadline.ts';
import { checkRegistrationsTask } from '../../../workers/scheduled/registry-work.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { signedInOwner } from '../../support/account-scene.ts';
import type { TestApp } from '../../support/app.ts';
import { givenOwnerOf, type Owner } from '../../support/bulk.ts';
import { readable } from '../../support/console.ts';
import { type DemoRegistry, startDemoRegistry } from '../../support/demo-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPolicy } from '../../support/given-policy.ts';
import { registered, registrySettings } from '../../support/live-registry.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { csvList, givenListFile } from '../../support/screening.ts';
import { startSignInApp, type Visitor } from '../../support/sign-in.ts';

let registry: DemoRegistry;
let app: TestApp;
let fleet: WorkerProcess;

beforeAll(async () => {
  registry = await startDemoRegistry();
  app = await startSignInApp({
    ...PROMPT,
    ...registrySettings(registry),
    MAIL: 'on',
    RATE_LIMITS: 'off',
  });
  await givenPolicy(app.runtime, 30);
  await givenListFile(
    app.runtime,
    'test-list',
    csvList('test-list', [{ id: '1', name: 'Borisslav Zlatogorov' }]),
  );
  fleet = startWorkers(app.runtime, { queues: ['transfers'] });
});
afterAll(async () => {
  await fleet?.stop();
  await app?.stop();
  await registry?.close();
});

const FORM = {
  name: 'Jörg Müßig',
  organization: '',
  country: 'DE',
  street_0: 'Königstraße 5',
  city: 'Köln',
  postal_code: '50667',
  phone: '+49221123456',
};

interface Scene extends Owner {
  browser: Visitor;
  domain: string;
}

/** A signed-in owner of a domain in our registry account. */
async function givenScene(): Promise<Scene> {
  const domain = registered(registry, 'gaining');
  const owner = await givenOwnerOf(app.runtime, [domain]);
  return { ...owner, domain, browser: await signedInOwner(app, owner) };
}
const openForm = ({ browser, domain }: Scene) =>
  browser.open(`/account/domains/${domain}/registrant`);
const review = async (scene: Scene, form: Record<string, string>) =>
  scene.browser.submit(await openForm(scene), 'Review', { ...FORM, ...form });
const pageOf = async ({ browser, domain }: Scene) =>
  readable((await browser.open(`/account/domains/${domain}`)).text);
const registeredFor = async ({ domain }: Scene) => {
  const found = await findRegistrant(app.runtime.db.knex, { environment: 'LIVE', domain });
  return found && { ...found, is: openRegistrant(app.runtime, found) };
};
const untilItIs = (scene: Scene, name: string) =>
  eventually(
    () => registeredFor(scene),
    (found) => found?.is.name === name,
  );
const contactAt = ({ domain }: Scene) =>
  registry.state.contacts[registry.state.domains[domain]?.registrant ?? ''];
const mailsTo = (recipient: string): Promise<string[]> =>
  app.runtime.db.knex('mails').where({ recipient }).orderBy('id').pluck('kind');
/** Gives the domain a registrant with the owner's own address. */
async function givenRegistrant(scene: Scene): Promise<void> {
  const page = await review(scene, { email: scene.email });
  await scene.browser.submit(page, 'Change the registrant', {});
  await untilItIs(scene, FORM.name);
}

describe('the registrant of a domain that staff assigned', () => {
  it('is unknown until the owner enters one, which is then sent to the registry', async () => {
    const scene = await givenScene();
    expect(await pageOf(scene)).toContain('We don’t know who this domain is registered for.');
    const page = await review(scene, { email: scene.email });
    expect(readable(page.text)).toContain('locked against transfers and sales for 30 days');
    const after = await scene.browser.submit(page, 'Change the registrant', {});
    expect(after.url.pathname).toBe(`/account/domains/${scene.domain}`);
    await untilItIs(scene, FORM.name);
    expect(contactAt(scene)?.postalInfo).toMatchObject([
      { type: 'int', name: 'Jorg Mussig' },
      { type: 'loc', name: FORM.name, city: 'Köln' },
    ]);
    const shown = await pageOf(scene);
    expect(shown).toContain('Königstraße 5');
    expect(shown).toContain('Verified');
    expect(shown).toContain('Locked against transfers until');
  });
});

describe('a change of registrant', () => {
  it('explains invalid fields and keeps the input', async () => {
    const scene = await givenScene();
    const page = await review(scene, { email: 'nobody', phone: '12' });
    expect(page.status).toBe(422);
    expect(page.text).toContain('Please correct these fields');
    expect(page.text).toContain('value="Königstraße 5"');
  });

  it('notifies both registrants, locks the domain, and starts verification of a new email address', async () => {
    const scene = await givenScene();
    await givenRegistrant(scene);
    await addListing(app.runtime, {
      environment: 'LIVE',
      domain: scene.domain,
      priceCents: 100_000,
    });
    const email = `new-${scene.domain.slice(0, 8)}@example.com`;
    const page = await review(scene, { name: '山田 花子', email });
    await scene.browser.submit(page, 'Change the registrant', {});
    const found = await untilItIs(scene, '山田 花子');
    expect(found).toMatchObject({ verification: 'pending', round: 2 });
    expect((await mailsTo(email)).sort()).toEqual(['registrant-changed', 'verify-registrant']);
    expect(await mailsTo(scene.email)).toContain('registrant-changed');
    const now = app.runtime.clock.now();
    const until = await registrantLockedUntil(app.runtime, scene.domain, now);
    expect(until).toEqual(addMs(found?.changedAt ?? now, 30 * DAY));
    const listing = await findListing(app.runtime, { environment: 'LIVE', domain: scene.domain });
    expect(listing?.registration.lockedUntil).toEqual(until);
    await app.runtime.db
      .knex('listings')
      .where({ domain: scene.domain })
      .update({ registration_checked_at: null });
    await checkRegistrationsTask.run({ runtime: app.runtime, signal: createSharedAbort().signal });
    const checked = await findListing(app.runtime, { environment: 'LIVE', domain: scene.domain });
    expect(checked?.registration.lockedUntil).toEqual(until);
    expect(await registrantLockedUntil(app.runtime, scene.domain, addMs(now, 31 * DAY))).toBeNull();
    expect(await pageOf(scene)).toContain('To verify by');
    await givenPolicy(app.runtime, 0);
    expect(await registrantLockedUntil(app.runtime, scene.domain, now)).toBeNull();
    await givenPolicy(app.runtime, 30);
  });

  it('is a correction if only the address changes: no lock, no email', async () => {
    const scene = await givenScene();
    await givenRegistrant(scene);
    await app.runtime.db
      .knex('domain_registrants')
      .where({ domain: scene.domain })
      .update({ changed_at: null });
    const before = await mailsTo(scene.email);
    const page = await review(scene, { email: scene.email, street_0: 'Lindenallee 12' });
    expect(readable(page.text)).toContain('This is a correction');
    await scene.browser.submit(page, 'Save the correction', {});
    await eventually(
      () => registeredFor(scene),
      (found) => found?.is.street[0] === 'Lindenallee 12',
    );
    expect(contactAt(scene)?.postalInfo.at(-1)?.street).toEqual(['Lindenallee 12']);
    expect(await registeredFor(scene)).toMatchObject({ verification: 'verified', changedAt: null });
    expect(await mailsTo(scene.email)).toEqual(before);
  });

  it('is rejected while the domain is on legal hold', async () => {
    const scene = await givenScene();
    const page = await review(scene, { email: scene.email });
    const hold = await placeLegalHold(app.runtime, 'cli:first', {
      domain: scene.domain,
      kind: 'udrp',
      caseReference: 'D2026-0003',
    });
    const refused = await scene.browser.submit(page, 'Change the registrant', {});
    expect([refused.status, readable(refused.text)]).toEqual([
      409,
      expect.stringContaining('on legal hold'),
    ]);
    expect(await pageOf(scene)).not.toContain('Change the registrant');
    await liftLegalHold(app.runtime, 'cli:second', hold.id);
  });

  it('is rejected if nothing changes, and only the owner can make it', async () => {
    const scene = await givenScene();
    await givenRegistrant(scene);
    const same = await review(scene, { email: scene.email });
    expect((await scene.browser.submit(same, 'Save the correction', {})).status).toBe(409);
    const other = await givenScene();
    const theirs = await other.browser.open(`/account/domains/${scene.domain}/registrant`);
    expect(theirs.status).toBe(404);
  });

  it('is reported to the owner if the registry rejects it', async () => {
    const scene = await givenScene();
    registry.state.domains[scene.domain]?.statuses.push('serverUpdateProhibited');
    const page = await review(scene, { email: scene.email });
    await scene.browser.submit(page, 'Change the registrant', {});
    await eventually(
      () => pageOf(scene),
      (text) => text.includes('The registrant was not changed. The registry refused it'),
    );
    expect(await registeredFor(scene)).toBeUndefined();
  });
});

describe('a registrant who matches a sanctions list', () => {
  const hitOf = async ({ domain }: Scene): Promise<string> => {
    const [hit] = await app.runtime.db
      .knex('screening_hits as h')
      .join('registrant_changes as c', 'c.id', 'h.registrant_change_id')
      .where({ domain })
      .select('h.id');
    return hit.id;
  };
  const held = async () => {
    const scene = await givenScene();
    const page = await review(scene, { name: 'Borisslav Zlatogorov', email: scene.email });
    await scene.browser.submit(page, 'Change the registrant', {});
    expect(await pageOf(scene)).toContain('We are reviewing your change of the registrant.');
    return scene;
  };

  it('is registered once two people have released the match', async () => {
    const scene = await held();
    const hitId = await hitOf(scene);
    await proposeScreeningRelease(app.runtime, 'cli:first', { hitId, reason: 'Another one.' });
    expect(contactAt(scene)).toBeUndefined();
    await confirmScreeningRelease(app.runtime, 'cli:second', hitId);
    await untilItIs(scene, 'Borisslav Zlatogorov');
  });

  it('is not registered when the match is declined', async () => {
    const scene = await held();
    const hitId = await hitOf(scene);
    await declineScreening(app.runtime, 'cli:first', { hitId, reason: 'The same.' });
    expect(await pageOf(scene)).toContain('We can’t register the domain for them.');
    expect(contactAt(scene)).toBeUndefined();
    const [change] = await app.runtime.db
      .knex('registrant_changes')
      .where({ domain: scene.domain });
    expect(change.sealed).toBeNull();
  });
});
