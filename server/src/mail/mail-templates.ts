import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { englishMails, italianMails, type MailTexts } from '../i18n/mails.ts';
import { OperatorError } from '../lib/operator-error.ts';
import type { Language } from '../lib/translate.ts';
import type { CodeKind } from '../records/write/password-codes.store.ts';
import { mailKinds } from './mail.ts';

/** Texts with placeholders such as `{product}`. */
export interface MailTemplate {
  readonly subject: string;
  readonly text: string;
  /** Null if only the text was replaced by a file: the mail then has no HTML part. */
  readonly html: string | null;
}

export type MailTemplates = Readonly<Record<`${CodeKind}.${Language}`, MailTemplate>>;

export const mailTexts: Readonly<Record<Language, MailTexts>> = { en: englishMails, it: italianMails };
export const mailLanguages = Object.keys(mailTexts) as Language[];
export const placeholders = [
  'product',
  'name',
  'accounts',
  'validity',
  'color',
  'textColor',
  'logo',
] as const;

/** Returns the templates, with those that files in the folder replace. Throws an `OperatorError` that names a file. */
export async function openMailTemplates(folder: string | null): Promise<MailTemplates> {
  const names = mailKinds.flatMap((kind) => mailLanguages.map((language) => `${kind}.${language}` as const));
  const files = folder === null ? new Map<string, string>() : await readTemplates(folder, names);
  return Object.fromEntries(
    names.map((name) => {
      const [kind, language] = name.split('.') as [CodeKind, Language];
      return [name, replaced(name, files) ?? builtIn(kind, language)];
    }),
  ) as MailTemplates;
}

async function readTemplates(folder: string, names: readonly string[]): Promise<Map<string, string>> {
  const found = await readdir(folder).catch((error) => {
    throw unusable(folder, `cannot be read (${error.code})`);
  });
  const accepted = names.flatMap((name) => [`${name}.txt`, `${name}.html`]);
  const files = new Map<string, string>();
  for (const file of found.filter((name) => /\.(txt|html)$/.test(name))) {
    const path = join(folder, file);
    if (!accepted.includes(file))
      throw unusable(path, 'is no template', `the names are ${accepted.join(', ')}.`);
    const content = await readFile(path, 'utf8').catch((error) => {
      throw unusable(path, `cannot be read (${error.code})`);
    });
    const unknown = [...content.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const wrong = unknown.find((name) => !(placeholders as readonly string[]).includes(name));
    const known = `the placeholders are ${placeholders.map((name) => `{${name}}`).join(', ')}.`;
    if (wrong !== undefined) throw unusable(path, `contains the unknown placeholder {${wrong}}`, known);
    if (!content.includes('{accounts}'))
      throw unusable(path, 'lacks the placeholder {accounts}', 'it stands for the links and codes.');
    files.set(file, content.replaceAll('\r\n', '\n'));
  }
  return files;
}

function replaced(name: string, files: ReadonlyMap<string, string>): MailTemplate | null {
  const text = files.get(`${name}.txt`);
  const html = files.get(`${name}.html`);
  if (text === undefined) {
    if (html === undefined) return null;
    throw unusable(`${name}.html`, 'replaces the HTML part alone', `add ${name}.txt, which has the subject.`);
  }
  const [, subject, body] = /^Subject: ([^\n]+)\n\n([\s\S]+)$/.exec(text) ?? [];
  if (subject === undefined || body === undefined)
    throw unusable(`${name}.txt`, 'has no subject', 'begin it with a line "Subject: …" and an empty line.');
  return { subject, text: body, html: html ?? null };
}

function unusable(path: string, problem: string, advice?: string): OperatorError {
  const options = { code: 'setting_invalid', ...(advice !== undefined && { advice }) };
  return new OperatorError(`${JSON.stringify(path)} of ANAGRAFE_MAIL_TEMPLATES ${problem}`, options);
}

function builtIn(kind: CodeKind, language: Language): MailTemplate {
  const { subject, heading, paragraphs, notes } = mailTexts[language][kind];
  return {
    subject,
    text: `${[...paragraphs, '{accounts}', ...notes, '{product}'].join('\n\n')}\n`,
    html: htmlOf({ language, heading, paragraphs, notes }),
  };
}

const font = "font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

/** Mail programs ignore style sheets, so every element has its own style. */
function htmlOf({
  language,
  heading,
  paragraphs,
  notes,
}: {
  language: Language;
  heading: string;
  paragraphs: readonly string[];
  notes: readonly string[];
}): string {
  const paragraph = (text: string) =>
    `<p style="margin: 0 0 16px; font-size: 16px; line-height: 1.5">${text}</p>`;
  const note = (text: string) =>
    `<p style="margin: 0 0 12px; font-size: 14px; line-height: 1.5; color: #555555">${text}</p>`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light">
<title>${heading}</title>
</head>
<body style="margin: 0; padding: 0; background: #f2f3f5">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background: #f2f3f5">
<tr><td align="center" style="padding: 24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width: 560px; background: #ffffff; border-top: 4px solid {color}; border-radius: 4px">
<tr><td style="padding: 28px 28px 16px; color: #1a1a1a; ${font}">
{logo}
<h1 style="margin: 0 0 16px; font-size: 22px; line-height: 1.3">${heading}</h1>
${paragraphs.map(paragraph).join('\n')}
{accounts}
${notes.map(note).join('\n')}
</td></tr>
</table>
<p style="margin: 16px 0 0; font-size: 13px; color: #666666; ${font}">{product}</p>
</td></tr>
</table>
</body>
</html>
`;
}
