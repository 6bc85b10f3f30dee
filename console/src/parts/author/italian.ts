import type { Words } from './english.ts';

export const italian: Words = {
  client: (name) => name,
  console: (name) => `${name}, dalla console`,
  user: (id) => (id === null ? 'chi ci ha provato' : `utente ${id}`),
  protected: 'qualcuno in modalità protetta',
  operator: "l'operatore, dalla riga di comando",
  service: 'il servizio stesso',
  unknownClient: (id) => `client ${id ?? '?'}`,
};
