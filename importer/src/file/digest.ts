/**
 * Returns a 52-bit digest of a text, made of two FNV-1a hashes. Somebody can construct two texts with the same digest; by
 * accident it does not happen. A cryptographic digest is not used, because `crypto.subtle` exists only on pages that were
 * loaded over https or from this machine.
 */
export function digestOf(text: string): number {
  let [one, other] = [2_166_136_261, 374_761_393];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 16_777_619);
    other = Math.imul(other ^ unit, 16_777_619);
  }
  return (one >>> 0) * 2 ** 20 + (other >>> 12);
}
