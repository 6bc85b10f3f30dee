import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Chain, type Seal, type SealedRow, verifyChain } from '../../src/core/journal/chain.ts';

const seal: Seal = (before, position, text) =>
  createHmac('sha256', 'key').update(before).update(`${position} ${text}`).digest();

const none: Buffer = Buffer.alloc(0);
const texts = ['one', 'two', 'three', 'four', 'five'];

/** Rows as the service seals them. */
function sealed(words: readonly string[], from = { position: 0, seal: none }): SealedRow[] {
  let { position, seal: before } = from;
  return words.map((text) => {
    before = seal(before, ++position, text);
    return { position, text, seal: before };
  });
}

function chainOf(rows: readonly SealedRow[]): Chain {
  const last = rows.at(-1);
  return {
    firstPosition: 1,
    firstSeal: none,
    lastPosition: last?.position ?? 0,
    lastSeal: last?.seal ?? none,
  };
}

const rows = sealed(texts);
const chain = chainOf(rows);
const end = (row: SealedRow | undefined) => ({ position: row?.position ?? 0, seal: row?.seal ?? none });

function verify(
  found: readonly SealedRow[],
  between: Chain = chain,
  expected?: { position: number; seal: Buffer },
) {
  async function* given() {
    yield* found;
  }
  return verifyChain(given(), between, seal, expected);
}

const broken = (position: number, fault: string) => ({
  sound: false,
  rows: expect.any(Number),
  position,
  fault,
});
const without = (position: number) => rows.filter((row) => row.position !== position);
const forged = (position: number): SealedRow => ({ position, text: 'forged', seal: Buffer.alloc(32, 7) });
/** The rows with one more at a position, and those after it one place further. */
const pushedIn = (position: number): SealedRow[] => [
  ...rows.slice(0, position - 1),
  forged(position),
  ...rows.slice(position - 1).map((row) => ({ ...row, position: row.position + 1 })),
];

describe('a chain', () => {
  it('is sound as it was sealed, and tells its end', async () => {
    expect(await verify(rows)).toEqual({ sound: true, rows: 5, last: end(rows[4]) });
  });

  it('is sound where nothing has been sealed yet', async () => {
    expect(await verify([], chainOf([]))).toEqual({
      sound: true,
      rows: 0,
      last: { position: 0, seal: none },
    });
  });

  it('is sound from where it begins, once its beginning was removed in order', async () => {
    const kept = rows.slice(2);
    const [, second] = rows;
    const shorter = { ...chain, firstPosition: 3, firstSeal: second?.seal ?? none };
    expect(await verify(kept, shorter)).toMatchObject({ sound: true, rows: 3 });
    expect(await verify([], { ...chain, firstPosition: 6, firstSeal: chain.lastSeal })).toMatchObject({
      sound: true,
    });
  });

  it.each([1, 3, 5])('shows that row %i was changed', async (position) => {
    const changed = rows.map((row) => (row.position === position ? { ...row, text: 'other' } : row));
    expect(await verify(changed)).toEqual({ ...broken(position, 'changed'), rows: position - 1 });
    const resealed = rows.map((row) => (row.position === position ? forged(position) : row));
    expect(await verify(resealed)).toEqual(broken(position, 'changed'));
  });

  it.each([1, 3, 5])('shows that row %i was removed', async (position) => {
    expect(await verify(without(position))).toEqual(broken(position, 'removed'));
  });

  it('shows that all rows were removed', async () => {
    expect(await verify([])).toEqual(broken(1, 'removed'));
  });

  it('shows that rows were removed and one put behind the end', async () => {
    expect(await verify([...rows.slice(0, 3), forged(9)])).toEqual(broken(4, 'removed'));
  });

  it.each([1, 3, 5])('shows a row that was inserted at %i, those after it moved up', async (position) => {
    const moved = { ...chain, lastPosition: 6 };
    expect(await verify(pushedIn(position), moved)).toEqual(broken(position, 'inserted'));
    expect(await verify(pushedIn(position))).toEqual(broken(position, 'inserted'));
  });

  it('shows a row that was inserted behind the end, close to it or further on', async () => {
    for (const position of [6, 9])
      expect(await verify([...rows, forged(position)])).toEqual(broken(position, 'inserted'));
    expect(await verify([...rows, forged(6)], { ...chain, lastPosition: 6 })).toEqual(broken(6, 'inserted'));
  });

  it('shows a row that was inserted before the beginning, or twice at one place', async () => {
    expect(await verify([forged(0), ...rows])).toEqual(broken(0, 'inserted'));
    const twice = [...rows.slice(0, 2), forged(2), ...rows.slice(2)];
    expect(await verify(twice)).toEqual(broken(2, 'inserted'));
  });

  it('shows the first of two rows that were swapped', async () => {
    const [one, two, three, four, five] = rows as [SealedRow, SealedRow, SealedRow, SealedRow, SealedRow];
    const swapped = [one, { ...four, position: 2 }, three, { ...two, position: 4 }, five];
    expect(await verify(swapped)).toEqual(broken(2, 'changed'));
    const neighbours = [one, { ...three, position: 2 }, { ...two, position: 3 }, four, five];
    expect(await verify(neighbours)).toMatchObject({ sound: false, position: 2 });
  });

  it('shows that another end was written beside it', async () => {
    expect(await verify(rows, { ...chain, lastSeal: Buffer.alloc(32, 7) })).toEqual(broken(5, 'changed'));
    expect(await verify(rows, { ...chain, lastPosition: 4 })).toEqual(broken(5, 'inserted'));
  });

  it('shows nothing to somebody with another key but a row that was changed', async () => {
    async function* given() {
      yield* rows;
    }
    const other: Seal = (before, position, text) => seal(before, position, `${text}!`);
    expect(await verifyChain(given(), chain, other)).toEqual(broken(1, 'changed'));
  });
});

describe('an end that was noted elsewhere', () => {
  const cut = rows.slice(0, 3);

  it('shows that the tail was cut off, which nothing else does', async () => {
    expect(await verify(cut, chainOf(cut))).toMatchObject({ sound: true });
    expect(await verify(cut, chainOf(cut), end(rows[4]))).toEqual(broken(4, 'cut off'));
  });

  it('shows that other rows were sealed in place of a tail that was cut off', async () => {
    const regrown = [...cut, ...sealed(['other', 'things', 'happened'], end(cut.at(-1)))];
    expect(await verify(regrown, chainOf(regrown))).toMatchObject({ sound: true });
    expect(await verify(regrown, chainOf(regrown), end(rows[4]))).toEqual(broken(5, 'changed'));
  });

  it('is met on the way, wherever it lies', async () => {
    for (const row of [undefined, ...rows])
      expect(await verify(rows, chain, end(row))).toMatchObject({ sound: true });
  });

  it('is not taken for met where the rows up to it are gone', async () => {
    const later = { ...chain, firstPosition: 4, firstSeal: end(rows[2]).seal };
    expect(await verify(rows.slice(3), later, end(rows[2]))).toMatchObject({ sound: true });
    expect(await verify(rows.slice(3), later, { position: 3, seal: none })).toEqual(broken(3, 'changed'));
    expect(await verify(rows.slice(3), later, end(rows[1]))).toEqual(broken(2, 'removed'));
  });
});
