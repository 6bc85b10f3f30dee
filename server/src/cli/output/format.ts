import { InvalidArgumentError, Option } from 'commander';
import { isTag, sortedTags, tagsMax } from '../../lib/tags.ts';

const codes = { green: 32, red: 31, yellow: 33, grey: 90, bold: 1 };

/** Colours a text if the stream is a terminal with colours and NO_COLOR is not set (https://no-color.org). */
export function paint(stream: NodeJS.WriteStream, colour: keyof typeof codes, text: string): string {
  const coloured = text !== '' && stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return coloured ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
}

/** Formats a duration in its two largest units: `4 min 42 s`. */
export function inUnits(seconds: number): string {
  const whole = Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days > 0) return `${days} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

/** Formats a count with thousands separators: `1,234`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats a count with its noun, which gets an s unless the count is 1: `1 row`, `1,234 rows`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Parses an option or argument that is a positive integer. */
export function readCount(text: string): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('Expected a whole number greater than 0.');
}

/** Parses an option that takes several of `choices`, separated by commas. */
export function readChoices<Choice extends string>(text: string, choices: readonly Choice[]): Choice[] {
  const wanted = text.split(',').map((one) => one.trim());
  if (wanted.every((one) => (choices as readonly string[]).includes(one))) return wanted as Choice[];
  throw new InvalidArgumentError(`Expected one or more of ${choices.join(', ')}, separated by commas.`);
}

/** An option with the tags of a client or operator that is limited to principals; null without it. */
export function tagsOption(description: string): Option {
  return new Option('--tags <tags>', `${description}, separated by commas; it cannot be changed later`)
    .default(null, 'not limited')
    .argParser((text) => {
      const tags = text.split(',').map((tag) => tag.trim());
      if (tags.length <= tagsMax && tags.every(isTag)) return sortedTags(tags);
      throw new InvalidArgumentError(
        `Expected up to ${tagsMax} tags of letters, digits, dots, hyphens and underscores.`,
      );
    });
}

/**
 * Quotes an argument of a printed command for POSIX shells: in double quotes, unless it has a character that is special
 * in them. Values such as column names come from files of other people, and the operator may paste the command: the
 * shell must not expand anything in them.
 */
export function quoted(value: string): string {
  return /["$`\\!]/.test(value) ? `'${value.replaceAll("'", `'\\''`)}'` : `"${value}"`;
}

/** Quotes an argument only if a shell would not take it as it is. */
export function quotedIfNeeded(value: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(value) ? value : quoted(value);
}
