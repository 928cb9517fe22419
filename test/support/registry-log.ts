/** What a document is about: a domain, a contact or a host. */
function objectOf(document: string): string {
  return /<(?:domain:name|contact:id|host:name)[^>]*>([^<]*)</.exec(document)?.[1] ?? '';
}

/** The clTRIDs of changes that a registry heard again without having been asked about their object since. */
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
