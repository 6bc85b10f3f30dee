export const english = {
  title: 'Events',
  intro: 'What happened, in the one order in which every reader gets it: the same that webhooks are told of.',
  caption: 'Events',
  start: { label: 'From', latest: 'The latest', beginning: 'The beginning' },
  type: 'Type',
  allTypes: 'All types',
  columns: { id: 'ID', at: 'When', type: 'What happened', about: 'About' },
  empty: { title: 'Nothing has happened yet', hint: 'New users, reset passwords and calls show up here.' },
  emptyType: {
    title: 'None of this type so far',
    hint: 'Read on, or choose another type.',
  },
  more: 'Read on',
  end: (moment: string) => `Nothing more had happened at ${moment}.`,
  about: {
    principal: (id: number) => `principal ${id}`,
    user: (id: number, name: string | null) => (name === null ? `user ${id}` : `user ${id}, ${name}`),
    state: { active: 'enabled', disabled: 'disabled' },
    records: (records: string, failed: string) => `${records} records, ${failed} not applied`,
    webhook: (id: number, url: string) => `webhook ${id}, ${url}`,
  },
};

export type Words = typeof english;
