import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Chain, type HashedRow, type HashRow, verifyChain } from '../../src/audit/hash-chain.ts';

const hashRow: HashRow = (before, position, text) =>
  createHmac('sha256', 'key').update(before).update(`${position} ${text}`).digest();

const none: Buffer = Buffer.alloc(0);
const texts = ['one', 'two', 'three', 'four', 'five'];

/** Returns rows with the hashes that the service would compute, as a continuation of `from`. */
function hashed(rowTexts: readonly string[], from = { position: 0, hash: none }): HashedRow[] {
  let { position, hash: before } = from;
  return rowTexts.map((text) => {
    before = hashRow(before, ++position, text);
    return { position, text, hash: before, valuesMatch: true };
  });
}

function chainOf(rows: readonly HashedRow[]): Chain {
  const last = rows.at(-1);
  return {
    firstPosition: 1,
    firstHash: none,
    lastPosition: last?.position ?? 0,
    lastHash: last?.hash ?? none,
  };
}

const rows = hashed(texts);
const chain = chainOf(rows);
const end = (row: HashedRow | undefined) => ({ position: row?.position ?? 0, hash: row?.hash ?? none });

function verify(
  found: readonly HashedRow[],
  between: Chain = chain,
  expected?: { position: number; hash: Buffer },
) {
  async function* given() {
    yield* found;
  }
  return verifyChain(given(), between, hashRow, expected);
}

const broken = (position: number, error: string) => ({
  sound: false,
  rows: expect.any(Number),
  position,
  error,
});
const without = (position: number) => rows.filter((row) => row.position !== position);
const forged = (position: number): HashedRow => ({
  position,
  text: 'forged',
  hash: Buffer.alloc(32, 7),
  valuesMatch: true,
});
/** Returns the rows with a forged row at this position, and the later rows moved up by one position. */
const withInserted = (position: number): HashedRow[] => [
  ...rows.slice(0, position - 1),
  forged(position),
  ...rows.slice(position - 1).map((row) => ({ ...row, position: row.position + 1 })),
];

describe('verification of the hash chain', () => {
  it('accepts unchanged rows and returns the end of the chain', async () => {
    expect(await verify(rows)).toEqual({ sound: true, rows: 5, last: end(rows[4]) });
  });

  it('accepts an empty chain', async () => {
    expect(await verify([], chainOf([]))).toEqual({
      sound: true,
      rows: 0,
      last: { position: 0, hash: none },
    });
  });

  it('accepts a chain whose first rows were removed by the retention', async () => {
    const kept = rows.slice(2);
    const [, second] = rows;
    const shorter = { ...chain, firstPosition: 3, firstHash: second?.hash ?? none };
    expect(await verify(kept, shorter)).toMatchObject({ sound: true, rows: 3 });
    expect(await verify([], { ...chain, firstPosition: 6, firstHash: chain.lastHash })).toMatchObject({
      sound: true,
    });
  });

  it.each([1, 3, 5])('detects that row %i was changed', async (position) => {
    const changed = rows.map((row) => (row.position === position ? { ...row, text: 'other' } : row));
    expect(await verify(changed)).toEqual({ ...broken(position, 'changed'), rows: position - 1 });
    const withForgedHash = rows.map((row) => (row.position === position ? forged(position) : row));
    expect(await verify(withForgedHash)).toEqual(broken(position, 'changed'));
  });

  it.each([1, 3, 5])('detects that row %i was removed', async (position) => {
    expect(await verify(without(position))).toEqual(broken(position, 'removed'));
  });

  it('detects that all rows were removed', async () => {
    expect(await verify([])).toEqual(broken(1, 'removed'));
  });

  it('detects that rows were removed and one was added after the end', async () => {
    expect(await verify([...rows.slice(0, 3), forged(9)])).toEqual(broken(4, 'removed'));
  });

  it.each([1, 3, 5])('detects a row inserted at %i with the later rows moved up', async (position) => {
    const moved = { ...chain, lastPosition: 6 };
    expect(await verify(withInserted(position), moved)).toEqual(broken(position, 'inserted'));
    expect(await verify(withInserted(position))).toEqual(broken(position, 'inserted'));
  });

  it('detects a row inserted after the end, with or without a gap', async () => {
    for (const position of [6, 9])
      expect(await verify([...rows, forged(position)])).toEqual(broken(position, 'inserted'));
    expect(await verify([...rows, forged(6)], { ...chain, lastPosition: 6 })).toEqual(broken(6, 'inserted'));
  });

  it('detects a row inserted before the first row or at an existing position', async () => {
    expect(await verify([forged(0), ...rows])).toEqual(broken(0, 'inserted'));
    const twice = [...rows.slice(0, 2), forged(2), ...rows.slice(2)];
    expect(await verify(twice)).toEqual(broken(2, 'inserted'));
  });

  it('detects the first of two swapped rows', async () => {
    const [one, two, three, four, five] = rows as [HashedRow, HashedRow, HashedRow, HashedRow, HashedRow];
    const swapped = [one, { ...four, position: 2 }, three, { ...two, position: 4 }, five];
    expect(await verify(swapped)).toEqual(broken(2, 'changed'));
    const neighbours = [one, { ...three, position: 2 }, { ...two, position: 3 }, four, five];
    expect(await verify(neighbours)).toMatchObject({ sound: false, position: 2 });
  });

  it('detects that the stored end of the chain was changed', async () => {
    expect(await verify(rows, { ...chain, lastHash: Buffer.alloc(32, 7) })).toEqual(broken(5, 'changed'));
    expect(await verify(rows, { ...chain, lastPosition: 4 })).toEqual(broken(5, 'inserted'));
  });

  it('reports the first row as changed if the hash function differs', async () => {
    async function* given() {
      yield* rows;
    }
    const other: HashRow = (before, position, text) => hashRow(before, position, `${text}!`);
    expect(await verifyChain(given(), chain, other)).toEqual(broken(1, 'changed'));
  });
});

describe('verification of the hash chain against an expected end', () => {
  const cut = rows.slice(0, 3);

  it('detects that the last rows were cut off, which is not detected without it', async () => {
    expect(await verify(cut, chainOf(cut))).toMatchObject({ sound: true });
    expect(await verify(cut, chainOf(cut), end(rows[4]))).toEqual(broken(4, 'cut off'));
  });

  it('detects that other rows were hashed in place of the last rows', async () => {
    const replaced = [...cut, ...hashed(['other', 'things', 'happened'], end(cut.at(-1)))];
    expect(await verify(replaced, chainOf(replaced))).toMatchObject({ sound: true });
    expect(await verify(replaced, chainOf(replaced), end(rows[4]))).toEqual(broken(5, 'changed'));
  });

  it('accepts an expected end at any position', async () => {
    for (const row of [undefined, ...rows])
      expect(await verify(rows, chain, end(row))).toMatchObject({ sound: true });
  });

  it('refuses an expected end whose rows were removed, except the one just before the first row', async () => {
    const later = { ...chain, firstPosition: 4, firstHash: end(rows[2]).hash };
    expect(await verify(rows.slice(3), later, end(rows[2]))).toMatchObject({ sound: true });
    expect(await verify(rows.slice(3), later, { position: 3, hash: none })).toEqual(broken(3, 'changed'));
    expect(await verify(rows.slice(3), later, end(rows[1]))).toEqual(broken(2, 'removed'));
  });
});
