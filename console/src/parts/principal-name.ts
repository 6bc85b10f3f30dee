import type { Principal } from '@anagrafe/client';

/** What a principal is called: none of its texts has to be there. */
export function nameOf({ ID, Denomination, Name, Surname, ExternalKey, Email }: Principal): string {
  const person = [Name, Surname].filter((part) => part !== null).join(' ');
  return Denomination ?? (person || (ExternalKey ?? Email ?? `#${ID}`));
}
