import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DecoyHashes, type DecoyTools, type HashProfile } from '../../src/accounts/decoy-hashes.ts';
import { parsePasswordHash } from '../../src/passwords/imported-hash.ts';

const ownHash =
  '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2U';
const bcrypt12 = `$2a$12$${'e'.repeat(53)}`;
const identityV2 = Buffer.alloc(49, 7).fill(0, 0, 1).toString('base64');

const names = Array.from({ length: 2000 }, (_, n) => `unknown.${n}`);

function openDecoys(tools: Partial<DecoyTools>): DecoyHashes {
  return new DecoyHashes({
    countProfiles: async () => [],
    throttleDigest: (text) => createHmac('sha256', 'key').update(text).digest(),
    needsRehash: (hash) => !hash.startsWith('$argon2id$v=19$m=19456,t=2,p=1$'),
    ownHash,
    onError: () => expect.fail('no count fails'),
    ...tools,
  });
}

/** Returns how many names have a decoy of each algorithm. */
function shares(decoys: DecoyHashes): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of names) {
    const kind = parsePasswordHash(decoys.hashFor(name))?.kind ?? 'invalid';
    found[kind] = (found[kind] ?? 0) + 1;
  }
  return found;
}

describe('the decoy of an unknown username', () => {
  it('has the configured cost while there are no users', async () => {
    const decoys = openDecoys({});
    expect(decoys.hashFor('anna')).toBe(ownHash);
    await decoys.count();
    expect(decoys.hashFor('anna')).toBe(ownHash);
  });

  it.each([
    [
      '$argon2i$v=16$m=4096,t=3,p=2$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5aw',
      { memoryKib: 4096, passes: 3, version: 16 },
    ],
    [bcrypt12, { kind: 'bcrypt', cost: 12 }],
    [identityV2, { kind: 'pbkdf2', digest: 'sha1', iterations: 1000, key: Buffer.alloc(32) }],
  ])(
    'has the format and the cost of the stored hashes, without their salt and key: %s',
    async (example, cost) => {
      const decoys = openDecoys({ countProfiles: async () => [{ example, count: 3 }] });
      await decoys.count();
      const decoy = decoys.hashFor('anna');
      expect(parsePasswordHash(decoy)).toMatchObject(cost);
      expect(decoy).not.toBe(example);
    },
  );

  it('has each profile as often as the stored hashes, and always the same one', async () => {
    const profiles = [
      { example: ownHash, count: 500 },
      { example: bcrypt12, count: 300 },
      { example: identityV2, count: 200 },
    ];
    const decoys = openDecoys({ countProfiles: async () => profiles });
    await decoys.count();
    const { argon2 = 0, bcrypt = 0, pbkdf2 = 0 } = shares(decoys);
    expect(Math.abs(argon2 / names.length - 0.5)).toBeLessThan(0.05);
    expect(Math.abs(bcrypt / names.length - 0.3)).toBeLessThan(0.05);
    expect(Math.abs(pbkdf2 / names.length - 0.2)).toBeLessThan(0.05);
    const before = names.map((name) => decoys.hashFor(name));
    await decoys.count();
    expect(names.map((name) => decoys.hashFor(name))).toEqual(before);
  });

  it('changes only from an imported profile to the configured cost as users sign in', async () => {
    let profiles: HashProfile[] = [
      { example: ownHash, count: 10 },
      { example: bcrypt12, count: 90 },
    ];
    const decoys = openDecoys({ countProfiles: async () => profiles });
    await decoys.count();
    const isImported = (name: string) => decoys.hashFor(name).startsWith('$2b$12$');
    const before = names.filter(isImported);
    profiles = [
      { example: ownHash, count: 40 },
      { example: bcrypt12, count: 60 },
    ];
    await decoys.count();
    const after = names.filter(isImported);
    expect(after.length).toBeLessThan(before.length);
    expect(before).toEqual(expect.arrayContaining(after));
  });

  it('is chosen by a new count after ten minutes, and by the last one if that fails', async () => {
    const errors: unknown[] = [];
    let now = 0;
    let count = async (): Promise<HashProfile[]> => [{ example: bcrypt12, count: 1 }];
    let counts = 0;
    const decoys = openDecoys({
      countProfiles: () => {
        counts++;
        return count();
      },
      onError: (error) => errors.push(error),
      now: () => now,
    });
    await decoys.count();
    expect(decoys.hashFor('anna')).toMatch(/^\$2b\$12\$/);
    now += 599_999;
    decoys.hashFor('anna');
    expect(counts).toBe(1);
    const failure = new Error('the database does not answer');
    count = () => Promise.reject(failure);
    now += 1;
    decoys.hashFor('anna');
    decoys.hashFor('anna');
    expect(counts).toBe(2);
    await expect.poll(() => errors).toEqual([failure]);
    expect(decoys.hashFor('anna')).toMatch(/^\$2b\$12\$/);
  });
});
