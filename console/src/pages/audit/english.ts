export const english = {
  title: 'Audit',
  intro: 'Everything that was done, when and by whom, the newest first.',
  caption: 'The journal',
  columns: { position: 'Position', at: 'When', author: 'By', about: 'About', what: 'What was done' },
  principal: (id: number) => `Principal ${id}`,
  empty: { title: 'Nothing was done yet', hint: 'Whatever is done shows up here within a second.' },
  emptyOf: {
    title: 'Nothing is known of this principal',
    hint: 'Nothing was done to a principal with this ID, or the journal no longer has it.',
  },
  find: {
    position: 'Go to the position',
    principal: 'Only the principal with the ID',
    go: 'Go',
    reads: 'Also what was only read',
    all: 'Show everything',
    newest: 'Back to the newest',
    of: (id: string) => `What was done to principal ${id}.`,
    from: (position: string) => `From position ${position} back; what is new is not added here.`,
  },
  details: 'Details',
  detail: {
    action: 'Action',
    entry: 'Entry',
    address: 'Address',
    request: 'Request',
    call: 'Call',
    registered: 'Users registered',
    reset: 'Passwords reset',
    noted: 'What was noted',
    seal: 'Seal',
  },
  others: (count: string) => `and ${count} more`,
  chain: {
    title: 'Is the journal untouched?',
    text: 'The check proves whether anyone with access to the database has changed, removed or added a row. Then copy the end of the journal, which it shows, to a place outside the database: only with it can a later check tell that the newest rows were cut off.',
    verify: 'Check the journal',
    sound: 'The journal is as it was written',
    soundText: (rows: string) => `All ${rows} rows are there, and none was changed.`,
    broken: 'The journal is not as it was written',
    brokenText: (rows: string, position: string, fault: string) =>
      `${rows} rows are as they were written. At position ${position} a row was ${fault}.`,
    faults: { changed: 'changed', removed: 'removed', inserted: 'inserted', 'cut off': 'cut off' },
    end: 'The end of the journal',
    endHint:
      'Keep it outside the database. On the machine of the service, anagrafe audit verify --expect compares a later journal with it.',
  },
};

export type Words = typeof english;
