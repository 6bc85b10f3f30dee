import { readFile } from 'node:fs/promises';
import { OperatorError } from './operator-error.ts';

/** What users see of the product in mails and on the account pages. */
export interface Brand {
  readonly name: string;
  /** Such as `#1f5fbf`. */
  readonly color: string;
  /** The colour of text on `color`: black or white, whichever has more contrast. */
  readonly textColor: string;
  readonly logo: Logo | null;
}

export interface Logo {
  readonly content: Buffer;
  readonly type: 'image/png' | 'image/jpeg';
}

const logoMaxBytes = 100_000;

/** Throws an `OperatorError` that names the setting if the file of the logo cannot be used. */
export async function openBrand(config: {
  readonly BRAND_NAME: string;
  readonly BRAND_COLOR: string;
  readonly BRAND_LOGO: string | null;
}): Promise<Brand> {
  const { BRAND_NAME: name, BRAND_COLOR: color, BRAND_LOGO: path } = config;
  return { name, color, textColor: textColorOn(color), logo: path === null ? null : await readLogo(path) };
}

/** The contrast with white and with black is equal at a relative luminance of 0.179 (WCAG 2). */
function textColorOn(color: string): string {
  return luminanceOf(color) > 0.179 ? '#000000' : '#ffffff';
}

/** Returns the colour, or the nearest mix with black or white that can be read as text on the background. */
export function readableOn(background: string, color: string): string {
  const target = textColorOn(background);
  for (let percent = 0; percent < 100; percent += 5) {
    const mixed = mix(color, target, percent / 100);
    if (contrastOf(mixed, background) >= 4.5) return mixed;
  }
  return target;
}

function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function mix(color: string, target: string, share: number): string {
  const to = channelsOf(target);
  const mixed = channelsOf(color).map((value, n) => Math.round(value + ((to[n] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}

async function readLogo(path: string): Promise<Logo> {
  const content = await readFile(path).catch((error) => {
    throw unusable(path, `cannot be read (${error.code})`);
  });
  if (content.length > logoMaxBytes) throw unusable(path, `has ${content.length} bytes`);
  const start = content.subarray(0, 4).toString('hex');
  if (start === '89504e47') return { content, type: 'image/png' };
  if (start.startsWith('ffd8ff')) return { content, type: 'image/jpeg' };
  throw unusable(path, 'is neither PNG nor JPEG');
}

function unusable(path: string, problem: string): OperatorError {
  return new OperatorError(`the file ${JSON.stringify(path)} of ANAGRAFE_BRAND_LOGO ${problem}`, {
    code: 'setting_invalid',
    advice: `expected a PNG or JPEG file of at most ${logoMaxBytes} bytes.`,
  });
}
