import type { Words } from './english.ts';

export const italian: Words = {
  title: 'Lavori',
  intro: 'Le chiamate inviate per essere eseguite dopo, di tutti i client, dalla più recente.',
  caption: 'Lavori',
  columns: {
    job: 'Lavoro',
    state: 'Stato',
    progress: 'Avanzamento',
    failed: 'Non applicati',
    submitted: 'Inviato',
    ended: 'Terminato',
  },
  states: { queued: 'In attesa', running: 'In corso', completed: 'Completato', cancelled: 'Annullato' },
  empty: {
    title: 'Ancora nessun lavoro',
    hint: "Una chiamata inviata con l'intestazione Prefer: respond-async diventa un lavoro. Così anche ogni parte di un'importazione.",
  },
  one: (id) => `Lavoro ${id}`,
  all: 'Tutti i lavori',
  progress: 'Avanzamento',
  figures: 'Cifre',
  facts: {
    id: 'ID',
    state: 'Stato',
    operation: 'Che cosa si scrive',
    records: 'Record',
    done: 'Record elaborati',
    failed: 'Non applicati',
    users: 'Utenti',
    usersDone: 'Utenti elaborati',
    rate: 'Utenti al secondo',
    submitted: 'Inviato',
    started: 'Iniziato',
    ended: 'Terminato',
    left: 'Fine prevista',
  },
  cancel: 'Annulla il lavoro',
  cancelTitle: (id) => `Annulla il lavoro ${id}`,
  cancelText:
    'I record non ancora iniziati non saranno applicati. Ciò che è scritto resta, e ciò che è in elaborazione può ancora essere scritto. Non si può riprendere; nel kit di correzione c’è quanto è rimasto fuori.',
  cancelled: 'Il lavoro è stato annullato.',
};
