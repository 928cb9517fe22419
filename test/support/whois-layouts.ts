const at = (text: string) => new Date(text);

/** Answers in the layouts of registries, about invented names, and what is to be read from them. */
export const WHOIS_LAYOUTS: [layout: string, domain: string, text: string, expected: object][] = [
  [
    'of a thin registry',
    'shop.com',
    `   Domain Name: SHOP.COM
   Registry Domain ID: 1234_DOMAIN_COM-VRSN
   Registrar WHOIS Server: whois.registrar.example
   Registrar URL: http://www.registrar.example
   Updated Date: 2026-01-02T03:04:05Z
   Creation Date: 1998-07-08T04:00:00Z
   Registry Expiry Date: 2027-07-07T04:00:00Z
   Registrar: Sample Registrar, Inc.
   Registrar IANA ID: 9998
   Domain Status: clientTransferProhibited https://icann.org/epp#clientTransferProhibited
   Domain Status: ok https://icann.org/epp#ok
   Name Server: NS1.HOST.EXAMPLE
   Name Server: NS2.HOST.EXAMPLE
   DNSSEC: unsigned
>>> Last update of whois database: 2026-11-20T10:00:00Z <<<

NOTICE: The expiration date displayed in this record is the date the registrar's
sponsorship ends. Queries in high volume are rate limited; no match is an answer, too.`,
    {
      registrar: { name: 'Sample Registrar, Inc.', ianaId: 9998 },
      registrant: null,
      dates: {
        created: at('1998-07-08T04:00:00Z'),
        updated: at('2026-01-02T03:04:05Z'),
        expires: at('2027-07-07T04:00:00Z'),
      },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['client transfer prohibited', 'active'],
      dnssec: false,
    },
  ],
  [
    'of a thick registry',
    'shop.org',
    `Domain Name: shop.org
Creation Date: 2001-02-03T04:05:06.78Z
Registrar: Sample Registrar
Registrant Name: REDACTED FOR PRIVACY
Registrant Organization: Acme Ltd
Registrant Country: GB
Admin Organization: Somebody Else
Name Server: ns1.host.example
DNSSEC: signedDelegation`,
    { registrant: { name: null, organization: 'Acme Ltd', country: 'GB' }, dnssec: true },
  ],
  [
    'of .uk',
    'shop.co.uk',
    `
    Domain name:
        shop.co.uk

    Registrar:
        Sample Names Ltd t/a Names [Tag = NAMES]
        URL: https://www.names.example

    Relevant dates:
        Registered on: 26-Nov-1999
        Expiry date:  26-Nov-2027
        Last updated:  1-Oct-2025

    Registration status:
        Registered until expiry date.

    Name servers:
        ns1.host.example  192.0.2.1
        ns2.host.example  2001:db8::1

    WHOIS lookup made at 10:00:00 21-Nov-2026
`,
    {
      registrar: { name: 'Sample Names Ltd t/a Names', ianaId: null },
      dates: { created: at('1999-11-26'), updated: at('2025-10-01'), expires: at('2027-11-26') },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
    },
  ],
  [
    'of .nl',
    'shop.nl',
    `Domain name: shop.nl
Status:      active

Registrar:
   Sample Registrar B.V.
   Street 1
   1000AA AMSTERDAM
   Netherlands

Abuse Contact:
   +31.000000000

DNSSEC:      yes

Domain nameservers:
   ns1.host.example
   ns2.host.example          192.0.2.1

Creation Date: 2000-01-02

Updated Date: 2024-05-06

Record maintained by: SIDN BV`,
    {
      registrar: { name: 'Sample Registrar B.V.', ianaId: null },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      dates: { created: at('2000-01-02'), updated: at('2024-05-06'), expires: null },
      status: ['active'],
      dnssec: true,
    },
  ],
  [
    'of .it, with headings that have no colon',
    'shop.it',
    `Domain:             shop.it
Status:             ok
Signed:             no
Created:            1999-12-10 00:00:00
Last Update:        2026-05-07 00:52:45
Expire Date:        2027-04-21

Registrant
  Organization:     Esempio S.p.A.
  Created:          2007-03-01 10:28:08

Admin Contact
  Organization:     Altri S.r.l.
  Created:          2001-01-01 00:00:00

Registrar
  Organization:     Registrar Esempio S.r.l.
  Name:             ESEMPIO-REG

Nameservers
  ns1.host.example
  ns2.host.example
`,
    {
      registrar: { name: 'Registrar Esempio S.r.l.', ianaId: null },
      registrant: { name: null, organization: 'Esempio S.p.A.', country: null },
      dates: {
        created: at('1999-12-10T00:00:00Z'),
        updated: at('2026-05-07T00:52:45Z'),
        expires: at('2027-04-21'),
      },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
    },
  ],
  [
    'of .jp, with brackets',
    'shop.jp',
    `[ JPRS database provides information on network administration. ]
Domain Information:
[Domain Name]                   SHOP.JP

[Registrant]                    Example Organization

[Name Server]                   ns1.host.example
[Name Server]                   ns2.host.example
[Signing Key]

[Created on]                    2001/08/22
[Expires on]                    2027/08/31
[Status]                        Active
[Last Updated]                  2026/09/01 01:05:12 (JST)`,
    {
      registrant: { name: 'Example Organization', organization: null, country: null },
      dates: {
        created: at('2001-08-22'),
        updated: at('2026-08-31T16:05:12Z'),
        expires: at('2027-08-31'),
      },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['active'],
    },
  ],
  [
    'of .fi, with dotted leaders',
    'shop.fi',
    `domain.............: shop.fi
status.............: Registered
created............: 24.9.2003 12:00:00
expires............: 31.8.2027 14:34:32
modified...........: 3.8.2025 09:11:12

Nameservers

nserver............: ns1.host.example [OK]
nserver............: ns2.host.example [192.0.2.1] [OK]

DNSSEC

dnssec.............: no

Registrar

registrar..........: Sample Oy
www................: www.registrar.example
`,
    {
      registrar: { name: 'Sample Oy', ianaId: null },
      dates: {
        created: at('2003-09-24T12:00:00Z'),
        updated: at('2025-08-03T09:11:12Z'),
        expires: at('2027-08-31T14:34:32Z'),
      },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['registered'],
      dnssec: false,
    },
  ],
  [
    'of .at, with handles',
    'shop.at',
    `% Copyright notice
domain:         shop.at
registrar:      Sample GmbH ( https://nic.at/registrar/1 )
registrant:     SE1234567-NICAT
nserver:        ns1.host.example
changed:        20240102 03:04:05
source:         AT-DOM

personname:     Erika Beispiel
nic-hdl:        SE1234567-NICAT
changed:        20100101 00:00:00
`,
    {
      registrant: null,
      dates: { created: null, updated: at('2024-01-02T03:04:05Z'), expires: null },
    },
  ],
  [
    'of .cn',
    'shop.cn',
    `Domain Name: shop.cn
Domain Status: serverDeleteProhibited
Registrant: 示例有限公司
Sponsoring Registrar: 示例注册商
Name Server: ns1.host.example
Registration Time: 2003-03-17 12:20:05
Expiration Time: 2027-03-17 12:48:36
DNSSEC: unsigned`,
    {
      registrar: { name: '示例注册商', ianaId: null },
      registrant: { name: '示例有限公司', organization: null, country: null },
      status: ['server delete prohibited'],
    },
  ],
  [
    'of .be, whose free names are AVAILABLE and taken ones NOT AVAILABLE',
    'shop.be',
    `Domain:\tshop.be
Status:\tNOT AVAILABLE
Registered:\tTue Dec 12 2000

Registrar:
\tName:\t Sample NV
\tWebsite: https://www.registrar.example

Nameservers:
\tns1.host.example
`,
    {
      registrar: { name: 'Sample NV', ianaId: null },
      dates: { created: at('2000-12-12'), updated: null, expires: null },
      nameservers: ['ns1.host.example'],
    },
  ],
];
