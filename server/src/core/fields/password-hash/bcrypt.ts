export interface BcryptHash {
  readonly kind: 'bcrypt';
  readonly cost: number;
}

/**
 * 22 characters of salt and 31 of key. The last of each carries 2 and 4 bits, so that few characters can stand there.
 * `$2x$` marks hashes of a broken implementation and is not among them.
 */
const modularCrypt =
  /^\$2[aby]\$(?<cost>0[4-9]|[12]\d|3[01])\$[./\dA-Za-z]{21}[.Oeu][./\dA-Za-z]{30}[.CGKOSWaeimquy26]$/;

export function parseBcrypt(text: string): BcryptHash | null {
  const found = modularCrypt.exec(text)?.groups;
  return found ? { kind: 'bcrypt', cost: Number(found.cost) } : null;
}
