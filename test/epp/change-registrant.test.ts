import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { XmlElement } from '../../shared/domains/epp/epp-xml.ts';
import type { Registrant } from '../../shared/domains/registrants/registrant.ts';
import type { Registrar } from '../../shared/domains/registrar/registrar.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import { liveRegistrar, registered, registrySettings } from '../support/live-registry.ts';
import { KEPT_REGISTRANT } from '../support/registrants.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

let registry: DemoRegistry;
let runtime: TestRuntime;
let registrar: Registrar;

beforeEach(async () => {
  registry = await startDemoRegistry();
  runtime = await createTestRuntime({ ...registrySettings(registry), eppAnswerMs: 2_000 });
  registrar = liveRegistrar(runtime);
});
afterEach(async () => {
  await runtime.stop();
  await registry.close();
});

const contactOf = (domain: string) => {
  const { registrant } = registry.state.domains[domain] ?? {};
  return registrant ? registry.state.contacts[registrant] : undefined;
};
let references = 0;
/** A domain that a sale has registered for somebody; its name. */
async function sold(domain?: string): Promise<string> {
  const name = registered(registry, 'gaining', domain);
  references += 1;
  const clientReference = `trf_${references}-1`;
  expect(await registrar.push({ clientReference, domain: name })).toMatchObject({
    status: 'completed',
  });
  return name;
}
const change = (domain: string, registrant: Registrant, clientReference = 'rgc_1') =>
  registrar.change({ clientReference, domain, change: { kind: 'registrant', registrant } });
const changes = () =>
  registry.changes.flatMap(({ clTRID, command }) => (clTRID?.startsWith('rgc_1') ? command : []));

const GERMAN: Registrant = {
  ...KEPT_REGISTRANT,
  name: 'Jörg Müßig',
  organization: 'Größe & Söhne GmbH',
  street: ['Königstraße 5'],
  city: 'Köln',
};
const JAPANESE: Registrant = {
  ...KEPT_REGISTRANT,
  name: '山田 花子',
  street: ['千代田1-1'],
  city: '東京',
  state: '東京都',
  postalCode: '100-0001',
  country: 'JP',
  phone: '+81312345678',
};
const ARABIC: Registrant = {
  ...KEPT_REGISTRANT,
  name: 'ليلى حداد',
  street: ['شارع الملك فهد 10'],
  city: 'الرياض',
  postalCode: '11564',
  country: 'SA',
  phone: '+966112345678',
};

describe('a change of the registrant', () => {
  it.each([
    ['German', GERMAN],
    ['Japanese', JAPANESE],
    ['Arabic', ARABIC],
  ])('in %s is at the registry as it was written and in ASCII', async (_script, registrant) => {
    const domain = await sold();
    const former = registry.state.domains[domain]?.registrant ?? '';
    expect(await change(domain, registrant)).toMatchObject({ status: 'done', facts: { domain } });
    const { name, street, city } = registrant;
    const [int, loc] = contactOf(domain)?.postalInfo ?? [];
    expect(loc).toMatchObject({ type: 'loc', name, street, city });
    expect(int?.type).toBe('int');
    expect([int?.name, int?.city, ...(int?.street ?? [])].join('')).toMatch(/^[ -~]+$/);
    expect(registry.state.contacts[former]).toBeUndefined();
    expect(changes()).toEqual(['create', 'update', 'delete']);
    expect(await change(domain, registrant)).toMatchObject({ status: 'done' });
    expect(changes()).toEqual(['create', 'update', 'delete']);
  });

  it('keeps the registrant hidden who was', async () => {
    const domain = await sold();
    const privacy = { kind: 'privacy', enabled: true } as const;
    await registrar.change({ clientReference: 'blk_1-0', domain, change: privacy });
    await change(domain, GERMAN);
    expect(contactOf(domain)?.disclosure?.shown).toBe(false);
  });

  it('leaves a contact alone that is not ours alone', async () => {
    const domain = registered(registry, 'gaining');
    registry.state.contacts.SHARED = {
      roid: 'C-SHARED',
      postalInfo: [],
      voice: null,
      fax: null,
      email: 'shared@example.com',
      disclosure: null,
      authInfo: 'pw',
      extension: null,
      clID: 'gaining',
      crID: 'gaining',
      createdAt: registry.clock.now().toISOString(),
    };
    Object.assign(registry.state.domains[domain] ?? {}, { registrant: 'SHARED' });
    await change(domain, GERMAN);
    expect(contactOf(domain)?.email).toBe(GERMAN.email);
    expect(registry.state.contacts.SHARED?.email).toBe('shared@example.com');
  });

  it.each(['cut_before', 'cut_after'] as const)(
    'is made once where connections are %s',
    async (kind) => {
      const domain = await sold();
      for (const command of ['create', 'update', 'delete']) {
        registry.server.faults.order(command, { kind });
      }
      for (let attempt = 0; attempt < 4; attempt += 1) {
        await change(domain, JAPANESE).catch(() => {});
      }
      expect(await change(domain, JAPANESE)).toMatchObject({ status: 'done' });
      expect(contactOf(domain)?.postalInfo.at(-1)?.name).toBe(JAPANESE.name);
      expect(changes().filter((each) => each === 'create')).toHaveLength(1);
    },
  );
});

describe('what a TLD asks of a registrant', () => {
  const written = ({ name, text, attributes, children }: XmlElement): string => {
    const given = Object.entries(attributes).map(([key, value]) => ` ${key}=${value}`);
    return `${name}${given.join('')}(${text}${children.map(written).join(' ')})`;
  };
  it.each([
    [
      'us',
      { nexus_purpose: 'P1', nexus_category: 'C31', nexus_country: 'DE' },
      null,
      'extension(unspec(AppPurpose=P1 NexusCategory=C31/DE))',
    ],
    [
      'us',
      { nexus_purpose: 'P3', nexus_category: 'C11' },
      null,
      'extension(unspec(AppPurpose=P3 NexusCategory=C11))',
    ],
    [
      'eu',
      { citizenship: 'FR' },
      null,
      'create(type(registrant) lang(en) naturalPerson(true) countryOfCitizenship(FR))',
    ],
    ['eu', {}, 'Example GmbH', 'create(type(registrant) lang(en) naturalPerson(false))'],
    [
      'fr',
      { siren: '732 829 320' },
      'Exemple SARL',
      'ext(create(contact(legalEntityInfos(legalStatus s=company() siren(732829320)))))',
    ],
    [
      'it',
      { entity_type: '1', registration_code: 'RSSMRA64C14G702Q' },
      null,
      'create(consentForPublishing(false) registrant(nationalityCode(DE) entityType(1) regCode(RSSMRA64C14G702Q)))',
    ],
  ])('of .%s goes to the registry with the contact', async (tld, extra, organization, frame) => {
    const domain = await sold(`extras-${references}.${tld}`);
    await change(domain, { ...KEPT_REGISTRANT, organization, extra });
    const { extension } = contactOf(domain) ?? {};
    expect(extension && written(extension)).toBe(frame);
  });

  it('is nothing elsewhere', async () => {
    const domain = await sold('plain.com');
    await change(domain, GERMAN);
    expect(contactOf(domain)?.extension).toBeNull();
  });
});
