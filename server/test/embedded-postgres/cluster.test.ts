import { describe, expect, it } from 'vitest';
import { sharedBuffersMb } from '../../src/embedded-postgres/cluster.ts';

const gigabyte = 1024 ** 3;

describe('the shared buffers of the embedded PostgreSQL', () => {
  it.each([
    { memory: gigabyte / 4, megabytes: 128 },
    { memory: gigabyte, megabytes: 128 },
    { memory: 4 * gigabyte, megabytes: 512 },
    { memory: 64 * gigabyte, megabytes: 1024 },
  ])('are $megabytes MB of $memory bytes of memory', ({ memory, megabytes }) => {
    expect(sharedBuffersMb(memory)).toBe(megabytes);
  });
});
