/** Returns the subject of a document: a domain, a contact or a host. */
function objectOf(document: string): string {
  return /<(?:domain:name|contact:id|host:name)[^>]*>([^<]*)</.exec(document)?.[1] ?? '';
}

/** Returns the clTRIDs of changes that were sent to a registry again without a query of their object in between. */
export function sentAgainUnasked(heard: readonly string[]): string[] {
  const sent = new Map<string, Set<string>>();
  const unasked: string[] = [];
  for (const document of heard) {
    const clTRID = /<clTRID>([^<]*)</.exec(document)?.[1] ?? '';
    const object = objectOf(document);
    const since = sent.get(object) ?? new Set();
    sent.set(object, since);
    if (/<info>|op="query"/.test(document)) since.clear();
    else if (object !== '' && since.has(clTRID)) unasked.push(clTRID);
    else since.add(clTRID);
  }
  return unasked;
}
