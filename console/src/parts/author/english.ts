export const english = {
  client: (name: string) => name,
  console: (name: string) => `${name}, at the console`,
  user: (id: number | null) => (id === null ? 'whoever tried it' : `user ${id}`),
  protected: 'someone in protected mode',
  operator: 'the operator, at the command line',
  service: 'the service itself',
  unknownClient: (id: number | null) => `client ${id ?? '?'}`,
};

export type Words = typeof english;
