import { InvalidArgumentError } from 'commander';

/** A whole number from 1 on, as an option or an argument takes it. */
export function readCount(text: string): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It takes a whole number from 1 on.');
}
