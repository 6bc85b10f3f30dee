const forms = [
  { syntax: /^[0-9a-f]{64}$/i, encoding: 'hex' },
  { syntax: /^[A-Za-z0-9+/]{43}=?$/, encoding: 'base64' },
  { syntax: /^[A-Za-z0-9_-]{43}=?$/, encoding: 'base64url' },
] as const;

/** The 32 bytes of a master key, from its text; null where it is none. */
export function readMasterKey(text: string): Buffer | null {
  const form = forms.find(({ syntax }) => syntax.test(text));
  return form ? Buffer.from(text, form.encoding) : null;
}
