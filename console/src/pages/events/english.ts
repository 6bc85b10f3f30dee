export const english = {
  title: 'Events',
  intro: 'What happened, the newest first: the same that webhooks are told of.',
  caption: 'Events',
  type: 'Type',
  allTypes: 'All types',
  columns: { id: 'ID', at: 'When', type: 'What happened', about: 'About' },
  empty: { title: 'Nothing has happened yet', hint: 'New users, reset passwords and calls show up here.' },
  emptyType: { title: 'None of this type', hint: 'Choose another type, or wait: new ones show up here.' },
  emptySoFar: { title: 'None of this type so far', hint: 'Show older ones, or choose another type.' },
  reached: (moment: string) => `Searched back to ${moment}.`,
  reachedAll: 'Searched back to the oldest event that is kept.',
  about: {
    principal: (id: number) => `principal ${id}`,
    user: (id: number, name: string | null) => (name === null ? `user ${id}` : `user ${id}, ${name}`),
    state: { active: 'enabled', disabled: 'disabled' },
    records: (records: string, failed: string) =>
      `${records} ${records === '1' ? 'record' : 'records'}, ${failed} not applied`,
    webhook: (id: number, url: string) => `webhook ${id}, ${url}`,
  },
};

export type Words = typeof english;
