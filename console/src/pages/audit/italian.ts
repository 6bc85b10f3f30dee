import type { Words } from './english.ts';

export const italian: Words = {
  title: 'Registro',
  intro: 'Tutto ciò che è stato fatto, quando e da chi, dal più recente.',
  caption: 'Il registro',
  columns: {
    position: 'Posizione',
    at: 'Quando',
    author: 'Da',
    about: 'Riguarda',
    what: 'Che cosa è stato fatto',
  },
  principal: (id) => `Anagrafica ${id}`,
  empty: {
    title: 'Non è ancora stato fatto nulla',
    hint: 'Tutto ciò che si fa appare qui entro un secondo.',
  },
  emptyOf: {
    title: 'Di questa anagrafica non si sa nulla',
    hint: "Non è stato fatto nulla a un'anagrafica con questo ID, o il registro non lo ha più.",
  },
  find: {
    position: 'Vai alla posizione',
    principal: "Solo l'anagrafica con ID",
    go: 'Vai',
    reads: 'Anche ciò che è stato solo letto',
    all: 'Mostra tutto',
    newest: 'Torna ai più recenti',
    of: (id) => `Che cosa è stato fatto all'anagrafica ${id}.`,
    from: (position) => `Dalla posizione ${position} all'indietro; qui non si aggiunge ciò che è nuovo.`,
  },
  details: 'Dettagli',
  detail: {
    action: 'Azione',
    entry: 'Voce',
    address: 'Indirizzo',
    request: 'Richiesta',
    call: 'Chiamata',
    registered: 'Utenti registrati',
    reset: 'Password reimpostate',
    noted: 'Che cosa è stato annotato',
    seal: 'Sigillo',
  },
  others: (count) => `e altri ${count}`,
  chain: {
    title: 'Il registro è intatto?',
    text: 'Il controllo dimostra se qualcuno con accesso al database ha modificato, rimosso o aggiunto una riga. Poi copia la fine del registro, che il controllo mostra, in un luogo fuori dal database: solo con essa un controllo successivo può rivelare che le righe più recenti sono state tagliate.',
    verify: 'Controlla il registro',
    sound: 'Il registro è come è stato scritto',
    soundText: (rows) => `Tutte le ${rows} righe ci sono, e nessuna è stata modificata.`,
    broken: 'Il registro non è come è stato scritto',
    brokenText: (rows, position, fault) =>
      `${rows} righe sono come sono state scritte. Alla posizione ${position} una riga è stata ${fault}.`,
    faults: { changed: 'modificata', removed: 'rimossa', inserted: 'inserita', 'cut off': 'troncata' },
    end: 'La fine del registro',
    endHint:
      'Conservala fuori dal database. Sulla macchina del servizio, anagrafe audit verify --expect confronta con essa un registro successivo.',
  },
};
