import type { MeasuredService } from './running/service.ts';

let serial = 0;

/** Builds registrations with new usernames and passwords. */
export function registrations(
  count: number,
): { Username: string; Password: string; ConfirmPassword: string }[] {
  return Array.from({ length: count }, () => {
    const password = `a measured password ${++serial}`;
    return { Username: `bench-${process.pid}-${serial}`, Password: password, ConfirmPassword: password };
  });
}

/** Builds registrations with a `PasswordHash`, which the service need not hash. */
export function hashedRegistrations(count: number): { Username: string; PasswordHash: string }[] {
  return registrations(count).map(({ Username }) => ({ Username, PasswordHash: someHash }));
}

export const someHash =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRvZnNpeHRlZQ$bm90IHRoZSBoYXNoIG9mIGFueXRoaW5nIHVzZWQ';

export function resets(ids: readonly number[]): { ID: number; Password: string; ConfirmPassword: string }[] {
  return ids.map((ID) => {
    const password = `another measured password ${++serial}`;
    return { ID, Password: password, ConfirmPassword: password };
  });
}

export async function insertPrincipals(service: MeasuredService, count: number): Promise<number[]> {
  const body = Array.from({ length: count }, (_, n) => ({ Denomination: `Bench ${n}` }));
  const { result } = await service.call('irs/insert', body);
  return result.records.map(({ Item1 }) => Item1);
}

/** Registers users with a `PasswordHash` and returns their IDs by principal ID. */
export async function populate(
  service: MeasuredService,
  principals: readonly number[],
  usersEach: number,
): Promise<Map<number, number[]>> {
  const ids = new Map<number, number[]>();
  for (const ID of principals) {
    const { result } = await service.call('irs/update', [{ ID, Users: hashedRegistrations(usersEach) }], {
      prefer: 'return=representation',
    });
    ids.set(ID, result.records[0]?.Item6.Users?.map((user) => user.ID) ?? []);
  }
  return ids;
}
