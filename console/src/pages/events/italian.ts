import type { Words } from './english.ts';

export const italian: Words = {
  title: 'Eventi',
  intro: 'Che cosa è accaduto, dal più recente: lo stesso che viene comunicato ai webhook.',
  caption: 'Eventi',
  type: 'Tipo',
  allTypes: 'Tutti i tipi',
  columns: { id: 'ID', at: 'Quando', type: 'Che cosa è accaduto', about: 'Riguarda' },
  empty: {
    title: 'Non è ancora accaduto nulla',
    hint: 'Qui appaiono nuovi utenti, password reimpostate e chiamate.',
  },
  emptyType: {
    title: 'Nessuno di questo tipo',
    hint: 'Scegli un altro tipo, o attendi: i nuovi appaiono qui.',
  },
  emptySoFar: {
    title: 'Finora nessuno di questo tipo',
    hint: 'Mostra i meno recenti, o scegli un altro tipo.',
  },
  reached: (moment) => `Ricerca arrivata a ${moment}.`,
  reachedAll: "Ricerca arrivata all'evento più vecchio conservato.",
  about: {
    principal: (id) => `anagrafica ${id}`,
    user: (id, name) => (name === null ? `utente ${id}` : `utente ${id}, ${name}`),
    state: { active: 'abilitato', disabled: 'disabilitato' },
    records: (records, failed) => `${records} record, ${failed} non applicati`,
    webhook: (id, url) => `webhook ${id}, ${url}`,
  },
};
