import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterTest } from '@anagrafe/testing/endings';
import { describe, expect, it } from 'vitest';
import { openBrand, readableOn } from '../../src/lib/brand.ts';

const settings = { BRAND_NAME: 'Rossi Srl', BRAND_COLOR: '#1f5fbf', BRAND_LOGO: null };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-brand-'));
  afterTest(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('the brand', () => {
  it.each([
    ['#1f5fbf', '#ffffff'],
    ['#ffdd00', '#000000'],
    ['#000000', '#ffffff'],
    ['#FFFFFF', '#000000'],
  ])('has on the colour %s the text colour %s', async (color, textColor) => {
    expect(await openBrand({ ...settings, BRAND_COLOR: color })).toMatchObject({ color, textColor });
  });

  it.each([
    ['#1f5fbf', '#f4f5f7', '#1f5fbf'],
    ['#ffe14d', '#1c1f24', '#ffe14d'],
    ['#ffffff', '#f4f5f7', '#666666'],
    ['#000000', '#1c1f24', '#8c8c8c'],
  ])('has for text of the colour %s on %s the colour %s', (color, background, readable) => {
    expect(readableOn(background, color)).toBe(readable);
  });

  it('has a logo that is recognised by its content', async () => {
    const path = join(temporaryFolder(), 'logo.txt');
    await writeFile(path, Buffer.from('89504e470d0a1a0a', 'hex'));
    const { logo } = await openBrand({ ...settings, BRAND_LOGO: path });
    expect(logo?.type).toBe('image/png');
  });

  it.each([
    ['that is missing', null, 'cannot be read (ENOENT)'],
    ['that is an SVG file', Buffer.from('<svg/>'), 'is neither PNG nor JPEG'],
    ['that is too large', Buffer.alloc(100_001, 0xff), 'has 100001 bytes'],
  ])('refuses a logo %s', async (_, content, problem) => {
    const path = join(temporaryFolder(), 'logo.png');
    if (content) await writeFile(path, content);
    await expect(openBrand({ ...settings, BRAND_LOGO: path })).rejects.toThrow(problem);
  });
});
