const at = (text: string) => new Date(text);

/** Answers in the layouts of various registries, about invented names, and the expected parsed data. */
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
        // A time of day without a time zone.
        updated: null,
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
      dates: { created: null, updated: null, expires: null },
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
      dates: { created: null, updated: null, expires: null },
      registrar: { name: 'Sample GmbH', ianaId: null },
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
  [
    'of .kr, with numbered name servers',
    'shop.kr',
    `query : shop.kr

# KOREAN(UTF8)

도메인이름                  : shop.kr
등록인                      : 보기
등록일                      : 2007. 03. 02.
사용 종료일                 : 2031. 03. 02.
등록대행자                  : 보기(주)(http://agency.example)

1차 네임서버 정보
   호스트이름               : ns1.host.example

# ENGLISH

Domain Name                 : shop.kr
Registrant                  : Example
Registered Date             : 2007. 03. 02.
Last Updated Date           : 2020. 10. 04.
Expiration Date             : 2031. 03. 02.
Authorized Agency           : Sample Agency(http://agency.example)

Primary Name Server
   Host Name                : ns1.host.example

Secondary Name Server
   Host Name                : ns2.host.example

The encoding of this answer is UTF-8, see whois.registry.example
`,
    {
      registrar: { name: 'Sample Agency', ianaId: null },
      registrant: { name: 'Example', organization: null, country: null },
      dates: { created: at('2007-03-02'), updated: at('2020-10-04'), expires: at('2031-03-02') },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
    },
  ],
  [
    'of .kr, in Korean alone',
    'shop.kr',
    `도메인이름                  : shop.kr
등록일                      : 2007. 03. 02.
사용 종료일                 : 2031. 03. 02.
등록대행자                  : 보기

1차 네임서버 정보
   호스트이름               : ns1.host.example
`,
    {
      registrar: { name: '보기', ianaId: null },
      dates: { created: at('2007-03-02'), updated: null, expires: at('2031-03-02') },
      nameservers: ['ns1.host.example'],
    },
  ],
  [
    'of .kz, with a state that is a province and an offset in hours',
    'shop.kz',
    `Domain Name............: shop.kz

Organization Using Domain Name
Name...................: Example LLP
State..................: Almaty
Country................: KZ

Administrative Contact/Agent
Name...................: Somebody

Nameserver in listed order

Primary server.........: ns1.host.example
Primary ip address.....: 192.0.2.1

Secondary server.......: ns2.host.example

Domain created: 2009-06-07 13:01:43 (GMT+0:00)
Last modified : 2012-11-28 03:16:59 (GMT+6:00)
Domain status : clientTransferProhibited - the registrar allows no transfer
                clientRenewProhibited

Current Registar: SAMPLE
`,
    {
      registrar: { name: 'SAMPLE', ianaId: null },
      dates: {
        created: at('2009-06-07T13:01:43Z'),
        updated: at('2012-11-27T21:16:59Z'),
        expires: null,
      },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['client transfer prohibited', 'client renew prohibited'],
    },
  ],
  [
    'of .mo, in sentences',
    'shop.mo',
    `Domain Name: shop.mo
Record created on 2005-04-15 21:43:27
Record expires on 2030-11-02

Registrant:
-----------------------------------------------------
Org:          Example Ltd.
Name:         Somebody

Domain name servers:
-----------------------------------------------------
ns1.host.example
ns2.host.example
`,
    {
      dates: { created: null, updated: null, expires: at('2030-11-02') },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
    },
  ],
  [
    'of .bg, with values beside their headings',
    'shop.bg',
    `
DOMAIN NAME: shop.bg
requested on: 10/11/1997 00:00:00 EET
activated on: 24/11/1997 00:00:00 EET
expires at: 01/01/2031 00:00:00 EET
registration status: Registered

REGISTRANT:
Example Ltd.
  SOFIA

NAME SERVER INFORMATION:
ns1.host.example (192.0.2.1)
ns2.host.example

DNSSEC: Inactive
`,
    {
      registrant: { name: 'Example Ltd.', organization: null, country: null },
      dates: {
        created: at('1997-11-23T22:00:00Z'),
        updated: null,
        expires: at('2030-12-31T22:00:00Z'),
      },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['registered'],
      dnssec: false,
    },
  ],
  [
    'of .bg, without dates and servers',
    'shop.bg',
    `DOMAIN NAME: shop.bg
activated on: see at www.registry.example
registration status: Registered
`,
    { dates: { created: null, updated: null, expires: null }, status: ['registered'] },
  ],
  [
    'of .bo, in Spanish',
    'shop.bo',
    `Dominio: shop.bo

TITULAR:
Organizacion: Ejemplo S.A.
Pais: Bolivia

CONTACTO TECNICO:
Organizacion: Otra

Fecha de registro: 2004-10-01
Fecha de vencimiento: 2031-10-01
`,
    { dates: { created: at('2004-10-01'), updated: null, expires: at('2031-10-01') } },
  ],
  [
    'of .hr, with an expiry alone',
    'shop.hr',
    `domain:    shop.hr
descr:     Primjer d.o.o.
tech-c:    XX1-DNSHR
expires:   20310921
source:    DNSHR

person:    Netko
address:   Ulica 1
`,
    { dates: { created: null, updated: null, expires: at('2031-09-21') } },
  ],
  [
    'of .ma, of the older kind',
    'shop.ma',
    `domain:Class-Name:domain
domain:ID:1.shop.ma
domain:Domain-Name:shop.ma
domain:Organization;I:2.shop.ma
domain:Created:20090324
domain:Updated:20200324
`,
    { dates: { created: at('2009-03-24'), updated: at('2020-03-24'), expires: null } },
  ],
  [
    'of .my, with lettered brackets',
    'shop.my',
    `SEARCH BY DOMAIN NAME

a [Domain Name]                 shop.my
b [Registration No.]            D1
c [Record Created]              13-MAY-2009
d [Record Expired]              13-MAY-2031
e [Record Last Modified]        11-OCT-2020

i [Primary Name Server]                        HOST1.SER
  ns1.host.example
j [Secondary Name Server]                      HOST2.SER
  ns2.host.example
`,
    {
      dates: { created: at('2009-05-13'), updated: at('2020-10-11'), expires: at('2031-05-13') },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
    },
  ],
  [
    'of .tm, with a server and an owner a line',
    'shop.tm',
    `
Domain : shop.tm
Status : Client Updt Lock
Expiry : 2031-01-30

NS 1   : ns1.host.example
NS 2   : ns2.host.example

Owner Name    : Somebody
Owner OrgName : Example Inc.
`,
    {
      registrant: { name: 'Somebody', organization: 'Example Inc.', country: null },
      dates: { created: null, updated: null, expires: at('2031-01-30') },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['client updt lock'],
    },
  ],
  [
    'of .uy, with the holder above everything',
    'shop.uy',
    `
Titular:
Ejemplo S.A.
   Calle 1

   Nombre de Dominio: shop.uy
   Registrado por: Ejemplo Registrador (http://registrador.example)

   Contacto Tecnico:
      Alguien

   Ultima Actualizacion: 2020-03-04
   Fecha de Creacion: 1999-02-03 00:00:00

   Estatus del dominio: ACTIVO

   Servidor(es) de Nombres de Dominio:

      - ns1.host.example
      - ns2.host.example
`,
    {
      registrar: { name: 'Ejemplo Registrador', ianaId: null },
      dates: { created: at('1999-02-03'), updated: at('2020-03-04'), expires: null },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['activo'],
    },
  ],
  [
    'of .ve, with times of day',
    'shop.ve',
    `
Titular:
Ejemplo C.A.

   Nombre de Dominio: shop.ve

   Fecha de Vencimiento: 2031-11-15 14:40:48
   Ultima Actualizacion: 2020-11-17 21:16:31
   Fecha de Creacion: 2005-11-15 14:40:48

   Estatus del dominio: ACTIVO

   Servidor(es) de Nombres de Dominio:

   - ns1.host.example
`,
    {
      dates: { created: null, updated: null, expires: null },
      nameservers: ['ns1.host.example'],
      status: ['activo'],
    },
  ],
  [
    'of .dz, with spaced leaders',
    'shop.dz',
    `Description#. . . . . . . . . . . . . . . . . . . Exemple SARL
Nom de domaine#. . . . . . . . . . . . . . . . . .shop.dz
Registrar#. . . . . . . . . . . . . . . . . . . . Exemple
Contact technique#. . . . . . . . . . . . . . . . Quelqu'un
Date de creation#. . . . . . . . . . . . . . . . .2004-05-06
`,
    {
      registrar: { name: 'Exemple', ianaId: null },
      dates: { created: at('2004-05-06'), updated: null, expires: null },
    },
  ],
  [
    'of .gov, of the older kind',
    'shop.gov',
    `% Server ready
   Domain Name: SHOP.GOV
   Status: ACTIVE

>>> Last update of whois database: 2019-10-06T13:18:11Z <<<
`,
    { registrar: null, status: ['active'] },
  ],
  [
    'of .nz, of the older kind',
    'shop.nz',
    `% Terms
%
version: 5.00
query_datetime: 2012-05-03T13:18:06+12:00
domain_name: shop.nz
query_status: 200 Active
domain_dateregistered: 1999-02-17T00:00:00+13:00
domain_datebilleduntil: 2031-02-17T00:00:00+13:00
domain_datelastmodified: 2013-01-16T23:20:24+13:00
domain_signed: no
%
registrar_name: Example Registrar
registrar_address1: Street 1
%
ns_name_01: ns1.host.example
ns_name_02: ns2.host.example
`,
    {
      registrar: { name: 'Example Registrar', ianaId: null },
      dates: {
        created: at('1999-02-16T11:00:00Z'),
        updated: at('2013-01-16T10:20:24Z'),
        expires: at('2031-02-16T11:00:00Z'),
      },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['active'],
      dnssec: false,
    },
  ],
  [
    'of .edu',
    'shop.edu',
    `Domain Name: SHOP.EDU

Registrant:
   Example University
   Street 1

Name Servers:
   NS1.HOST.EXAMPLE
   NS2.HOST.EXAMPLE

Domain record activated:    10-May-1999
Domain record last updated: 04-Apr-2012
Domain expires:             31-Jul-2031
`,
    {
      dates: { created: at('1999-05-10'), updated: at('2012-04-04'), expires: at('2031-07-31') },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
    },
  ],
  [
    'of .hk, with a blank line below its headings',
    'shop.hk',
    `Domain Name:  SHOP.HK

Domain Status: Active

Registrar Name: Example Registrar

Registrant Contact Information:

Address: Street 1
Domain Name Commencement Date: 14-07-2001
Expiry Date: 20-11-2031
Re-registration Status:  Complete

Technical Contact Information:

Phone: +852-00000000

Name Servers Information:

NS1.HOST.EXAMPLE
NS2.HOST.EXAMPLE

Status Information:

Domain Prohibit Status:
`,
    {
      registrar: { name: 'Example Registrar', ianaId: null },
      dates: { created: at('2001-07-14'), updated: null, expires: at('2031-11-20') },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['active'],
    },
  ],
  [
    'of .gg, with dates in words',
    'shop.gg',
    `Domain:
     shop.gg

Domain Status:
     Active
     Transfer Prohibited by Registrar

Registrant:
     Example Ltd

Registrar:
     Sample Registrar (http://www.registrar.example)

Relevant dates:
     Registered on 30th April 2003 at 00:00:00.000
     Registry fee due on 30th April each year

Registration status:
     Registered until cancelled

Name servers:
     ns1.host.example
`,
    {
      registrar: { name: 'Sample Registrar', ianaId: null },
      dates: { created: at('2003-04-30'), updated: null, expires: null },
      nameservers: ['ns1.host.example'],
      status: ['active', 'transfer prohibited by registrar', 'registered until cancelled'],
    },
  ],
  [
    'of .ir, with people below',
    'shop.ir',
    `domain:		shop.ir
ascii:		shop.ir
holder-c:	xx1-irnic
nserver:	ns1.host.example
last-updated:	2018-04-27
expire-date:	2030-09-23
source:		IRNIC # Filtered

nic-hdl:	xx1-irnic
person:		Somebody
source:		IRNIC # Filtered
`,
    {
      dates: { created: null, updated: at('2018-04-27'), expires: at('2030-09-23') },
      nameservers: ['ns1.host.example'],
    },
  ],
  [
    'of .tk, which puts the month first',
    'shop.tk',
    `
   Domain name:
      SHOP.TK is Active

   Owner contact:
      Organization: Example Inc.

   Domain Nameservers:
      NS1.HOST.EXAMPLE

   Domain registered: 12/08/2001
   Record will expire on: 03/02/2031
`,
    {
      dates: { created: at('2001-12-08'), updated: null, expires: at('2031-03-02') },
      nameservers: ['ns1.host.example'],
    },
  ],
  [
    'of .tk, for a free name',
    'shop.tk',
    `Domain name:
SHOP.TK

Organisation:
Example B.V.
1000 AA Amsterdam

Domain Nameservers:
NS1.HOST.EXAMPLE
NS2.HOST.EXAMPLE

Your selected domain name is a Free Domain. That means that,
according to the terms the registrant is Example B.V.
`,
    { nameservers: ['ns1.host.example', 'ns2.host.example'] },
  ],
  [
    'of .tw',
    'shop.tw',
    `Domain Name: shop.tw
   Domain Status: clientTransferProhibited
   Registrant:
      Example Co.

   Record expires on 2031-11-09 00:00:00 (UTC+8)
   Record created on 2000-08-29 (YYYY-MM-DD)

   Domain servers in listed order:
      ns1.host.example
      ns2.host.example

Registration Service Provider: Sample Registrar
Registration Service URL: http://www.registrar.example
`,
    {
      registrar: { name: 'Sample Registrar', ianaId: null },
      dates: {
        created: at('2000-08-29'),
        updated: null,
        expires: at('2031-11-08T16:00:00Z'),
      },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['client transfer prohibited'],
    },
  ],
  [
    'of .sk, whose registrars are told below by their handles',
    'shop.sk',
    `% Access to this service is rate limited. Abuse will result in being permanently
% blacklisted.

Domain:                       shop.sk
Registrant:                   EXAM-0002
Registrar:                    EXAM-0001
Created:                      2003-07-24
Updated:                      2017-09-01
Valid Until:                  2031-07-24
Nameserver:                   ns1.host.example
EPP Status:                   ok

Registrar:                    EXAM-0001
Name:                         Example s. r. o.
Phone:                        +421.200000000
Created:                      2019-09-01
Updated:                      2021-11-16
`,
    {
      registrar: { name: 'Example s. r. o.', ianaId: null },
      dates: { created: at('2003-07-24'), updated: at('2017-09-01'), expires: at('2031-07-24') },
      nameservers: ['ns1.host.example'],
      status: ['active'],
    },
  ],
  [
    'of .ee, with fields beside their headings',
    'shop.ee',
    `Domain:
name:       shop.ee
status:     ok (paid and in zone)
registered: 2010-07-04 04:23:02 +03:00
changed:    2020-01-01 02:00:00 +02:00
expire:     2031-07-05
outzone:

Registrant:
name:       Somebody
changed:    2021-01-01 02:00:00 +02:00

Registrar:
name:       Example OÜ
changed:    2022-07-01 13:55:58 +03:00

Name servers:
nserver:   ns1.host.example
changed:   2023-05-23 00:30:06 +03:00
`,
    {
      registrar: { name: 'Example OÜ', ianaId: null },
      dates: {
        created: at('2010-07-04T01:23:02Z'),
        updated: at('2020-01-01T00:00:00Z'),
        expires: at('2031-07-05'),
      },
      nameservers: ['ns1.host.example'],
      status: ['active'],
    },
  ],
  [
    'of .pl, with values that go on in the next line',
    'shop.pl',
    `DOMAIN NAME:           shop.pl
registrant type:       organization
nameservers:           ns1.host.example. [192.0.2.1]
                       ns2.host.example.
created:               2002.09.19 13:00:00
last modified:         2020.09.01 10:00:00
renewal date:          2031.09.18 14:00:00

REGISTRAR:
Example Registrar Ltd
Street 1
`,
    {
      registrar: { name: 'Example Registrar Ltd', ianaId: null },
      dates: { created: null, updated: null, expires: null },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
    },
  ],
  [
    'of .ua, with offsets in hours and the states of others below',
    'shop.ua',
    `domain:           shop.ua
nserver:          ns1.host.example
status:           clientTransferProhibited
created:          2011-07-21 18:03:50+03
modified:         2022-12-19 12:24:23+02
expires:          2031-07-21 00:30:00+03
source:           UAEPP

% Registrar:
% ==========
registrar:        ua.example
status:           ok
status:           linked

% Registrant:
% ===========
person:           Somebody
created:          2015-01-01 00:00:00+02
`,
    {
      registrar: { name: 'ua.example', ianaId: null },
      dates: {
        created: at('2011-07-21T15:03:50Z'),
        updated: at('2022-12-19T10:24:23Z'),
        expires: at('2031-07-20T21:30:00Z'),
      },
      status: ['client transfer prohibited'],
    },
  ],
  [
    'of .dk, with the name itself as DNS',
    'shop.dk',
    `Domain:               shop.dk
DNS:                  shop.dk
Registered:           2001-02-03
Expires:              2031-03-31
Registrar:            Example Registrar
Status:               Active

Nameservers
Hostname:             ns1.host.example
Hostname:             ns2.host.example
`,
    {
      registrar: { name: 'Example Registrar', ianaId: null },
      dates: { created: at('2001-02-03'), updated: null, expires: at('2031-03-31') },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['active'],
    },
  ],
  [
    'of .cz, with the dates of contacts and sets of servers below',
    'shop.cz',
    `domain:       shop.cz
registrant:   XX-1
nsset:        NS-1
registrar:    REG-EXAMPLE
registered:   21.07.2000
changed:      04.11.2015
expire:       22.07.2031

contact:      XX-1
org:          Example
created:      18.05.2011
changed:      19.05.2021

nsset:        NS-1
nserver:      ns1.host.example
created:      18.05.2012
`,
    {
      dates: { created: at('2000-07-21'), updated: at('2015-11-04'), expires: at('2031-07-22') },
      nameservers: ['ns1.host.example'],
    },
  ],
  [
    'of .ru, with its states in one line',
    'shop.ru',
    `domain:        SHOP.RU
nserver:       ns1.host.example.
state:         REGISTERED, DELEGATED, VERIFIED
registrar:     EXAMPLE-RU
created:       2004-03-03T21:00:00Z
paid-till:     2031-03-04T21:00:00Z
`,
    {
      dates: {
        created: at('2004-03-03T21:00:00Z'),
        updated: null,
        expires: at('2031-03-04T21:00:00Z'),
      },
      status: ['registered', 'delegated', 'verified'],
    },
  ],
  [
    'of .rs, which says that its times are local',
    'shop.rs',
    `Domain name: shop.rs
Domain status: Active https://registry.example/status
Registration date: 10.03.2008 12:31:19
Modification date: 08.08.2011 11:13:00
Expiration date: 10.03.2031 12:31:19
Registrar: Primer d.o.o.

DNS: ns1.host.example. - 192.0.2.1
DNS: ns2.host.example. -
`,
    {
      dates: {
        created: at('2008-03-10T11:31:19Z'),
        updated: at('2011-08-08T09:13:00Z'),
        expires: at('2031-03-10T11:31:19Z'),
      },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['active'],
    },
  ],
  [
    'of .ch, with tabs',
    'shop.ch',
    `Domain name	shop.ch

Registrar	Sample Registrar AG
Street 1

DNSSEC	no

Name servers
ns1.host.example
ns2.host.example	192.0.2.1
ns2.host.example	2001:db8::1

First registration date	31 May 1999
`,
    {
      registrar: { name: 'Sample Registrar AG', ianaId: null },
      dates: { created: at('1999-05-31'), updated: null, expires: null },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      dnssec: false,
    },
  ],
  [
    'of .fr, with handles and their own dates',
    'shop.fr',
    `%% Registry

domain:      shop.fr
status:      ACTIVE
hold:        NO
holder-c:    XX1-FRNIC
registrar:   SAMPLE
Expiry Date: 2031-12-30T17:16:48Z
created:     2000-07-26T22:00:00Z
last-update: 2018-11-28T10:31:42Z
source:      FRNIC

ns-list:     NSL1-FRNIC
nserver:     ns1.host.example
nserver:     ns2.host.example

registrar:   SAMPLE
type:        Isp Option 1
address:     Rue 1
country:     FR
created:     1998-01-01T00:00:00Z

nic-hdl:     XX1-FRNIC
contact:     Exemple
changed:     2020-01-01T00:00:00Z
`,
    {
      registrar: { name: 'SAMPLE', ianaId: null },
      dates: {
        created: at('2000-07-26T22:00:00Z'),
        updated: at('2018-11-28T10:31:42Z'),
        expires: at('2031-12-30T17:16:48Z'),
      },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['active'],
    },
  ],
  [
    'of .tr, with starred headings',
    'shop.com.tr',
    `** Domain Name: shop.com.tr

** Registrant:
   Ornek A.S.

** Registrar:
NIC Handle		: ex1
Organization Name	: Ornek Kayit A.S.

** Domain Servers:
ns1.host.example
ns2.host.example 192.0.2.1

** Additional Info:
Created on..............: 2001-Aug-23.
Expires on..............: 2031-Aug-22.
`,
    {
      dates: { created: at('2001-08-23'), updated: null, expires: at('2031-08-22') },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
    },
  ],
  [
    'of .pt, with labels in two languages',
    'shop.pt',
    `Nome de domínio / Domain Name: shop.pt
Data de registo / Creation Date (dd/mm/yyyy): 09/01/2003
Data de expiração / Expiration Date (dd/mm/yyyy): 28/02/2031
Estado / Status: ACTIVE

Entidade Gestora / Billing Contact
   Exemplo

Nameserver Information
   Nameserver: shop.pt	NS	ns1.host.example.
   Nameserver: shop.pt	NS	ns2.host.example.
`,
    {
      dates: { created: at('2003-01-09'), updated: null, expires: at('2031-02-28') },
      nameservers: ['ns1.host.example', 'ns2.host.example'],
      status: ['active'],
    },
  ],
  [
    'of .de, with a state alone',
    'shop.de',
    `Domain: shop.de
Status: connect
`,
    { status: ['connect'] },
  ],
];

