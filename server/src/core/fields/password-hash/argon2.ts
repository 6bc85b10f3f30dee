import { decodeUnpadded } from './base64.ts';
import { pairSaltAndKey } from './salt-and-key.ts';

export interface Argon2Hash {
  readonly kind: 'argon2';
  readonly algorithm: 'argon2id' | 'argon2i';
  readonly version: 16 | 19;
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

const phc =
  /^\$(?<algorithm>argon2id?)\$v=(?<version>16|19)\$m=(?<memory>[1-9]\d{0,9}),t=(?<passes>[1-9]\d{0,9}),p=(?<parallelism>[1-9]\d{0,9})\$(?<salt>[^$]+)\$(?<key>[^$]+)$/;

export function parseArgon2(text: string): Argon2Hash | null {
  const found = phc.exec(text)?.groups;
  if (!found) return null;
  const { algorithm, version, memory, passes, parallelism, salt = '', key = '' } = found;
  if (!pairSaltAndKey(decodeUnpadded(salt), decodeUnpadded(key))) return null;
  return {
    kind: 'argon2',
    algorithm: algorithm === 'argon2id' ? 'argon2id' : 'argon2i',
    version: version === '19' ? 19 : 16,
    memoryKib: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  };
}
