import type { Brand } from '../lib/brand.ts';
import type { Language } from '../lib/translate.ts';
import type { IssuedCode } from '../passwords/password-code.ts';
import type { CodeKind } from '../records/write/password-codes.store.ts';
import { type MailTemplates, mailTexts } from './mail-templates.ts';
import { logoId, type Mail } from './mailer.ts';

/** A user to whom a mail gives a code. */
export interface MailedUser {
  readonly userId: number;
  readonly username: string;
  readonly email: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly language: string | null;
  readonly principalName: string | null;
  readonly code: IssuedCode;
}

export interface MailContent {
  readonly id: string;
  readonly kind: CodeKind;
  /** The user that the mail is for, then the others with its address if the mail lists them. */
  readonly users: readonly [MailedUser, ...MailedUser[]];
}

export interface ComposeOptions {
  readonly templates: MailTemplates;
  readonly brand: Brand;
  /** The language for users without a `Language`, or with one that has no texts. */
  readonly defaultLanguage: Language;
}

export function composeMail(
  { id, kind, users }: MailContent,
  { templates, brand, defaultLanguage }: ComposeOptions,
): Mail {
  const [first] = users;
  const language = languageOf(first.language, defaultLanguage);
  const { subject, text, html } = templates[`${kind}.${language}`];
  const fullName = [first.firstName, first.lastName].filter(Boolean).join(' ');
  const values = {
    product: brand.name,
    name: users.length > 1 || fullName === '' ? first.username : fullName,
    validity: validityOf(first.code, language),
    color: brand.color,
    textColor: brand.textColor,
    logo: '',
  };
  const plain = mapValues(values, oneLine);
  const htmlValues = {
    ...mapValues(values, escapeHtml),
    accounts: users.map((user) => htmlAccount(user, { kind, language, brand })).join('\n'),
    logo: brand.logo
      ? `<img src="cid:${logoId}" alt="${escapeHtml(brand.name)}" height="48" style="display: block; margin: 0 0 20px">`
      : '',
  };
  return {
    id,
    to: first.email,
    subject: fill(subject, { ...plain, accounts: '' }),
    text: fill(text, { ...plain, accounts: users.map((user) => textAccount(user, language)).join('\n\n') }),
    html: html === null ? null : fill(html, htmlValues),
    logo: brand.logo,
  };
}

function languageOf(tag: string | null, fallback: Language): Language {
  const primary = tag?.split('-', 1)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(mailTexts, primary) ? (primary as Language) : fallback;
}

const hourMs = 3_600_000;

function validityOf({ issuedAt, expiresAt }: IssuedCode, language: Language): string {
  const hours = Math.max(1, Math.round((expiresAt.getTime() - issuedAt.getTime()) / hourMs));
  const { validity } = mailTexts[language];
  return hours < 24 ? validity(hours, 'hours') : validity(Math.round(hours / 24), 'days');
}

function textAccount({ username, principalName, code }: MailedUser, language: Language): string {
  const labels = mailTexts[language].account;
  const lines = [
    [labels.username, username],
    [labels.principal, principalName],
    [labels.link, code.url],
    [labels.code, code.text],
  ] as const;
  return lines
    .flatMap(([label, value]) => (value === null ? [] : [`${label}: ${oneLine(value)}`]))
    .join('\n');
}

function htmlAccount(
  { username, principalName, code }: MailedUser,
  { kind, language, brand }: { kind: CodeKind; language: Language; brand: Brand },
): string {
  const { account: labels, [kind]: mail } = mailTexts[language];
  const line = (label: string, value: string, style = '') =>
    `<p style="margin: 0 0 8px; font-size: 16px; line-height: 1.5">${label}: <strong${style}>${escapeHtml(value)}</strong></p>`;
  const codeStyle = ` style="font-family: Consolas, Menlo, monospace; font-size: 15px"`;
  const button =
    code.url === null
      ? ''
      : `<p style="margin: 16px 0"><a href="${escapeHtml(code.url)}" style="display: inline-block; padding: 12px 22px; background: ${brand.color}; color: ${brand.textColor}; border-radius: 4px; font-size: 16px; text-decoration: none">${mail.heading}</a></p>`;
  return `<div style="margin: 0 0 24px">
${line(labels.username, username)}
${principalName === null ? '' : line(labels.principal, principalName)}
${button}
${line(labels.code, code.text, codeStyle)}
</div>`;
}

/** A value with a line break could add a line, such as a link, to the text. */
function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(value: string): string {
  return oneLine(value).replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

function mapValues<Key extends string>(
  values: Readonly<Record<Key, string>>,
  change: (value: string) => string,
): Record<Key, string> {
  return Object.fromEntries(
    Object.entries<string>(values).map(([name, value]) => [name, change(value)]),
  ) as Record<Key, string>;
}
