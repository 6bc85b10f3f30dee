import { generateSecret, generateURI, verifySync } from 'otplib';
import { codeDigest, newCode } from '../passwords/password-code.ts';

/** Seconds by which the clock of a phone may be wrong. */
const tolerance = 30;
const recoveryCodeCount = 10;

/** A secret of a second factor (TOTP), and the URI that authenticator apps read from a QR code. */
export interface NewSecret {
  readonly secret: string;
  readonly uri: string;
}

export function newTotpSecret(email: string, issuer: string): NewSecret {
  const secret = generateSecret();
  return { secret, uri: generateURI({ issuer, label: email, secret }) };
}

/** Returns the time step of a code; null if the code is wrong, or not of a later step than `afterStep`. */
export function stepOfCode(secret: string, code: string, afterStep: number): number | null {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const result = verifySync({ secret, token, epochTolerance: tolerance });
  return result.valid && 'timeStep' in result && result.timeStep > afterStep ? result.timeStep : null;
}

export function newRecoveryCodes(): {
  readonly codes: readonly string[];
  readonly digests: readonly Buffer[];
} {
  const codes = Array.from({ length: recoveryCodeCount }, newCode);
  return { codes, digests: codes.map((code) => codeDigest(code) as Buffer) };
}