/**
 * Refusals as registries word them. Next to an answer each is still a refusal; the seconds are those it asks to wait.
 */
export const WHOIS_REFUSALS: [registry: string, text: string, seconds: number][] = [
  ['.fr .re .pm .tf .wf .yt', '%% Too many requests...', 60],
  ['.de', '% Error: 55000000002 Connection refused; access control limit reached.', 60],
  [
    '.uk',
    'The WHOIS query quota for 192.0.2.1 has been exceeded\nand will be replenished in 50 seconds.',
    50,
  ],
  ['.be, for seconds', '% Excessive querying, grace period of 30 seconds', 30],
  ['.be, for an hour', '% Maximum queries per hour reached (100)', 3_600],
  ['.be, blocked', '-3: IP address blocked', 60],
  ['.eu', '-1: Still in grace period, wait 7777777 seconds', 7_777_777],
  ['.nz', 'query_status: 440 Request Denied', 60],
  ['.co.za', 'Please go away for 13 Seconds', 13],
  ['.nl', 'whois.registry.example: only 1 request per second allowed, try again later', 60],
  [
    '.nl, for a day',
    'whois.registry.example: daily whois-limit exceeded for client 192.0.2.1',
    3_600,
  ],
  ['.nl, busy', 'whois.registry.example: Server too busy, try again later', 60],
  ['.it', 'Service temporarily unavailable.', 60],
  ['.cz', 'Your connection limit exceeded. Please slow down and try again later.', 60],
  ['.pl', 'request limit exceeded for 192.0.2.1', 60],
  ['.dk', '# Too many connections.', 60],
  ['.lu', '%% Maximum query rate reached', 60],
  ['.hk', 'Please maintain at least 10-second time before starting another enquiry.', 10],
  ['.br', '% Query rate limit exceeded. Reduced information.', 60],
  ['.ga .ml', 'WHOIS lookup for SHOP.ML can temporarily not be answered. Please try again.', 60],
  [
    '.com',
    '* Sorry, the Whois database is currently down.\n* Please wait a while and try again.',
    60,
  ],
  ['.au', 'BLACKLISTED: You have exceeded the query limit for your network or IP address', 60],
  ['.cn', 'the queried interval is too short.', 60],
  ['of RIPE’s kind', '%ERROR:201: access denied for 192.0.2.1', 60],
  ['.es', 'The IP address used to perform the query is not authorised.', 60],
  ['of registrars', 'You have exceeded your quota of queries.', 60],
  ['of registrars, in minutes', 'Rate limit exceeded. Try again in 5 minutes.', 300],
  ['.pe', 'Your request could not be performed.\nLookup quota exceeded.', 60],
  ['.ke', "Server can't process your request.", 60],
];
