import { EPP, EXTENSIONS, OBJECTS } from '../shared/domains/epp/epp-namespaces.ts';
import { RESULT_CODES } from '../shared/domains/epp/epp-result-codes.ts';
import { type XmlElement, xml } from '../shared/domains/epp/epp-xml.ts';
import type { Result } from './registry-rules.ts';

/** The answer to a command, with the client's name for it and ours. @param reason why it was not carried out */
export function responseDocument(
  { code, data, extension, messages }: Result,
  {
    reason,
    clTRID,
    svTRID,
  }: { reason?: string | undefined; clTRID: string | null; svTRID: string },
): XmlElement {
  const why =
    reason === undefined
      ? undefined
      : xml(EPP, 'extValue', [xml(EPP, 'value', [xml(EPP, 'undef')]), xml(EPP, 'reason', reason)]);
  return xml(EPP, 'epp', [
    xml(EPP, 'response', [
      xml(EPP, 'result', [xml(EPP, 'msg', RESULT_CODES[code].text), why], {
        code: String(code),
      }),
      messages && messageQueue(messages),
      data && xml(EPP, 'resData', [data]),
      extension && xml(EPP, 'extension', [extension]),
      xml(EPP, 'trID', [
        clTRID === null ? undefined : xml(EPP, 'clTRID', clTRID),
        xml(EPP, 'svTRID', svTRID),
      ]),
    ]),
  ]);
}

function messageQueue({ count, id, shown }: NonNullable<Result['messages']>): XmlElement {
  const message = shown ? [xml(EPP, 'qDate', shown.queuedAt), xml(EPP, 'msg', shown.text)] : [];
  return xml(EPP, 'msgQ', message, { count: String(count), id });
}

/** What the registry offers, said when a connection opens and at each `<hello>`. */
export function greeting(now: Date): XmlElement {
  const menu = xml(EPP, 'svcMenu', [
    xml(EPP, 'version', '1.0'),
    xml(EPP, 'lang', 'en'),
    ...OBJECTS.map((uri) => xml(EPP, 'objURI', uri)),
    xml(
      EPP,
      'svcExtension',
      EXTENSIONS.map((uri) => xml(EPP, 'extURI', uri)),
    ),
  ]);
  const policy = xml(EPP, 'dcp', [
    xml(EPP, 'access', [xml(EPP, 'all')]),
    xml(EPP, 'statement', [
      xml(EPP, 'purpose', [xml(EPP, 'prov')]),
      xml(EPP, 'recipient', [xml(EPP, 'ours')]),
      xml(EPP, 'retention', [xml(EPP, 'none')]),
    ]),
  ]);
  return xml(EPP, 'epp', [
    xml(EPP, 'greeting', [
      xml(EPP, 'svID', 'Demo registry'),
      xml(EPP, 'svDate', now.toISOString()),
      menu,
      policy,
    ]),
  ]);
}
