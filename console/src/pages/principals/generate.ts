/** No letter that is taken for a digit, and none that is hard to tell on the telephone. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const groups = 4;
const groupLength = 5;

/** A password that nobody guesses, of about 99 bits, to be read out and typed once: `k7wqm-3xztb-…`. */
export function generatePassword(): string {
  const group = () => Array.from({ length: groupLength }, letter).join('');
  return Array.from({ length: groups }, group).join('-');
}

/** Each as likely as the other: what does not divide evenly is drawn again. */
function letter(): string {
  const fair = 256 - (256 % alphabet.length);
  for (;;) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < fair) return alphabet.charAt(byte % alphabet.length);
  }
}
