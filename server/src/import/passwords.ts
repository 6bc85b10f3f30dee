import { createHmac } from 'node:crypto';

/** Without letters and digits that look alike. Its length divides 256, so that each is as likely as the others. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const groups = 4;
const groupLength = 5;

/** 100 random bits, always the same ones for a row of an import. */
export function generatedPassword(seed: Buffer, row: number): string {
  const bytes = createHmac('sha256', seed).update(String(row)).digest();
  return Array.from({ length: groups }, (_, group) =>
    Array.from(
      { length: groupLength },
      (_, at) => alphabet[(bytes[group * groupLength + at] ?? 0) % alphabet.length],
    ).join(''),
  ).join('-');
}
