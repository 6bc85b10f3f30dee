import type { JobInvitation } from '@anagrafe/client';
import { encode } from 'uqr';
import { type SheetLanguage, sheetTexts } from './sheet-texts.ts';

/** An invited user with its code, as in `jobs/{id}/invitations`. */
export type SheetInvitation = Pick<
  JobInvitation,
  'Denomination' | 'Username' | 'FirstName' | 'LastName' | 'Language' | 'Code' | 'URL' | 'ExpiresAt'
>;

export interface SheetOptions {
  /** The product name at the top of each sheet. */
  readonly brand: string;
  /** The colour of the brand, such as `#1f5fbf`. */
  readonly colour: string;
  /** The language of users whose `Language` is neither English nor Italian. */
  readonly language: SheetLanguage;
  /** Default: the time zone of this machine. */
  readonly timeZone?: string | undefined;
}

/**
 * Yields the parts of an HTML document with an A4 page for each user that has a code. The document needs no other file and
 * runs no script. It contains codes: keep it as you would keep passwords.
 */
export function* invitationSheets(
  invitations: Iterable<SheetInvitation>,
  options: SheetOptions,
): Generator<string> {
  const { brand, colour, language } = options;
  const shown = /^#(?:[0-9a-f]{3}){1,2}$/i.test(colour) ? colour : '#1f5fbf';
  yield `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>${escaped(brand)}</title>
<style>${styles}</style>
</head>
<body style="--brand: ${shown}">
`;
  for (const invitation of invitations) yield sheetOf(invitation, options);
  yield '</body>\n</html>\n';
}

function sheetOf(
  { Denomination, Username, FirstName, LastName, Language, Code, URL: link, ExpiresAt }: SheetInvitation,
  { brand, language, timeZone }: SheetOptions,
): string {
  if (Code === null) return '';
  const own = languageOf(Language) ?? language;
  const texts = sheetTexts[own];
  const name = [FirstName, LastName].filter(Boolean).join(' ');
  const until =
    ExpiresAt === null
      ? null
      : new Date(ExpiresAt).toLocaleString(texts.locale, { dateStyle: 'long', timeStyle: 'short', timeZone });
  const rows = [
    [texts.name, name],
    [texts.company, Denomination],
    [texts.username, Username],
  ] as const;
  // The service puts the code into the fragment of the link, so the rest of the link is the address to type.
  const address = link?.split('#')[0];
  return `<section class="sheet" lang="${own}">
<header>${escaped(brand)}</header>
<h1>${texts.title}</h1>
<dl>
${rows.flatMap(([label, value]) => (value ? [`<div><dt>${label}</dt><dd dir="auto">${escaped(value)}</dd></div>`] : [])).join('\n')}
</dl>
<div class="columns">
<ol>
<li>${address ? `${texts.scanOrOpen}<span class="address">${breakable(address)}</span>` : texts.openUnknown}</li>
<li>${link ? texts.enterUnlessScanned : texts.enter}</li>
<li>${texts.choose}</li>
</ol>
${link ? qrCode(link, texts.qrCode) : ''}
</div>
<p class="label">${texts.code}</p>
<p class="code">${escaped(Code)}</p>
${until === null ? '' : `<p>${texts.validUntil(escaped(until))}</p>`}
<footer>${texts.note}</footer>
</section>
`;
}

/** Returns an address that breaks after slashes alone: a hyphen at the end of a line would seem to be no part of it. */
function breakable(address: string): string {
  return escaped(address).replace(/[^/]*\/+|[^/]+$/g, '<span>$&</span>');
}

function languageOf(language: string | null): SheetLanguage | null {
  const [own] = (language ?? '').toLowerCase().split(/[-_]/);
  return own === 'en' || own === 'it' ? own : null;
}

/** Returns an SVG with one path, in which the dark modules that are side by side are one rectangle. */
function qrCode(text: string, label: string): string {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  let path = '';
  for (const [y, row] of data.entries())
    for (let x = 0; x < size; x++) {
      const start = x;
      while (row[x]) x++;
      if (x > start) path += `M${start} ${y}h${x - start}v1h-${x - start}z`;
    }
  return `<svg role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${path}"/></svg>`;
}

function escaped(text: string | null): string {
  return (text ?? '').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

// Without a margin of the page, browsers print neither the address of the file nor a date.
const styles = `
@page { size: A4; margin: 0 }
* { box-sizing: border-box }
body { margin: 0; color: #111; background: #fff; font: 12pt/1.45 system-ui, sans-serif; overflow-wrap: anywhere }
.sheet { max-width: 210mm; margin: 0 auto; padding: 20mm; box-decoration-break: clone; -webkit-box-decoration-break: clone }
.sheet + .sheet { break-before: page }
.sheet > *, li { break-inside: avoid }
header { padding-bottom: 3mm; border-bottom: 1mm solid var(--brand); font-size: 16pt; font-weight: 600 }
h1 { margin: 12mm 0 6mm; font-size: 22pt; line-height: 1.2 }
dl { margin: 0 0 8mm }
dl div { display: grid; grid-template-columns: 34mm 1fr; padding: 1mm 0 }
dt, .label, footer { color: #555 }
dd { margin: 0; font-weight: 600 }
.columns { display: flex; gap: 8mm; align-items: start }
ol { flex: 1; margin: 0; padding-left: 6mm }
li { padding: 1mm 0 1mm 1mm }
.address { display: block; font-size: 10.5pt; font-weight: 600 }
.address span { display: inline-block }
svg { flex: none; width: 52mm; height: 52mm }
.label { margin: 8mm 0 1mm }
.code { margin: 0 0 3mm; padding: 4mm; border: .4mm solid var(--brand); border-radius: 2mm; font: 600 16pt/1.3 ui-monospace, monospace; text-align: center; white-space: nowrap }
footer { margin-top: 12mm; padding-top: 3mm; border-top: .2mm solid #bbb; font-size: 10pt }
@media screen { .sheet + .sheet { border-top: 1px dashed #999 } }
@media screen and (max-width: 210mm) { .sheet { padding: 6vw } .columns { flex-wrap: wrap } .code { font-size: 4vw } }
`;
