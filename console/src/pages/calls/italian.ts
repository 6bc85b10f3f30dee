import type { Words } from './english.ts';

export const italian: Words = {
  title: 'Chiamate',
  intro: 'Le chiamate a cui si è risposto subito, dalla più recente. Le prove non ne fanno parte.',
  caption: 'Chiamate',
  failedOnly: 'Solo con record non applicati',
  columns: {
    at: 'Quando',
    call: 'Chiamata',
    author: 'Da',
    records: 'Record',
    failed: 'Non applicati',
    users: 'Utenti applicati',
    took: 'Durata',
  },
  milliseconds: (count) => `${count} ms`,
  empty: {
    title: 'Ancora nessuna chiamata',
    hint: 'Qui appaiono le chiamate che registrano utenti, reimpostano password, inseriscono anagrafiche o cambiano stati.',
  },
  emptyFailed: {
    title: 'Nessuna chiamata con record non applicati',
    hint: 'Mostrale tutte per vedere quelle in cui ogni record è stato applicato.',
  },
  one: (id) => `Chiamata ${id}`,
  all: 'Tutte le chiamate',
  figures: 'Cifre',
  facts: {
    at: 'Quando',
    operation: 'Che cosa si è scritto',
    author: 'Da',
    address: "Dall'indirizzo",
    request: 'Richiesta',
    records: 'Record',
    failed: 'Non applicati',
    users: 'Utenti',
    usersApplied: 'Utenti applicati',
    took: 'Durata',
    id: 'ID',
  },
};
