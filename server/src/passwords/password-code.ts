import { randomBytes } from 'node:crypto';
import { digestOf, inAlphabet } from '../lib/secrets.ts';

// Codes with which users set their passwords. They are typed from paper, too.

/** Has one character of each group of look-alikes; `lookAlikes` maps the others to it. */
const alphabet = '0123456789ACDEFGHJKMNPQRTVWXY';
const lookAlikes: Readonly<Record<string, string>> = {
  O: '0',
  I: '1',
  L: '1',
  Z: '2',
  S: '5',
  B: '8',
  U: 'V',
};
const codeLength = 28;
const codeSyntax = new RegExp(`^[${alphabet}]{${codeLength}}$`);

/** Returns 136 random bits in seven groups of four characters. */
export function newCode(): string {
  const code = inAlphabet(randomBytes(17), alphabet, codeLength);
  return code.replace(/.{4}(?!$)/g, '$&-');
}

/**
 * Returns the digest of a code as it was typed: case, spaces and dashes do not count. Null if the text has not the form
 * of a code. Only digests are stored. They need no key and no salt: 136 random bits cannot be guessed.
 */
export function codeDigest(typed: string): Buffer | null {
  const plain = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, '');
  const code = plain.replace(/[OILZSBU]/g, (character) => lookAlikes[character] ?? character);
  return codeSyntax.test(code) ? digestOf(code) : null;
}

/** A code at the moment it is issued: the only time at which it exists as text. */
export interface IssuedCode {
  readonly text: string;
  /** Null if the service does not know its public URL. */
  readonly url: string | null;
  readonly digest: Buffer;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

export type CodeIssuer = () => IssuedCode;

const dayMs = 24 * 3600 * 1000;

interface CodeOptions {
  readonly days: number;
  readonly publicUrl: string | null;
  /** The path of the page that takes the code. */
  readonly page?: string;
}

export function codeIssuer({ days, publicUrl, page }: CodeOptions): CodeIssuer {
  return () => {
    const text = newCode();
    const issuedAt = new Date();
    return {
      text,
      url: codeUrl(text, publicUrl, page),
      digest: codeDigest(text) as Buffer,
      issuedAt,
      expiresAt: new Date(issuedAt.getTime() + days * dayMs),
    };
  };
}

/** The code is in the fragment, which browsers do not send: it gets into no log of a server or proxy. */
export function codeUrl(
  code: string,
  publicUrl: string | null,
  page = 'account/set-password',
): string | null {
  return publicUrl === null ? null : `${publicUrl.replace(/\/+$/, '')}/${page}#${code}`;
}
