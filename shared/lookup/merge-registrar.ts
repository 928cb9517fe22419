import type { RegistryRecord } from './lookup.ts';

/**
 * The registry's record with what its registrar tells beyond it. Where both speak, the registry is right; the
 * registrar is believed only while it runs the name, that is when both name the same registrar or one is silent.
 */
export function mergeRegistrar(registry: RegistryRecord, told: RegistryRecord): RegistryRecord {
  const ours = registry.registrar?.ianaId ?? null;
  const theirs = told.registrar?.ianaId ?? null;
  if (ours !== null && theirs !== null && ours !== theirs) return registry;
  const filled = <T>(first: readonly T[], second: readonly T[]) =>
    first.length > 0 ? first : second;
  return {
    ...registry,
    registrar: registry.registrar
      ? {
          name: registry.registrar.name ?? told.registrar?.name ?? null,
          ianaId: ours ?? theirs,
        }
      : told.registrar,
    registrant: registry.registrant ?? told.registrant,
    dates: {
      created: registry.dates.created ?? told.dates.created,
      updated: registry.dates.updated ?? told.dates.updated,
      expires: registry.dates.expires ?? told.dates.expires,
    },
    nameservers: filled(registry.nameservers, told.nameservers),
    status: filled(registry.status, told.status),
    dnssec: registry.dnssec ?? told.dnssec,
  };
}
