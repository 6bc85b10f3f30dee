import type { Words } from './english.ts';

export const italian: Words = {
  title: 'Eventi',
  intro: "Che cosa è accaduto, nell'unico ordine in cui ogni lettore lo riceve: lo stesso dei webhook.",
  caption: 'Eventi',
  start: { label: 'Da', latest: 'Gli ultimi', beginning: "L'inizio" },
  type: 'Tipo',
  allTypes: 'Tutti i tipi',
  columns: { id: 'ID', at: 'Quando', type: 'Che cosa è accaduto', about: 'Riguarda' },
  empty: {
    title: 'Ancora nulla è accaduto',
    hint: 'Qui appaiono nuovi utenti, password reimpostate e chiamate.',
  },
  emptyType: {
    title: 'Finora nessuno di questo tipo',
    hint: 'Continua a leggere, o scegli un altro tipo.',
  },
  more: 'Continua a leggere',
  end: (moment) => `Alle ${moment} non era accaduto altro.`,
  about: {
    principal: (id) => `anagrafica ${id}`,
    user: (id, name) => (name === null ? `utente ${id}` : `utente ${id}, ${name}`),
    state: { active: 'abilitato', disabled: 'disabilitato' },
    records: (records, failed) => `${records} record, ${failed} non applicati`,
    webhook: (id, url) => `webhook ${id}, ${url}`,
  },
};
