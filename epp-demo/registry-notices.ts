import { CHANGE_POLL, MAINTENANCE } from '../shared/domains/epp/epp-namespaces.ts';
import { type XmlElement, xml } from '../shared/domains/epp/epp-xml.ts';
import { domainData } from './registry-domains.ts';
import type { DomainRecord } from './registry-objects.ts';
import { nextNumber, notify, type RegistryContext } from './registry-rules.ts';

type Context = Pick<RegistryContext, 'state' | 'clock'>;

/** A change that the registry makes to a domain: by whom, and why (RFC 8590). */
export interface ChangeByRegistry {
  operation: string;
  who: string;
  caseId?: { type: 'udrp' | 'urs'; id: string };
  reason?: string;
}

/** Changes a domain on behalf of the registry, and notifies its account of the state before and after. */
export function changeByRegistry(
  context: Context,
  name: string,
  change: ChangeByRegistry,
  edit: (domain: DomainRecord) => void,
): void {
  const domain = context.state.domains[name];
  if (!domain) throw new Error(`${name} is not registered`);
  const at = context.clock.now().toISOString();
  const svTRID = `DEMO-${nextNumber(context.state)}`;
  const tell = (state: 'before' | 'after') =>
    notify(context, domain.clID, {
      text: 'Registry initiated update of domain.',
      data: domainData(context.state, name, domain, { isHolder: false }),
      extension: changeData(change, { at, svTRID, state }),
    });
  tell('before');
  edit(domain);
  tell('after');
}

function changeData(
  { operation, who, caseId, reason }: ChangeByRegistry,
  { at, svTRID, state }: { at: string; svTRID: string; state: 'before' | 'after' },
): XmlElement {
  return xml(
    CHANGE_POLL,
    'changeData',
    [
      xml(CHANGE_POLL, 'operation', operation),
      xml(CHANGE_POLL, 'date', at),
      xml(CHANGE_POLL, 'svTRID', svTRID),
      xml(CHANGE_POLL, 'who', who),
      caseId && xml(CHANGE_POLL, 'caseId', caseId.id, { type: caseId.type }),
      reason === undefined ? undefined : xml(CHANGE_POLL, 'reason', reason),
    ],
    { state },
  );
}

/** Notifies an account of maintenance (RFC 9167). */
export function announceMaintenance(
  context: Context,
  account: string,
  { id, start, end, systems }: { id: string; start: Date; end: Date; systems: readonly string[] },
): void {
  const now = context.clock.now().toISOString();
  notify(context, account, {
    text: 'Registry maintenance notification.',
    data: xml(MAINTENANCE, 'infData', [
      xml(MAINTENANCE, 'item', [
        xml(MAINTENANCE, 'id', id),
        xml(MAINTENANCE, 'pollType', 'create'),
        xml(
          MAINTENANCE,
          'systems',
          systems.map((name) =>
            xml(MAINTENANCE, 'system', [
              xml(MAINTENANCE, 'name', name),
              xml(MAINTENANCE, 'impact', 'full'),
            ]),
          ),
        ),
        xml(MAINTENANCE, 'environment', [], { type: 'production' }),
        xml(MAINTENANCE, 'start', start.toISOString()),
        xml(MAINTENANCE, 'end', end.toISOString()),
        xml(MAINTENANCE, 'reason', 'planned'),
        xml(MAINTENANCE, 'crDate', now),
      ]),
    ]),
  });
}
