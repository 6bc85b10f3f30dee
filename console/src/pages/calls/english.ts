export const english = {
  title: 'Calls',
  intro: 'Calls that were answered at once, the newest first. Dry runs are not among them.',
  caption: 'Calls',
  failedOnly: 'With failed records only',
  columns: {
    at: 'When',
    call: 'Call',
    author: 'By',
    records: 'Records',
    failed: 'Not applied',
    users: 'Users applied',
    took: 'Took',
  },
  milliseconds: (count: string) => `${count} ms`,
  empty: {
    title: 'No call yet',
    hint: 'Calls that register users, reset passwords, insert principals or change states show up here.',
  },
  emptyFailed: {
    title: 'No call with failed records',
    hint: 'Show all of them to see those of which every record was applied.',
  },
  one: (id: string) => `Call ${id}`,
  all: 'All calls',
  figures: 'Figures',
  facts: {
    at: 'When',
    operation: 'What was written',
    author: 'By',
    address: 'From the address',
    request: 'Request',
    records: 'Records',
    failed: 'Not applied',
    users: 'Users',
    usersApplied: 'Users applied',
    took: 'Took',
    id: 'ID',
  },
};

export type Words = typeof english;
