export const english = {
  title: 'Jobs',
  intro: 'Calls that were sent to be done later, of all clients, the newest first.',
  caption: 'Jobs',
  columns: {
    job: 'Job',
    state: 'State',
    progress: 'Progress',
    failed: 'Not applied',
    submitted: 'Sent',
    ended: 'Ended',
  },
  states: { queued: 'Waiting', running: 'Under way', completed: 'Completed', cancelled: 'Cancelled' },
  empty: {
    title: 'No job yet',
    hint: 'A call that is sent with the header Prefer: respond-async becomes a job. So does every part of an import.',
  },
  one: (id: string) => `Job ${id}`,
  all: 'All jobs',
  progress: 'Progress',
  figures: 'Figures',
  facts: {
    id: 'ID',
    state: 'State',
    operation: 'What is written',
    records: 'Records',
    done: 'Records done',
    failed: 'Not applied',
    users: 'Users',
    usersDone: 'Users done',
    rate: 'Users per second',
    submitted: 'Sent',
    started: 'Begun',
    ended: 'Ended',
    left: 'Expected end',
  },
  cancel: 'Cancel the job',
  cancelTitle: (id: string) => `Cancel job ${id}`,
  cancelText:
    'Records that have not begun will not be applied. What is written stays, and what is being hashed may still be written. It cannot be resumed; the retry kit has what was left out.',
  cancelled: 'The job was cancelled.',
};

export type Words = typeof english;
