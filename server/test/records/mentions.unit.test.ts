import { expect, it } from 'vitest';
import { FieldErrors } from '../../src/lib/field-errors.ts';
import { mentionsOf } from '../../src/records/write/mentions.ts';

const mentions = (record: Record<string, unknown>) => mentionsOf(record, new FieldErrors());

it('a password in the place of a name is not mentioned', async () => {
  const Users = [
    { Username: 'the secret', Password: 'the secret' },
    { Username: ' another secret ', PasswordHash: 'another secret' },
    { Username: 'anna', Password: 'a third secret' },
  ];
  expect(await mentions({ ExternalKey: 'a third secret', Users })).toEqual(['name:anna']);
});

it('a text that is longer than any name is not mentioned', async () => {
  const long = (length: number) => '\u6f22'.repeat(length);
  const Users = [{ Username: long(129) }, { Username: long(1000) }, { Username: `${' '.repeat(1e6)}anna` }];
  expect(await mentions({ ExternalKey: long(129), Users })).toEqual(['name:anna']);
});
