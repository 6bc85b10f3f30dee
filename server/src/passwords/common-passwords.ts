import { dictionary } from '@zxcvbn-ts/language-common';

/** The most used passwords, in lower case: about 49,000 of them. */
export function openCommonPasswords(): { isCommon(password: string): boolean } {
  const common = new Set(
    (dictionary['passwords-common'] as string[]).map((password) => password.toLowerCase()),
  );
  return { isCommon: (password) => common.has(password) };
}
